"""What is decided is what is written, with what all it concerns have set; and one bad log stops no other."""

from __future__ import annotations

import pytest

from data.store import Store
from engine.table.commands import Answer, Ask
from engine.table.pace import DAY
from tests.bot.desk import ADA, GRACE, LINUS
from tests.bot.test_absence import START, playing
from tests.bot.waiting_room import WaitingRoom

NEMO = 9


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    """The use cases, at noon."""
    return WaitingRoom(store, START)


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
