"""What is decided is what is written, with what all it concerns have set; and one bad log stops no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.service.acts import Acts
from bot.service.tables import Tables
from data.store import Loaded, LogDamaged, Outage, Store
from data.store.shards import PULSE, Shard
from engine.events import Started
from engine.table.commands import Answer, Ask, Rule
from engine.table.pace import DAY, HOUR
from engine.table.preferences import Preferences, Quiet
from tests.bot.desk import ADA, CHANNEL, GRACE, LINUS
from tests.bot.house import secret
from tests.bot.waiting_room import START, WaitingRoom, playing

MARY, NEMO = 8, 9


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    """The use cases, at noon."""
    return WaitingRoom(store, START)


async def test_a_log_comes_to_the_clock_that_was_decided_on_however_long_the_writing_took(
    store: Store, room: WaitingRoom
) -> None:
    def passing() -> int:
        room.time += 1
        return room.time

    room.acts = Acts(store, room.tables, passing, lambda: secret(1), presses=False)
    table = await playing(room, GRACE)
    await room.acts.act(table.head.match_id, Rule("pause", MARY, ""))
    await room.acts.act(table.head.match_id, Rule("resume", MARY, ""))
    table = await room.move(table.head.match_id)
    assert (await Tables(store).load(table.head.match_id)).state == table.state


async def test_whoever_takes_a_seat_has_their_own_settings_whoever_says_the_last_yes(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, LINUS)
    match_id, owner = table.head.match_id, table.turn_user()
    assert owner is not None
    asker = next(user for user in (ADA, GRACE, LINUS) if user != owner)
    await room.people.leave(NEMO, 5)
    asked = (await room.act(match_id, Ask(asker, "substitute", NEMO, owner))).question
    assert asked is not None
    await room.act(match_id, Answer(NEMO, asked.number, yes=True))
    table = await room.act(match_id, Answer(owner, asked.number, yes=True))
    assert table.turn_user() == NEMO
    assert table.clock.time.since == START + 5 * DAY, "nobody's time runs while they are away"


@pytest.mark.parametrize("wrong", ["a hole", "a row of another version", "a zone that is no more"])
async def test_a_table_that_cannot_be_read_folded_or_decided_on_stops_nobody_elses_clock(
    store: Store, room: WaitingRoom, monkeypatch: pytest.MonkeyPatch, nothing_broke: list[str], wrong: str
) -> None:
    table, other = await playing(room, GRACE), await playing(room, LINUS, channel_id=CHANNEL + 1)
    broken, mover, load = table.head.match_id, table.turn_user(), store.load
    assert mover is not None
    while other.turn_user() == mover:
        other = await room.move(other.head.match_id)
    whole = other.head.match_id

    async def damaged(match_id: int) -> Loaded | None:
        loaded = await load(match_id)
        if loaded is None or match_id != broken or wrong == "a zone that is no more":
            return loaded
        if wrong == "a row of another version":
            raise LogDamaged(match_id, 3, "its kind 'dealt' is unknown")
        return replace(loaded, log=tuple(entry for entry in loaded.log if not isinstance(entry.event, Started)))

    monkeypatch.setattr(store, "load", damaged)
    await store.pulse(PULSE, now=START)
    assert await store.note_outage(Shard(), Outage(start=START, end=START + HOUR), pulse=START)
    if wrong == "a zone that is no more":
        before = await store.person(mover)
        await store.prefer(
            before, Preferences(quiet=Quiet(0, 23 * 60), zone="Atlantis/Port"), [], pings=None, now=START
        )
    room.time += HOUR
    again = WaitingRoom(store, room.time)
    assert await again.repayment.finish() == [whole]
    assert await again.repayment.finish() == []
    (line,) = nothing_broke
    assert "'match': 1" in line
    nothing_broke.clear()
