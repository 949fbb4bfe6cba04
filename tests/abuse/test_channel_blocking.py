"""Users try to block channels with tables that have no other players."""

import pytest
from simcord import MemberActor

from bot.core.permissions import REQUIRED_TO_OPEN_THREADS
from engine.table.terms import DAY
from tests.bot.core.channels import without
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.depth import scaled
from tests.wording import en, says

pytestmark = pytest.mark.deep

HOURS = 24


async def owners(sim: SimGuild, channel: object = None) -> list[int | None]:
    return [row.user_id for row in (await sim.now(channel)).seats]  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("who", ["somebody else", "the same person"])
async def test_computer_match_moves_to_thread_on_request(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, who: str, moves: int
) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    for _ in range(moves):
        await sim.play_by_typing(ada)
    before = await sim.loaded()
    asker = grace if who == "somebody else" else ada
    answer = await asker.slash(sim.channel, "tiles new", seats=2)
    assert told(answer).startswith(en("lobby.opened", link=""))
    assert await owners(sim) == [asker.id]
    (thread,) = sim.channel.threads
    there = await sim.loaded(thread)
    assert there.head.match_id == before.head.match_id
    assert there.head.state == "open"
    assert says(words_of(sim.public(thread)[0]) + words_of(sim.public(thread)[-1]), "notice.made_way_moved")
    # The old channel shows nothing of the table, and play continues in the new one.
    assert len(sim.boards()) == 1
    assert sim.to_move(thread).id == ada.id
    await sim.play_by_typing(ada, thread)
    assert (await sim.head(thread)).seq > there.head.seq


async def test_computer_match_without_thread_permission_ends_without_result(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    cellar = without(sim, *REQUIRED_TO_OPEN_THREADS)
    await ada.slash(cellar, "tiles new", computers=1)
    first = await sim.head(cellar)
    assert told(await grace.slash(cellar, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
    assert await owners(sim, cellar) == [grace.id]
    old = await sim.store.matches.find_head(first.match_id)
    assert old.state == "void"
    said = [words_of(message) for message in sim.public(cellar)]
    assert any(en("notice.made_way") in text for text in said)
    assert any(en("lobby.closed_made_way") in text for text in said)


async def test_idle_computer_match_ends_after_one_day(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    assert says(words_of(sim.board()), "clock.practice")
    await sim.wait(hours=HOURS + 1)
    assert (await sim.head()).state == "void"
    assert says(words_of(sim.board()), "lobby.closed_practice_over")
    await grace.slash(sim.channel, "tiles new", seats=2)
    assert await owners(sim) == [grace.id]


@pytest.mark.parametrize("command", ["tiles match abort", "tiles leave"])
async def test_player_ends_computer_match_and_spectator_sees_options(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, command: str
) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    for _ in range(2):
        await sim.play_by_typing(ada)
    assert told(await grace.slash(sim.channel, command)) == en("no.WATCHING_PRACTICE")
    asked = await ada.slash(sim.channel, command)
    if command == "tiles match abort":
        assert "ust agree" not in told(asked)
        await ada.click(private(asked), label="End the match")
    assert (await sim.head()).state == "void"


async def test_user_cannot_occupy_every_channel(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    places = [sim.guild.create_text_channel(f"hall-{number}") for number in range(scaled(3))]
    for place in places:
        for _ in range(2):
            await ada.slash(place, "tiles new", computers=1)
        assert told(await grace.slash(place, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
        assert await owners(sim, place) == [grace.id]


async def test_channel_of_inactive_players_becomes_free(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace, clock="1d")
    answer = await linus.slash(sim.channel, "tiles new", seats=2)
    assert en("lobby.in_thread") in button_ids(private(answer))
    for _ in range(5):
        await sim.wait(hours=HOURS + 1)
    assert says(told(await linus.slash(sim.channel, "tiles match abort")), "no.WATCHING_SILENT")
    assert told(await linus.slash(sim.channel, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
    assert await owners(sim) == [linus.id]


async def test_table_in_busy_channel_opens_thread_with_one_click(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    wish = {"game": "quad-ominos", "seats": 3, "clock": "live 7m", "absent": "end", "by_hand": True}
    answer = private(await linus.slash(sim.channel, "tiles new", **wish))
    before = (await sim.head()).match_id
    press = button_ids(answer)["Open in thread"]
    stolen = await sim.post(press)
    assert told(await grace.click(stolen, label="Button 0")) == en("no.OFFER_GONE")
    assert sim.channel.threads == []
    await linus.click(answer, label="Open in thread")
    (thread,) = sim.channel.threads
    terms = await sim.terms(thread)
    assert {key: terms[key] for key in wish} == wish
    assert await owners(sim, thread) == [linus.id]
    assert (await sim.head()).match_id == before


async def test_offer_from_before_restart_explains_how_to_retry(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    answer = private(await linus.slash(sim.channel, "tiles new", seats=2))
    await sim.restart()
    assert "`/tiles new thread:True`" in told(await linus.click(answer, label=en("lobby.in_thread")))
    assert sim.channel.threads == []


async def test_match_between_players_keeps_its_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace, clock="1d")
    match = (await sim.head()).match_id
    for _ in range(2):
        await linus.slash(sim.channel, "tiles new", computers=1)
        assert (await sim.head()).match_id == match
        await sim.wait(hours=HOURS + 1)
    assert (await sim.head()).state == "open"
    assert (await sim.head()).due is not None
    assert (await sim.now()).clock.acted_at <= sim.clock() - DAY
