"""What the match of a fixture comes to for a season, and who was not there when it ended."""

from typing import Final

from bot.service.tables import Table
from engine.league.season import LOSS, TIE, WIN, FixtureResult

UNPLAYED: Final = FixtureResult((LOSS, LOSS), "unplayed")


def result_of(table: Table) -> FixtureResult:
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
    return FixtureResult(points_each, "played", totals)


def absent_of(table: Table) -> tuple[int, ...]:
    """The seats of those who let their time run out and have not come back."""
    return tuple(seat for seat in range(2) if table.state.is_absent(seat))
