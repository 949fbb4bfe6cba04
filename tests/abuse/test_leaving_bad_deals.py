"""An attacker leaves every match with a bad first hand."""

import pytest

from bot.tables.ratings import FREE_DEPARTURES
from data.store.store import Store
from engine.table.commands import AnswerQuestion, AskPlayers, Join
from engine.table.refusals import Refusal, RefusalError
from tests.abuse.simulated_players import DAY, START, Course, Population, advantage, honest
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scaled

pytestmark = pytest.mark.deep


async def test_player_cannot_cancel_match_alone_after_deal(store: Store) -> None:
    timed_table = TimedTable(store, START)
    table = await timed_table.open(seats=2)
    table = await timed_table.act(table.head.match_id, Join(GRACE), request=timed_table.request())
    table = await timed_table.act(table.head.match_id, AskPlayers(ADA, "abort"), request=timed_table.request())
    assert table.head.state == "open"
    question = table.question
    with pytest.raises(RefusalError) as refused:
        await timed_table.act(
            table.head.match_id, AnswerQuestion(ADA, question.number, yes=True), request=timed_table.request()
        )
    assert refused.value.why in (Refusal.AGREED_ALREADY, Refusal.NOT_ASKED)
    table = await timed_table.act(
        table.head.match_id, AnswerQuestion(GRACE, question.number, yes=True), request=timed_table.request()
    )
    assert table.head.state == "void"


def shops(course: Course, population: Population, attacker: int) -> int | None:
    return 1 if course.deal < -0.4 else None


def shops_for_nothing(course: Course, population: Population, attacker: int) -> int | None:
    return 1 if course.deal < -0.4 and population.lately(attacker) < FREE_DEPARTURES else None


async def test_playing_only_good_deals_lowers_rating(store: Store) -> None:
    assert await advantage(store, shops, seed=11, days=scaled(12)) < -50


async def test_one_early_leave_per_month_gains_almost_nothing(store: Store) -> None:
    assert await advantage(store, shops_for_nothing, seed=11, days=scaled(12)) < 15


async def test_second_early_leave_in_month_counts_as_full_loss(store: Store) -> None:
    population = Population(store, seed=12, strengths=honest(9))
    await population.seasons(range(1, 10), {}, days=20)
    costs = []
    for other in (1, 2, 3, 4):
        before = await population.number(5)
        await population.meet(5, other, lambda *_: 1)
        costs.append(await population.number(5) - before)
    assert costs[0] == 0
    assert max(costs[1:]) < 0
    population.now += 31 * DAY
    before = await population.number(5)
    await population.meet(5, 6, lambda *_: 1)
    assert await population.number(5) == before, "a month later it is forgiven"
