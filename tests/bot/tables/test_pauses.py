"""Pauses by agreement, and unreadable tables in the scheduler."""

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from simcord import ChannelHandle

from bot.sending import scheduler
from bot.tables.lobbies import TableRequest
from data.words import list_languages, load_words
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence


async def test_players_pause_match_and_either_resumes_it(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, clock="days 1d")
    player = sim.get_called_player()
    answer = await ada.use_command("tiles match pause")
    assert has_sentence(read_private_text(answer), "agree.asked")
    assert has_sentence(sim.read_board(), "agree.pause", name="Ada")
    agree_answer = await grace.click(sim.get_board(), label="Agree")
    assert has_sentence(read_private_text(agree_answer), "agree.done_pause")
    assert "Paused by agreement" in sim.read_board()
    assert "Time to move" not in sim.read_board()
    assert has_sentence(sim.list_calls()[-1].content, "agree.agreed_pause")

    message_count = len(sim.list_public_messages())
    await sim.wait(hours=24 * 9)
    assert len(sim.list_public_messages()) == message_count
    refusal = get_private_answer(await sim.play_by_typing(player))
    assert has_sentence(read_text(refusal), "no.PAUSED_TOGETHER")
    assert "Resume" in read_button_ids(refusal)
    hand = await sim.open_hand(player)
    assert has_sentence(read_text(hand), "hand.paused_together")
    assert "Resume" in read_button_ids(hand)

    watcher_answer = await linus.click(sim.get_board(), label="Resume")
    assert "watching" in read_private_text(watcher_answer)
    assert "Paused by agreement" in sim.read_board()

    resume_answer = await grace.click(sim.get_board(), label="Resume")
    assert read_private_text(resume_answer) == en("agree.goes_on")
    assert "Paused by agreement" not in sim.read_board()
    assert has_sentence("\n".join(sim.list_public_texts()), "notice.goes_on", name="Grace")
    assert [user.id for user in sim.list_calls()[-1].mentions] == [player.id]
    await sim.play_by_typing(player)
    second_answer = await ada.use_command("tiles match resume")
    assert read_private_text(second_answer) == en("no.NOT_PAUSED")


async def test_pause_ends_automatically_after_thirty_days(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="days 1d")
    await ada.use_command("tiles match pause")
    await grace.click(sim.get_board(), label="Agree")
    await sim.wait(hours=24 * 30 - 1)
    assert (await sim.load_table()).state.paused_until is not None
    await sim.wait(hours=1)
    assert (await sim.load_table()).state.paused_until is None
    assert has_sentence("\n".join(sim.list_public_texts()), "notice.goes_on_by_itself")
    assert len(sim.list_calls()) >= 1


async def test_pause_survives_restart(room: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles match pause")
    await grace.click(room.get_board(), label="Agree")
    await room.restart()
    assert (await room.load_table()).state.paused_until is not None
    assert await ada.read_command("tiles match resume") == en("agree.goes_on")


async def test_pause_against_computers_is_refused(sim: SimGuild, ada: Member) -> None:
    await sim.start_table(ada, computers=1)
    refused = await ada.use_command("tiles match pause")
    assert has_sentence(read_private_text(refused), "no.PAUSE_ALONE")


@pytest.mark.parametrize("language", list_languages())
def test_every_pause_text_names_resume_button(language: str) -> None:
    words = load_words(language)
    button = words("agree.resume")
    facts = {"name": "Ada", "until": "1 May"}
    for key in (
        "agree.pause",
        "agree.done_pause",
        "agree.agreed_pause",
        "clock.paused_together",
        "hand.paused_together",
    ):
        assert f"**{button}**" in words(key, **facts), key
    for key in ("no.PAUSED_TOGETHER", "notice.pause"):
        assert f"**{button}**" in words(key, **facts), key


@pytest.fixture(autouse=True)
def logged_errors() -> Iterator[list[tuple[str, Any]]]:
    errors: list[tuple[str, Any]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line: Any = record.msg
            errors.append((line["event"], line["match"]))

    listener = Listener(logging.ERROR)
    logging.getLogger("bot").addHandler(listener)
    yield errors
    logging.getLogger("bot").removeHandler(listener)


async def damage_logs(sim: SimGuild, *channels: ChannelHandle) -> list[int]:
    found = [(await sim.load_head(channel)).match_id for channel in channels]
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        for match_id in found:
            connection.execute("UPDATE events SET body = '{' WHERE kind = 'dealt' AND match_id = ?", (match_id,))
    await sim.restart()
    return found


@pytest.fixture
async def rooms(sim: SimGuild, ada: Member, grace: Member, monkeypatch: pytest.MonkeyPatch) -> list[ChannelHandle]:
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 2)
    rooms = [sim.guild.create_text_channel(f"room-{number}") for number in range(3)]
    for room in rooms:
        await sim.start_table(ada, grace, channel=room, clock="live 5m")
    return rooms


async def test_unreadable_tables_stop_no_other_clock(sim: SimGuild, rooms: list[ChannelHandle]) -> None:
    before = await sim.load_head(rooms[2])
    await damage_logs(sim, *rooms[:2])
    await sim.wait(hours=1)
    after = await sim.load_head(rooms[2])
    assert after.due != before.due
    assert after.seq > before.seq


async def test_unreadable_table_is_logged_once(
    sim: SimGuild, rooms: list[ChannelHandle], logged_errors: list[tuple[str, Any]]
) -> None:
    broken = await damage_logs(sim, *rooms[:2])
    await sim.wait(hours=1)
    await sim.wait(seconds=60)
    log_counts = Counter(
        match_id for event, match_id in logged_errors if event.startswith("a match is in quarantine: ")
    )
    assert log_counts == dict.fromkeys(broken, 1)


async def test_computer_finishes_its_move_at_shutdown(
    sim: SimGuild, ada: Member, logged_errors: list[tuple[str, Any]]
) -> None:
    use_cases = sim.client.services
    request = TableRequest(
        guild_id=sim.guild.id,
        channel_id=sim.channel.id,
        host_id=ada.id,
        game="triominoes",
        seats=6,
        computers=("greedy",) * 5,
    )
    opened = (await use_cases.acts.open(request, request=1)).head
    use_cases.scheduler.wake(opened.match_id)
    await sim.client.drain()
    head = await sim.load_head()
    assert head.shown_seq == head.seq > opened.seq
    assert head.turn.user is None, "of five computers in a row the next one waits"
    use_cases.scheduler.wake(head.match_id)
    await asyncio.sleep(0.1)
    assert await sim.load_head() == head
    await sim.store.close()
    assert logged_errors == []
