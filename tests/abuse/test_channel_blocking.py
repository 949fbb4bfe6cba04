"""Users try to block channels with tables that have no other players."""

import pytest
from simcord import MemberActor

from bot.core.permissions import REQUIRED_TO_OPEN_THREADS
from engine.table.terms import DAY
from tests.bot.core.channels import create_restricted_channel
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.depth import scale_count
from tests.wording import en, has_sentence

pytestmark = pytest.mark.deep

HOURS = 24


async def list_seated_users(sim: SimGuild, channel: object = None) -> list[int | None]:
    return [row.user_id for row in (await sim.load_table(channel)).seats]  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("who", ["somebody else", "the same person"])
async def test_computer_match_moves_to_thread_on_request(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, who: str, moves: int
) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    for _ in range(moves):
        await sim.play_by_typing(ada)
    before = await sim.load_stored_match()
    asker = grace if who == "somebody else" else ada
    answer = await asker.slash(sim.channel, "tiles new", seats=2)
    assert read_private_text(answer).startswith(en("lobby.opened", link=""))
    assert await list_seated_users(sim) == [asker.id]
    (thread,) = sim.channel.threads
    moved_table = await sim.load_stored_match(thread)
    assert moved_table.head.match_id == before.head.match_id
    assert moved_table.head.state == "open"
    assert has_sentence(
        read_text(sim.list_public_messages(thread)[0]) + read_text(sim.list_public_messages(thread)[-1]),
        "notice.made_way_moved",
    )
    # The old channel shows nothing of the table, and play continues in the new one.
    assert len(sim.list_boards()) == 1
    assert sim.get_called_player(thread).id == ada.id
    await sim.play_by_typing(ada, thread)
    assert (await sim.load_head(thread)).seq > moved_table.head.seq


async def test_computer_match_without_thread_permission_ends_without_result(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    restricted_channel = create_restricted_channel(sim, *REQUIRED_TO_OPEN_THREADS)
    await ada.slash(restricted_channel, "tiles new", computers=1)
    first = await sim.load_head(restricted_channel)
    assert read_private_text(await grace.slash(restricted_channel, "tiles new", seats=2)).startswith(
        en("lobby.opened", link="")
    )
    assert await list_seated_users(sim, restricted_channel) == [grace.id]
    old = await sim.store.matches.find_head(first.match_id)
    assert old.state == "void"
    texts = [read_text(message) for message in sim.list_public_messages(restricted_channel)]
    assert any(en("notice.made_way") in text for text in texts)
    assert any(en("lobby.closed_made_way") in text for text in texts)


async def test_idle_computer_match_ends_after_one_day(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    assert has_sentence(read_text(sim.get_board()), "clock.practice")
    await sim.wait(hours=HOURS + 1)
    assert (await sim.load_head()).state == "void"
    assert has_sentence(read_text(sim.get_board()), "lobby.closed_practice_over")
    await grace.slash(sim.channel, "tiles new", seats=2)
    assert await list_seated_users(sim) == [grace.id]


@pytest.mark.parametrize("command", ["tiles match abort", "tiles leave"])
async def test_player_ends_computer_match_and_spectator_sees_options(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, command: str
) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    for _ in range(2):
        await sim.play_by_typing(ada)
    assert read_private_text(await grace.slash(sim.channel, command)) == en("no.WATCHING_PRACTICE")
    answer = await ada.slash(sim.channel, command)
    if command == "tiles match abort":
        assert "ust agree" not in read_private_text(answer)
        await ada.click(get_private_answer(answer), label="End the match")
    assert (await sim.load_head()).state == "void"


async def test_user_cannot_occupy_every_channel(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    places = [sim.guild.create_text_channel(f"hall-{number}") for number in range(scale_count(3))]
    for place in places:
        for _ in range(2):
            await ada.slash(place, "tiles new", computers=1)
        assert read_private_text(await grace.slash(place, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
        assert await list_seated_users(sim, place) == [grace.id]


async def test_channel_of_inactive_players_becomes_free(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace, clock="1d")
    answer = await linus.slash(sim.channel, "tiles new", seats=2)
    assert en("lobby.in_thread") in read_button_ids(get_private_answer(answer))
    for _ in range(5):
        await sim.wait(hours=HOURS + 1)
    assert has_sentence(read_private_text(await linus.slash(sim.channel, "tiles match abort")), "no.WATCHING_SILENT")
    assert read_private_text(await linus.slash(sim.channel, "tiles new", seats=2)).startswith(
        en("lobby.opened", link="")
    )
    assert await list_seated_users(sim) == [linus.id]


async def test_table_in_busy_channel_opens_thread_with_one_click(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    options = {"game": "quad-ominos", "seats": 3, "clock": "live 7m", "absent": "end", "by_hand": True}
    answer = get_private_answer(await linus.slash(sim.channel, "tiles new", **options))
    before = (await sim.load_head()).match_id
    press = read_button_ids(answer)["Open in thread"]
    copied_message = await sim.post(press)
    assert read_private_text(await grace.click(copied_message, label="Button 0")) == en("no.OFFER_GONE")
    assert sim.channel.threads == []
    await linus.click(answer, label="Open in thread")
    (thread,) = sim.channel.threads
    terms = await sim.load_terms(thread)
    assert {key: terms[key] for key in options} == options
    assert await list_seated_users(sim, thread) == [linus.id]
    assert (await sim.load_head()).match_id == before


async def test_offer_from_before_restart_explains_how_to_retry(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    answer = get_private_answer(await linus.slash(sim.channel, "tiles new", seats=2))
    await sim.restart()
    assert "`/tiles new thread:True`" in read_private_text(await linus.click(answer, label=en("lobby.in_thread")))
    assert sim.channel.threads == []


async def test_match_between_players_keeps_its_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace, clock="1d")
    match = (await sim.load_head()).match_id
    for _ in range(2):
        await linus.slash(sim.channel, "tiles new", computers=1)
        assert (await sim.load_head()).match_id == match
        await sim.wait(hours=HOURS + 1)
    assert (await sim.load_head()).state == "open"
    assert (await sim.load_head()).due is not None
    assert (await sim.load_table()).clock.acted_at <= sim.clock() - DAY
