"""An attacker hands over a seat so that another account gets the result."""

from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.match.actions import Resign
from engine.table.commands import AnswerQuestion, AskPlayers, TakeAction
from tests.abuse.simulated_players import GAME, MatchCourse, Population, measure_advantage
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scale_count

THROWAWAY = 999


async def play_and_transfer_seat(timed_table: TimedTable, turns: int) -> int:
    """Return the id of a match in which Grace's seat was taken over after so many turns."""
    match_id = (await timed_table.start_match(GRACE)).head.match_id
    for _ in range(turns):
        await timed_table.play_turn(match_id)
    table = await timed_table.interact(match_id, AskPlayers(GRACE, "substitute", THROWAWAY))
    await timed_table.interact(match_id, AnswerQuestion(THROWAWAY, table.question.number, yes=True))
    return match_id


async def test_result_belongs_to_first_player_of_seat(store: Store, timed_table: TimedTable) -> None:
    match_id = await play_and_transfer_seat(timed_table, 10)
    table = await timed_table.interact(match_id, TakeAction(THROWAWAY, Resign))
    assert table.head.state == "done"
    results = {line.user_id: line for line in await store.results.list_results(match_id)}
    assert results.keys() == {ADA, GRACE}
    assert (results[GRACE].place, results[GRACE].finished, results[GRACE].rated) == (2, False, True)
    assert await store.results.find_profile(THROWAWAY, EVERYWHERE, GAME) is None


async def test_winning_seat_taken_over_gains_no_rating(store: Store, timed_table: TimedTable) -> None:
    match_id = await play_and_transfer_seat(timed_table, 10)
    await timed_table.interact(match_id, TakeAction(ADA, Resign))
    results = {line.user_id: line for line in await store.results.list_results(match_id)}
    assert THROWAWAY not in results
    assert not results[GRACE].won
    assert results[GRACE].after == results[GRACE].before or results[GRACE].before is None


async def test_transferred_seat_counts_as_unfinished_match(store: Store, timed_table: TimedTable) -> None:
    match_id = await play_and_transfer_seat(timed_table, 0)
    await timed_table.interact(match_id, TakeAction(ADA, Resign))
    grace = await store.results.find_profile(GRACE, EVERYWHERE, GAME)
    assert (grace.matches, grace.finished, grace.wins) == (1, 0, 0)


def leave_when_behind(course: MatchCourse, population: Population, attacker: int) -> int | None:
    for round_number, (mine, theirs) in enumerate(course.totals[:-1], 1):
        if max(mine, theirs) > 200 and mine < theirs - 40:
            return round_number
    return None


async def test_transferring_losing_seats_gains_no_rating(store: Store) -> None:
    assert await measure_advantage(store, leave_when_behind, seed=21, days=scale_count(12)) < 0
