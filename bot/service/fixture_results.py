"""What the match of a fixture comes to for a season, and who was not there when it ended."""

from typing import Final

from bot.service.tables import Table
from engine.league.season import LOSS, TIE, WIN, FixtureResult, RunningScore

UNPLAYED: Final = FixtureResult((LOSS, LOSS), "unplayed")


def fixture_result(table: Table) -> FixtureResult:
    """What a match that is over gives. One that both agreed to end, or a moderator, gives nobody anything."""
    match = None if table.story is None else table.story.match
    if match is None:
        return UNPLAYED
    totals = (match.seats[0].total, match.seats[1].total)
    if match.ended is None:
        if not table.state.ended:
            return UNPLAYED
        # It was closed because somebody let their time run out: the other one has won.
        return FixtureResult((LOSS, WIN) if match.turn == 0 else (WIN, LOSS), "forfeit", totals)
    first, second = match.ended.places[:2]
    points_each = (TIE, TIE) if first == second else (WIN, LOSS) if first < second else (LOSS, WIN)
    return FixtureResult(points_each, "resigned" if match.left else "played", totals)


def running_score(table: Table, now: int, *, absences: bool) -> RunningScore:
    """How a match stands that runs when the season or the round ends, with who is away where that matters.

    Raises Refused where it has not begun.
    """
    first, second = (seat.total for seat in table.match.seats[:2])
    turn = None if table.clock.time.paused or table.head.turn is None else table.head.turn.seat
    waited = now - table.clock.watch.began
    return RunningScore((first, second), turn, waited, absent_of(table) if absences else ())


def absent_of(table: Table) -> tuple[int, ...]:
    """The seats of those who let their time run out and have not come back."""
    return tuple(seat for seat in range(2) if table.state.is_absent(seat))
