"""Pauses by agreement, and unreadable tables in the scheduler."""

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from simcord import ChannelHandle, MemberActor

from bot.sending import scheduler
from bot.tables.lobbies import TableRequest
from data.words import list_languages, load_words
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says


async def test_players_pause_match_and_either_resumes_it(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace, clock="days 1d")
    player = sim.to_move()
    asked = await ada.slash(sim.channel, "tiles match pause")
    assert says(told(asked), "agree.asked")
    assert says(words_of(sim.board()), "agree.pause", name="Ada")
    agreed = await grace.click(sim.board(), label="Agree")
    assert says(told(agreed), "agree.done_pause")
    assert "Paused by agreement" in words_of(sim.board())
    assert "Time to move" not in words_of(sim.board())
    assert says(sim.calls()[-1].content, "agree.agreed_pause")

    said = len(sim.public())
    await sim.wait(hours=24 * 9)
    assert len(sim.public()) == said
    late = private(await sim.play_by_typing(player))
    assert says(words_of(late), "no.PAUSED_TOGETHER")
    assert "Resume" in button_ids(late)
    hand = await sim.hand(player)
    assert says(words_of(hand), "hand.paused_together")
    assert "Resume" in button_ids(hand)

    watching = await linus.click(sim.board(), label="Resume")
    assert "watching" in told(watching)
    assert "Paused by agreement" in words_of(sim.board())

    went_on = await grace.click(sim.board(), label="Resume")
    assert told(went_on) == en("agree.goes_on")
    assert "Paused by agreement" not in words_of(sim.board())
    assert says("\n".join(words_of(message) for message in sim.public()), "notice.goes_on", name="Grace")
    assert [user.id for user in sim.calls()[-1].mentions] == [player.id]
    await sim.play_by_typing(player)
    again = await ada.slash(sim.channel, "tiles match resume")
    assert told(again) == en("no.NOT_PAUSED")


async def test_pause_ends_automatically_after_thirty_days(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="days 1d")
    await ada.slash(sim.channel, "tiles match pause")
    await grace.click(sim.board(), label="Agree")
    await sim.wait(hours=24 * 30 - 1)
    assert (await sim.now()).state.paused_until is not None
    await sim.wait(hours=1)
    assert (await sim.now()).state.paused_until is None
    assert says("\n".join(words_of(message) for message in sim.public()), "notice.goes_on_by_itself")
    assert len(sim.calls()) >= 1


async def test_pause_survives_restart(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    await ada.slash(sim.channel, "tiles match pause")
    await grace.click(sim.board(), label="Agree")
    await sim.restart()
    assert (await sim.now()).state.paused_until is not None
    assert told(await ada.slash(sim.channel, "tiles match resume")) == en("agree.goes_on")


async def test_pause_against_computers_is_refused(sim: SimGuild, ada: MemberActor) -> None:
    await sim.table(ada, computers=1)
    refused = await ada.slash(sim.channel, "tiles match pause")
    assert says(told(refused), "no.PAUSE_ALONE")


@pytest.mark.parametrize("language", list_languages())
def test_every_pause_text_names_resume_button(language: str) -> None:
    said = load_words(language)
    button = said("agree.resume")
    facts = {"name": "Ada", "until": "1 May"}
    for key in (
        "agree.pause",
        "agree.done_pause",
        "agree.agreed_pause",
        "clock.paused_together",
        "hand.paused_together",
    ):
        assert f"**{button}**" in said(key, **facts), key
    for key in ("no.PAUSED_TOGETHER", "notice.pause"):
        assert f"**{button}**" in said(key, **facts), key


@pytest.fixture(autouse=True)
def nothing_broke() -> Iterator[list[tuple[str, Any]]]:
    broken: list[tuple[str, Any]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line: Any = record.msg
            broken.append((line["event"], line["match"]))

    listener = Listener(logging.ERROR)
    logging.getLogger("bot").addHandler(listener)
    yield broken
    logging.getLogger("bot").removeHandler(listener)


async def damage_logs(sim: SimGuild, *channels: ChannelHandle) -> list[int]:
    found = [(await sim.head(channel)).match_id for channel in channels]
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection, connection:
        for match_id in found:
            connection.execute("UPDATE events SET body = '{' WHERE kind = 'dealt' AND match_id = ?", (match_id,))
    await sim.restart()
    return found


@pytest.fixture
async def rooms(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> list[ChannelHandle]:
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 2)
    rooms = [sim.guild.create_text_channel(f"room-{number}") for number in range(3)]
    for room in rooms:
        await sim.table(ada, grace, channel=room, clock="live 5m")
    return rooms


async def test_unreadable_tables_stop_no_other_clock(sim: SimGuild, rooms: list[ChannelHandle]) -> None:
    before = await sim.head(rooms[2])
    await damage_logs(sim, *rooms[:2])
    await sim.wait(hours=1)
    after = await sim.head(rooms[2])
    assert after.due != before.due
    assert after.seq > before.seq


async def test_unreadable_table_is_logged_once(
    sim: SimGuild, rooms: list[ChannelHandle], nothing_broke: list[tuple[str, Any]]
) -> None:
    broken = await damage_logs(sim, *rooms[:2])
    await sim.wait(hours=1)
    await sim.wait(seconds=60)
    told = Counter(match_id for event, match_id in nothing_broke if event.startswith("a match is set aside: "))
    assert told == dict.fromkeys(broken, 1)


async def test_computer_finishes_its_move_at_shutdown(
    sim: SimGuild, ada: MemberActor, nothing_broke: list[tuple[str, Any]]
) -> None:
    use_cases = sim.client.services
    asked = TableRequest(
        guild_id=sim.guild.id,
        channel_id=sim.channel.id,
        host_id=ada.id,
        game="triominoes",
        seats=6,
        computers=("greedy",) * 5,
    )
    opened = (await use_cases.acts.open(asked, request=1)).head
    use_cases.scheduler.wake(opened.match_id)
    await sim.client.drain()
    head = await sim.head()
    assert head.shown_seq == head.seq > opened.seq
    assert head.turn.user is None, "of five computers in a row the next one waits"
    use_cases.scheduler.wake(head.match_id)
    await asyncio.sleep(0.1)
    assert await sim.head() == head
    await sim.store.close()
    assert nothing_broke == []
