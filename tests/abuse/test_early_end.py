"""At a live table of three, an accomplice stops playing so that the leader can end the match."""

import pytest

from bot.tables.ratings import compute_change
from bot.tables.service import Table
from data.store.store import Store
from engine.table.terms import MINUTE
from tests.abuse.simulated_players import Population
from tests.bot.timed_table import TimedTable, start_match
from tests.bot.use_cases import ADA, GRACE, LINUS


async def play_until_timeout(timed_table: TimedTable, turns: int, absent: str = "turn") -> tuple[Table, int, int, int]:
    table = await start_match(timed_table, GRACE, LINUS, clock="live 1m", absent=absent)
    for _ in range(turns):
        table = await timed_table.play_turn(table)
    accomplice = table.find_turn_user()
    assert accomplice is not None
    await timed_table.wait(MINUTE + 1_000)
    table = await timed_table.load_table(table)
    totals = {row.user_id: table.match.seats[row.seat].total for row in table.seats if row.user_id is not None}
    leader, third = sorted((user for user in totals if user != accomplice), key=lambda user: -totals[user])
    return table, accomplice, leader, third


@pytest.mark.parametrize("turns", [3, 9, 30])
async def test_early_end_by_terms_gives_leader_no_extra_rating(
    store: Store, timed_table: TimedTable, turns: int
) -> None:
    population = Population(store, seed=1)
    for number, user in enumerate((ADA, GRACE, LINUS)):
        for other in range(3):
            await population.throw_match(user, 500 + 10 * number + other)
    table, accomplice, leader, third = await play_until_timeout(timed_table, turns=turns, absent="end")
    await timed_table.wait(10 * MINUTE)
    table = await timed_table.load_table(table)
    assert table.head.state == "done"
    results = {line.user_id: line for line in await store.results.list_results(table.head.match_id)}
    assert results[accomplice].place == 3
    assert not results[accomplice].finished
    third_result, leaver_result = results[third], results[accomplice]
    if third_result.after is not None:
        assert compute_change(third_result.before, third_result.after) >= 0
    won = 0 if results[leader].after is None else compute_change(results[leader].before, results[leader].after)
    lost = 0 if leaver_result.after is None else -compute_change(leaver_result.before, leaver_result.after)
    assert won <= lost + 2


async def test_agreed_early_end_is_weighted_by_moves_played(store: Store, timed_table: TimedTable) -> None:
    table, accomplice, leader, third = await play_until_timeout(timed_table, turns=12)
    table = await timed_table.choose_absence(table, leader, "end")
    table = await timed_table.choose_absence(table, third, "end")
    assert table.head.state == "done"
    results = {line.user_id: line for line in await store.results.list_results(table.head.match_id)}
    assert [results[user].place for user in (leader, accomplice)] == [1, 3]
    assert results[leader].won
    assert not results[accomplice].won
