"""Daily puzzles and helpers to answer them."""

from datetime import UTC, date, datetime, timedelta
from functools import cache

from bot.puzzles.service import DailyPuzzle
from data.puzzle_book import load_puzzles
from engine.puzzles.puzzle import PuzzleKind, compute_max_points, list_offered_numbers, parse_solution
from tests.bot.member import Member
from tests.bot.messages import Message, list_menus
from tests.bot.simulated_guild import SimGuild

HOUR_MS = 3600 * 1000
FIRST_DAY = date(2026, 11, 1)
WEEKDAYS = {"bridge": 0, "count": 1, "best": 2, "hexagons": 3, "out": 4}


@cache
def load_daily_puzzle(kind: PuzzleKind, week: int = 1) -> DailyPuzzle:
    """Return the puzzle of this kind in a given week of November 2026."""
    day = FIRST_DAY + timedelta(days=1 + 7 * week + WEEKDAYS[kind])
    return DailyPuzzle("triominoes", day, load_puzzles("triominoes")[day])


def set_date(sim: SimGuild, day: date, *, hour: float = 12) -> None:
    sim.clock.skipped_ms = 0
    target_time = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000 + hour * HOUR_MS)
    sim.clock.skipped_ms = target_time - sim.clock()


def list_answers(puzzle: DailyPuzzle) -> list[str]:
    if puzzle.puzzle.kind == "count":
        return [str(compute_max_points(puzzle.match))]
    return list(puzzle.puzzle.line)


def list_wrong_answers(puzzle: DailyPuzzle, count: int = 3) -> list[str]:
    """Return answers with one choice that do not solve the puzzle."""
    if puzzle.puzzle.kind == "count":
        return [str(one) for one in list_offered_numbers(puzzle.match) if one != compute_max_points(puzzle.match)][
            :count
        ]
    solutions = parse_solution(puzzle.puzzle, puzzle.match.rules)
    return [str(one) for one in puzzle.match.list_legal_moves(puzzle.match.turn) if one not in solutions][:count]


async def choose(person: Member, message: Message, *values: str) -> Message:
    """Select these choices one after another, without submitting."""
    for value in values:
        matching_menus = [menu for menu in list_menus(message) if any(option.value == value for option in menu.options)]
        message = await person.open_select(message, value, custom_id=matching_menus[0].custom_id)
    return message


async def answer(person: Member, message: Message, *values: str) -> Message:
    """Select these choices one after another, and submit."""
    return await person.open_click(await choose(person, message, *values), "Answer")


async def open_daily_puzzle(sim: SimGuild, person: Member, puzzle: DailyPuzzle) -> Message:
    """Open the puzzle in a private message on its own day."""
    set_date(sim, puzzle.day)
    return await person.open_command("tiles daily")
