"""Users try to block channels with tables that have no other players."""

import pytest

from bot.core.permissions import REQUIRED_TO_OPEN_THREADS
from engine.table.terms import DAY
from tests.bot.core.channels import create_restricted_channel
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.depth import scale_count
from tests.wording import en, has_sentence

HOURS = 24


async def list_seated_users(sim: SimGuild, channel: object = None) -> list[int | None]:
    return [row.user_id for row in (await sim.load_table(channel)).seats]  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("who", ["somebody else", "the same person"])
async def test_computer_match_moves_to_thread_on_request(
    sim: SimGuild, ada: Member, grace: Member, who: str, moves: int
) -> None:
    await ada.use_command("tiles new", computers=1)
    for _ in range(moves):
        await sim.play_by_typing(ada)
    before = await sim.load_stored_match()
    asker = grace if who == "somebody else" else ada
    answer = await asker.use_command("tiles new", seats=2)
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
    sim: SimGuild, ada: Member, grace: Member
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


async def test_idle_computer_match_ends_after_one_day(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", computers=1)
    assert has_sentence(read_text(sim.get_board()), "clock.practice")
    await sim.wait(hours=HOURS + 1)
    assert (await sim.load_head()).state == "void"
    assert has_sentence(read_text(sim.get_board()), "lobby.closed_practice_over")
    await grace.use_command("tiles new", seats=2)
    assert await list_seated_users(sim) == [grace.id]


@pytest.mark.parametrize("command", ["tiles match abort", "tiles leave"])
async def test_player_ends_computer_match_and_spectator_sees_options(
    sim: SimGuild, ada: Member, grace: Member, command: str
) -> None:
    await ada.use_command("tiles new", computers=1)
    for _ in range(2):
        await sim.play_by_typing(ada)
    assert await grace.read_command(command) == en("no.WATCHING_PRACTICE")
    answer = await ada.use_command(command)
    if command == "tiles match abort":
        assert "ust agree" not in read_private_text(answer)
        await ada.click(get_private_answer(answer), label="End the match")
    assert (await sim.load_head()).state == "void"


async def test_user_cannot_occupy_every_channel(sim: SimGuild, ada: Member, grace: Member) -> None:
    places = [sim.guild.create_text_channel(f"hall-{number}") for number in range(scale_count(3))]
    for place in places:
        for _ in range(2):
            await ada.slash(place, "tiles new", computers=1)
        assert read_private_text(await grace.slash(place, "tiles new", seats=2)).startswith(en("lobby.opened", link=""))
        assert await list_seated_users(sim, place) == [grace.id]


async def test_channel_of_inactive_players_becomes_free(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, clock="1d")
    answer = await linus.use_command("tiles new", seats=2)
    assert en("lobby.in_thread") in read_button_ids(get_private_answer(answer))
    for _ in range(5):
        await sim.wait(hours=HOURS + 1)
    assert has_sentence(await linus.read_command("tiles match abort"), "no.WATCHING_SILENT")
    assert (await linus.read_command("tiles new", seats=2)).startswith(en("lobby.opened", link=""))
    assert await list_seated_users(sim) == [linus.id]


async def test_table_in_busy_channel_opens_thread_with_one_click(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace)
    options = {"game": "quad-ominos", "seats": 3, "clock": "live 7m", "absent": "end", "by_hand": True}
    answer = await linus.open_command("tiles new", **options)
    before = (await sim.load_head()).match_id
    press = read_button_ids(answer)["Open in thread"]
    copied_message = await sim.post(press)
    assert await grace.read_click(copied_message, "Button 0") == en("no.OFFER_GONE")
    assert sim.channel.threads == []
    await linus.click(answer, label="Open in thread")
    (thread,) = sim.channel.threads
    terms = await sim.load_terms(thread)
    assert {key: terms[key] for key in options} == options
    assert await list_seated_users(sim, thread) == [linus.id]
    assert (await sim.load_head()).match_id == before


async def test_offer_from_before_restart_explains_how_to_retry(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace)
    answer = await linus.open_command("tiles new", seats=2)
    await sim.restart()
    assert "`/tiles new thread:True`" in await linus.read_click(answer, en("lobby.in_thread"))
    assert sim.channel.threads == []


async def test_match_between_players_keeps_its_channel(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, clock="1d")
    match = (await sim.load_head()).match_id
    for _ in range(2):
        await linus.use_command("tiles new", computers=1)
        assert (await sim.load_head()).match_id == match
        await sim.wait(hours=HOURS + 1)
    assert (await sim.load_head()).state == "open"
    assert (await sim.load_head()).due is not None
    assert (await sim.load_table()).clock.acted_at <= sim.clock() - DAY
