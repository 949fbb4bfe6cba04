"""Daily puzzles and helpers to answer them."""

from datetime import UTC, date, datetime, timedelta
from functools import cache

from simcord import MemberActor

from bot.puzzles.service import Daily
from data.puzzle_book import puzzles
from engine.puzzles.puzzle import PuzzleKind, most_points, offered_numbers, solution
from tests.bot.messages import Message, menus, private
from tests.bot.simulated_guild import SimGuild

HOUR = 3600 * 1000
FIRST = date(2026, 11, 1)
WEEKDAY = {"bridge": 0, "count": 1, "best": 2, "hexagons": 3, "out": 4}


@cache
def daily(kind: PuzzleKind, week: int = 1) -> Daily:
    """Return the puzzle of this kind in a given week of November 2026."""
    day = FIRST + timedelta(days=1 + 7 * week + WEEKDAY[kind])
    return Daily("triominoes", day, puzzles("triominoes")[day])


def go_to(sim: SimGuild, day: date, *, hour: float = 12) -> None:
    sim.clock.skipped = 0
    wanted = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000 + hour * HOUR)
    sim.clock.skipped = wanted - sim.clock()


def answer_of(puzzle: Daily) -> list[str]:
    if puzzle.puzzle.kind == "count":
        return [str(most_points(puzzle.match))]
    return list(puzzle.puzzle.line)


def wrong_answers(puzzle: Daily, many: int = 3) -> list[str]:
    """Return answers with one choice that do not solve the puzzle."""
    if puzzle.puzzle.kind == "count":
        return [str(one) for one in offered_numbers(puzzle.match) if one != most_points(puzzle.match)][:many]
    wanted = solution(puzzle.puzzle, puzzle.match.rules)
    return [str(one) for one in puzzle.match.legal(puzzle.match.turn) if one not in wanted][:many]


async def choose(person: MemberActor, message: Message, *values: str) -> Message:
    """Select these choices one after another, without submitting."""
    for value in values:
        picks = [menu for menu in menus(message) if any(option.value == value for option in menu.options)]
        message = private(await person.select(message, [value], custom_id=picks[0].custom_id))
    return message


async def answer(person: MemberActor, message: Message, *values: str) -> Message:
    """Select these choices one after another, and submit."""
    return private(await person.click(await choose(person, message, *values), label="Answer"))


async def opened(sim: SimGuild, person: MemberActor, puzzle: Daily) -> Message:
    """Open the puzzle in a private message on its own day."""
    go_to(sim, puzzle.day)
    return private(await person.slash(sim.channel, "tiles daily"))
