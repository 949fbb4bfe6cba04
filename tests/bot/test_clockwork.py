"""The clocks of all tables go on, whatever is wrong with some; and they stop when the bot does."""

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from simcord import ChannelHandle, MemberActor

from bot.posting import scheduler as scheduler
from bot.service.invitations import Invitation
from tests.bot.house import House


@pytest.fixture(autouse=True)
def nothing_broke() -> Iterator[list[tuple[str, Any]]]:
    """What the bot logs as errors here, with its table: these tests break something."""
    broken: list[tuple[str, Any]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line: Any = record.msg
            broken.append((line["event"], line["match"]))

    listener = Listener(logging.ERROR)
    logging.getLogger("bot").addHandler(listener)
    yield broken
    logging.getLogger("bot").removeHandler(listener)


async def unreadable(house: House, *channels: ChannelHandle) -> list[int]:
    """The logs of the tables in these channels cannot be read any more; answers with their numbers."""
    found = [(await house.head(channel)).match_id for channel in channels]
    with closing(sqlite3.connect(house.url.removeprefix("sqlite:///"))) as connection, connection:
        for match_id in found:
            connection.execute("UPDATE events SET body = '{' WHERE kind = 'dealt' AND match_id = ?", (match_id,))
    await house.restart()
    return found


@pytest.fixture
async def rooms(
    house: House, ada: MemberActor, grace: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> list[ChannelHandle]:
    """Three channels with a table each, of which the bot reads two at once."""
    monkeypatch.setattr(scheduler, "BATCH", 2)
    rooms = [house.guild.create_text_channel(f"room-{number}") for number in range(3)]
    for room in rooms:
        await house.table(ada, grace, channel=room, clock="live 5m")
    return rooms


async def test_unreadable_tables_stop_no_other_clock(house: House, rooms: list[ChannelHandle]) -> None:
    before = await house.head(rooms[2])
    await unreadable(house, *rooms[:2])
    await house.wait(hours=1)
    after = await house.head(rooms[2])
    assert after.due != before.due
    assert after.seq > before.seq


async def test_unreadable_table_is_logged_once(
    house: House, rooms: list[ChannelHandle], nothing_broke: list[tuple[str, Any]]
) -> None:
    broken = await unreadable(house, *rooms[:2])
    await house.wait(hours=1)
    await house.wait(seconds=60)
    told = Counter(match_id for event, match_id in nothing_broke if event.startswith("a match is set aside: "))
    assert told == dict.fromkeys(broken, 1)


async def test_computer_finishes_its_move_at_shutdown(
    house: House, ada: MemberActor, nothing_broke: list[tuple[str, Any]]
) -> None:
    desk = house.client.services
    asked = Invitation(
        guild_id=house.guild.id,
        channel_id=house.channel.id,
        host_id=ada.id,
        game="triominoes",
        seats=6,
        computers=("greedy",) * 5,
    )
    opened = (await desk.acts.open(asked, request=1)).head
    desk.scheduler.soon(opened.match_id)
    await house.client.drain()
    head = await house.head()
    assert head.shown_seq == head.seq > opened.seq
    assert head.turn.user is None, "of five computers in a row the next one waits"
    desk.scheduler.soon(head.match_id)
    await asyncio.sleep(0.1)
    assert await house.head() == head
    await house.store.close()
    assert nothing_broke == []
