"""Agreements as a use case: races, repeated deliveries, and what is kept of a question."""

import asyncio

import pytest

from bot.service.tables import Table
from data.store import Store
from engine.events import Undone
from engine.table.commands import Answer, Ask
from engine.table.events import Closed
from engine.table.questions import LASTS
from engine.table.refusals import No, Refused
from engine.table.state import Question
from tests.bot.desk import ADA, GRACE, LINUS, refusal
from tests.bot.waiting_room import WaitingRoom

MARY = 4


def asked_of(table: Table) -> Question:
    assert table.question is not None
    return table.question


@pytest.fixture
async def table(room: WaitingRoom) -> Table:
    """Three people who have had a turn each."""
    table = await room.started(GRACE, LINUS)
    for _ in range(3):
        table = await room.move(table.head.match_id)
    return table


async def test_two_who_agree_at_the_same_moment_are_both_heard(room: WaitingRoom, table: Table) -> None:
    match_id = table.head.match_id
    asked = await room.act(match_id, Ask(ADA, "abort"))
    assert asked_of(asked).waiting == (1, 2)
    number = asked_of(asked).number

    both = await asyncio.gather(*(room.acts.act(match_id, Answer(user, number, yes=True)) for user in (GRACE, LINUS)))

    assert sorted(any(isinstance(event, Closed) for event in one.events) for one in both) == [False, True]
    assert (await room.tables.load(match_id)).head.state == "void"


async def test_a_move_and_the_last_yes_at_the_same_moment_never_both_happen(room: WaitingRoom, table: Table) -> None:
    match_id = table.head.match_id
    while not table.match.behind:
        table = await room.move(table.head.match_id)
    asker = table.seats[table.match.behind[0].seat].user_id
    others = [user for user in (ADA, GRACE, LINUS) if user != asker]
    asked = await room.act(match_id, Ask(asker, "undo"))
    number = asked_of(asked).number
    await room.acts.act(match_id, Answer(others[0], number, yes=True))
    before = await room.tables.load(match_id)

    moved, agreed = await asyncio.gather(
        room.move(match_id),
        room.acts.act(match_id, Answer(others[1], number, yes=True)),
        return_exceptions=True,
    )

    log = [event for event in await room.store.events(match_id) if isinstance(event, Undone)]
    after = await room.tables.load(match_id)
    if isinstance(agreed, Refused):
        assert agreed.why in (No.PROPOSAL_OVER, No.STALE)
        assert log == []
        assert len(after.match.board.placed) > len(before.match.board.placed)
    else:
        assert isinstance(moved, Exception)
        assert len(log) == 1
        assert len(after.match.board.placed) < len(before.match.board.placed)


async def test_the_same_press_delivered_twice_counts_once(room: WaitingRoom, table: Table) -> None:
    match_id, request = table.head.match_id, room.request()
    first = await room.act(match_id, Ask(ADA, "abort"), request=request)
    again = await room.act(match_id, Ask(ADA, "abort"), request=request)
    assert asked_of(again) == asked_of(first)
    assert again.head.seq == first.head.seq
    yes = room.request()
    for _ in range(2):
        said = await room.acts.act(match_id, Answer(GRACE, asked_of(first).number, yes=True), request=yes)
        assert asked_of(said.table).waiting == (2,)
    assert said.table.head.seq == first.head.seq + 1


async def test_an_expired_question_is_nobodys_to_answer(room: WaitingRoom, table: Table) -> None:
    asked = await room.act(table.head.match_id, Ask(ADA, "abort"))
    room.time += LASTS
    assert (
        await refusal(room.acts.act(table.head.match_id, Answer(GRACE, asked_of(asked).number, yes=True)))
        is No.PROPOSAL_OVER
    )


async def test_a_question_keeps_the_clock_and_leaves_hands_good(room: WaitingRoom, table: Table) -> None:
    asked = await room.act(table.head.match_id, Ask(ADA, "abort"))
    assert asked.state.still(table.head.seq)
    assert asked.clock.time == table.clock.time
    assert asked.head.due == table.head.due
    assert asked.question == asked_of(asked)


async def test_a_person_who_is_forgotten_takes_no_seat(room: WaitingRoom, store: Store, table: Table) -> None:
    asked = await room.act(table.head.match_id, Ask(ADA, "substitute", MARY, GRACE))
    await store.forget(MARY, left=(), now=room.time)
    assert (
        await refusal(room.acts.act(table.head.match_id, Answer(GRACE, asked_of(asked).number, yes=True)))
        is No.PROPOSAL_OVER
    )
