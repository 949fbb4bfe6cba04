"""An attacker leaves every match with a bad first hand."""

import pytest

from bot.tables.ratings import FREE_DEPARTURES
from data.store.store import Store
from engine.table.commands import AnswerQuestion, AskPlayers
from engine.table.refusals import Refusal, RefusalError
from tests.abuse.simulated_players import DAY, MatchCourse, Population, build_strengths, measure_advantage
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scale_count


async def test_player_cannot_cancel_match_alone_after_deal(timed_table: TimedTable) -> None:
    table = await timed_table.start_match(GRACE)
    table = await timed_table.interact(table, AskPlayers(ADA, "abort"))
    assert table.head.state == "open"
    question = table.question
    with pytest.raises(RefusalError) as refused:
        await timed_table.interact(table, AnswerQuestion(ADA, question.number, yes=True))
    assert refused.value.why in (Refusal.AGREED_ALREADY, Refusal.NOT_ASKED)
    table = await timed_table.interact(table, AnswerQuestion(GRACE, question.number, yes=True))
    assert table.head.state == "void"


def leave_bad_deals(course: MatchCourse, population: Population, attacker: int) -> int | None:
    return 1 if course.deal < -0.4 else None


def leave_bad_deals_unpunished(course: MatchCourse, population: Population, attacker: int) -> int | None:
    return 1 if course.deal < -0.4 and population.count_recent_departures(attacker) < FREE_DEPARTURES else None


async def test_playing_only_good_deals_lowers_rating(store: Store) -> None:
    assert await measure_advantage(store, leave_bad_deals, seed=11, days=scale_count(12)) < -50


async def test_one_early_leave_per_month_gains_almost_nothing(store: Store) -> None:
    assert await measure_advantage(store, leave_bad_deals_unpunished, seed=11, days=scale_count(12)) < 15


async def test_second_early_leave_in_month_counts_as_full_loss(store: Store) -> None:
    population = Population(store, seed=12, strengths=build_strengths(9))
    await population.play_days(range(1, 10), {}, days=20)
    costs = []
    for other in (1, 2, 3, 4):
        before = await population.load_points(5)
        await population.play_match(5, other, lambda *_: 1)
        costs.append(await population.load_points(5) - before)
    assert costs[0] == 0
    assert max(costs[1:]) < 0
    population.now += 31 * DAY
    before = await population.load_points(5)
    await population.play_match(5, 6, lambda *_: 1)
    assert await population.load_points(5) == before, "a month later it is forgiven"
