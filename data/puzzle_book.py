"""Daily puzzles in `data/puzzles/GAME-YEAR.jsonl`, a line for each day.

A line is a JSON object: `date`, `kind`, `deal` (the secret), `moves`, `hand` where it was composed, `line` (the
solution), and for best moves `margin` and `worlds`. Placements and tiles are written as in records.
"""

from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from engine.puzzles.position import Position
from engine.puzzles.puzzle import Puzzle, PuzzleKind

PUZZLES: Final = Path(__file__).parent / "puzzles"


class PuzzleFileError(ValueError):
    """A file of puzzles that cannot be read. The message names file and line."""


class PuzzleLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    date: date
    kind: PuzzleKind
    deal: str
    moves: str
    line: str
    hand: str = ""
    margin: float | None = None
    worlds: int | None = None

    @property
    def puzzle(self) -> Puzzle:
        position = Position(self.deal, tuple(self.moves.split()), tuple(self.hand.split()))
        return Puzzle(self.kind, position, tuple(self.line.split()), self.margin or 0.0, self.worlds or 0)


def format_line(day: date, puzzle: Puzzle) -> str:
    at = puzzle.position
    line = PuzzleLine(
        date=day,
        kind=puzzle.kind,
        deal=at.secret,
        moves=" ".join(at.moves),
        line=" ".join(puzzle.line),
        hand=" ".join(at.hand),
        margin=puzzle.margin or None,
        worlds=puzzle.deal_count or None,
    )
    return msgspec.json.encode(line).decode()


def read_puzzles(file: Path) -> dict[date, Puzzle]:
    """Read a file of puzzles, by day. Raises PuzzleFileError."""
    found: dict[date, Puzzle] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise PuzzleFileError(f"{file.name}: {error}") from error
    for number, text in enumerate(lines, 1):
        try:
            line = msgspec.json.decode(text, type=PuzzleLine)
        except msgspec.MsgspecError as error:
            raise PuzzleFileError(f"{file.name}:{number}: {error}") from error
        if line.date in found:
            raise PuzzleFileError(f"{file.name}:{number}: {line.date} has a puzzle already")
        found[line.date] = line.puzzle
    return found


def parse_game(file: Path) -> str:
    return file.stem.rpartition("-")[0]


@cache
def load_puzzles(game: str) -> Mapping[date, Puzzle]:
    """Return all puzzles of a game by day, maybe none. Raises PuzzleFileError."""
    found: dict[date, Puzzle] = {}
    for file in sorted(PUZZLES.glob(f"{game}-[0-9][0-9][0-9][0-9].jsonl")):
        found |= read_puzzles(file)
    return found
