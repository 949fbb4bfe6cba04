"""An attacker hands over a seat so that another account gets the result."""

import pytest

from bot.tables.service import Table
from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.match.actions import Resign
from engine.table.commands import AnswerQuestion, AskPlayers, Join, TakeAction
from tests.abuse.simulated_players import GAME, START, Course, Population, advantage
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scaled

pytestmark = pytest.mark.deep

THROWAWAY = 999


async def handed_over(timed_table: TimedTable, match_id: int, owner: int, to: int) -> Table:
    table = await timed_table.act(match_id, AskPlayers(owner, "substitute", to), request=timed_table.request())
    question = table.question
    return await timed_table.act(match_id, AnswerQuestion(to, question.number, yes=True), request=timed_table.request())


async def opened(timed_table: TimedTable) -> int:
    table = await timed_table.open(seats=2)
    return (await timed_table.act(table.head.match_id, Join(GRACE), request=timed_table.request())).head.match_id


async def test_result_belongs_to_first_player_of_seat(store: Store) -> None:
    timed_table = TimedTable(store, START)
    match_id = await opened(timed_table)
    for _ in range(10):
        await timed_table.move(match_id)
    await handed_over(timed_table, match_id, GRACE, THROWAWAY)
    table = await timed_table.act(match_id, TakeAction(THROWAWAY, Resign), request=timed_table.request())
    assert table.head.state == "done"
    results = {line.user_id: line for line in await store.results.list_results(match_id)}
    assert results.keys() == {ADA, GRACE}
    assert (results[GRACE].place, results[GRACE].finished, results[GRACE].rated) == (2, False, True)
    assert await store.results.find_profile(THROWAWAY, EVERYWHERE, GAME) is None


async def test_winning_seat_taken_over_gains_no_rating(store: Store) -> None:
    timed_table = TimedTable(store, START)
    match_id = await opened(timed_table)
    for _ in range(10):
        await timed_table.move(match_id)
    await handed_over(timed_table, match_id, GRACE, THROWAWAY)
    await timed_table.act(match_id, TakeAction(ADA, Resign), request=timed_table.request())
    results = {line.user_id: line for line in await store.results.list_results(match_id)}
    assert THROWAWAY not in results
    assert not results[GRACE].won
    assert results[GRACE].after == results[GRACE].before or results[GRACE].before is None


async def test_transferred_seat_counts_as_unfinished_match(store: Store) -> None:
    timed_table = TimedTable(store, START)
    match_id = await opened(timed_table)
    await handed_over(timed_table, match_id, GRACE, THROWAWAY)
    await timed_table.act(match_id, TakeAction(ADA, Resign), request=timed_table.request())
    grace = await store.results.find_profile(GRACE, EVERYWHERE, GAME)
    assert (grace.matches, grace.finished, grace.wins) == (1, 0, 0)


def flees(course: Course, population: Population, attacker: int) -> int | None:
    for circle, (mine, theirs) in enumerate(course.totals[:-1], 1):
        if max(mine, theirs) > 200 and mine < theirs - 40:
            return circle
    return None


async def test_transferring_losing_seats_gains_no_rating(store: Store) -> None:
    assert await advantage(store, flees, seed=21, days=scaled(12)) < 0
