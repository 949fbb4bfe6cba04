"""Agreements as a use case: races, repeated deliveries, and what is kept of a question."""

from __future__ import annotations

import asyncio

import pytest

from bot.service.tables import Table
from data.store import Store
from engine.actions import Action, Play
from engine.events import Undone
from engine.match import Match
from engine.seen import see
from engine.table.commands import Act, Answer, Ask
from engine.table.events import Closed
from engine.table.questions import LASTS
from engine.table.refusals import No, Refused
from engine.table.state import Question
from tests.bot.desk import ADA, GRACE, LINUS, Desk

MARY = 4


def best(match: Match, seat: int) -> Action:
    """The best placement there is now."""
    lies = see(match, seat).moves[0].placement
    return Play(seat, lies.tile, lies.cell, lies.rotation)


async def move(desk: Desk, table: Table) -> Table:
    """Whoever is to move places their best tile."""
    user = table.turn_user()
    assert user is not None
    acted = await desk.acts.act(
        table.head.match_id, Act(user, lambda seat: best(table.match, seat)), request=desk.request()
    )
    return await desk.stands(acted.table)


def asked_of(table: Table) -> Question:
    """The question that is open at a table."""
    assert table.question is not None
    return table.question


@pytest.fixture
async def table(desk: Desk) -> Table:
    """Three people who have had a turn each."""
    table = await desk.started(GRACE, LINUS)
    for _ in range(3):
        table = await move(desk, table)
    return table


async def test_two_who_agree_at_the_same_moment_are_both_heard(desk: Desk, table: Table) -> None:
    match_id = table.head.match_id
    asked = await desk.act(match_id, Ask(ADA, "abort"), request=desk.request())
    assert asked_of(asked).waiting == (1, 2)
    number = asked_of(asked).number

    both = await asyncio.gather(
        *(desk.acts.act(match_id, Answer(user, number, yes=True), request=desk.request()) for user in (GRACE, LINUS))
    )

    assert sorted(any(isinstance(event, Closed) for event in one.events) for one in both) == [False, True]
    assert (await desk.tables.load(match_id)).head.state == "void"


async def test_a_move_and_the_last_yes_at_the_same_moment_never_both_happen(desk: Desk, table: Table) -> None:
    match_id = table.head.match_id
    while not table.match.behind:
        table = await move(desk, table)
    asker = table.seats[table.match.behind[0].seat].user_id
    assert asker is not None
    others = [user for user in (ADA, GRACE, LINUS) if user != asker]
    asked = await desk.act(match_id, Ask(asker, "undo"), request=desk.request())
    number = asked_of(asked).number
    await desk.acts.act(match_id, Answer(others[0], number, yes=True), request=desk.request())
    before = await desk.tables.load(match_id)

    moved, agreed = await asyncio.gather(
        move(desk, before),
        desk.acts.act(match_id, Answer(others[1], number, yes=True), request=desk.request()),
        return_exceptions=True,
    )

    log = [event for event in await desk.store.events(match_id) if isinstance(event, Undone)]
    after = await desk.tables.load(match_id)
    if isinstance(agreed, Refused):
        assert agreed.why in (No.PROPOSAL_OVER, No.STALE)
        assert log == []
        assert len(after.match.board.placed) > len(before.match.board.placed)
    else:
        assert isinstance(moved, Exception)
        assert len(log) == 1
        assert len(after.match.board.placed) < len(before.match.board.placed)


async def test_the_same_press_delivered_twice_counts_once(desk: Desk, table: Table) -> None:
    match_id, request = table.head.match_id, desk.request()
    first = await desk.act(match_id, Ask(ADA, "abort"), request=request)
    again = await desk.act(match_id, Ask(ADA, "abort"), request=request)
    assert asked_of(again) == asked_of(first)
    assert again.head.seq == first.head.seq
    yes = desk.request()
    for _ in range(2):
        said = await desk.acts.act(match_id, Answer(GRACE, asked_of(first).number, yes=True), request=yes)
        assert asked_of(said.table).waiting == (2,)
    assert said.table.head.seq == first.head.seq + 1


async def test_an_expired_question_is_nobodys_to_answer(desk: Desk, table: Table) -> None:
    asked = await desk.act(table.head.match_id, Ask(ADA, "abort"), request=desk.request())
    desk.time += LASTS
    with pytest.raises(Refused) as refused:
        await desk.acts.act(
            table.head.match_id, Answer(GRACE, asked_of(asked).number, yes=True), request=desk.request()
        )
    assert refused.value.why is No.PROPOSAL_OVER


async def test_a_question_keeps_the_clock_and_leaves_hands_good(desk: Desk, table: Table) -> None:
    asked = await desk.act(table.head.match_id, Ask(ADA, "abort"), request=desk.request())
    assert asked.state.still(table.head.seq)
    assert asked.clock.time == table.clock.time
    assert asked.head.due == table.head.due
    assert asked.question == asked_of(asked)


async def test_a_person_who_is_forgotten_takes_no_seat(desk: Desk, store: Store, table: Table) -> None:
    asked = await desk.act(table.head.match_id, Ask(ADA, "substitute", MARY, GRACE), request=desk.request())
    await store.forget(MARY, left=(), now=desk.time)
    with pytest.raises(Refused) as refused:
        await desk.acts.act(
            table.head.match_id, Answer(GRACE, asked_of(asked).number, yes=True), request=desk.request()
        )
    assert refused.value.why is No.PROPOSAL_OVER
