"""The private message in which a player waits for the next turn."""

from __future__ import annotations

from bot.service.tables import Table
from bot.views.hand import turn_over_view
from bot.views.names import Names
from data.store import Store
from data.words import words
from engine.seen import see
from tests.bot.desk import ADA
from tests.bot.waiting_room import WaitingRoom

NAMES = Names(("Ada", "Computer"), ("Ada", "Computer"))
UNTIL = 9_000_000


async def _nobody(_match_id: int) -> None:
    """Ignore what the computers do."""


def waiting(table: Table) -> object:
    """Return the message in which Ada waits, as it is sent to Discord."""
    seat = table.seat_of(ADA)
    assert seat is not None
    view = turn_over_view(table, see(table.match, seat), NAMES, words("en"), note="", quick=False, until=UNTIL)
    return view.to_components()  # type: ignore[no-untyped-call]


async def test_waiting_hand_rendered_before_and_after_computers_move_is_equal(store: Store) -> None:
    room = WaitingRoom(store)
    number = (await room.open(seats=2, computers=1)).head.match_id
    await room.computers.play(number, _nobody)
    before = await room.place(number)
    after = await room.computers.play(number, _nobody)
    assert before.match.turn != after.match.turn
    assert waiting(before) == waiting(after)
