"""The lines of a record and their common parts: tiles, placements and positions as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never, get_args

from engine.board.board import Board, Placement
from engine.board.tiles import Tile, format_tile_notation, parse_labels
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, Undo
from engine.match.rules import FollowUp, Rules

NO_TILES = "nothing"  # no tiles
MAX_SEATS = 26  # seats are letters
MAX_LINE: Final = 10_000  # maximal characters of a line: a hand of all 714 tiles of the largest set takes half of it


FOLLOWS: Final[dict[FollowUp, str]] = {
    "next": "",
    "choice": ", then a choice",
    "tiles": ", then another tile",
    "further": ", then a further turn",
}
"""End of a placement's line if its seat continues."""


TAKES_BACK: Final = {False: "takes back", True: "takes back by agreement"}  # undo alone, or by agreement


class DamagedRecordError(ValueError):
    """A record cannot be parsed. `line` counts from 1; `reason` is readable text."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Line:
    """A non-empty line: its number from 1, and its words with single spaces."""

    number: int
    text: str


def list_content_lines(text: str) -> list[Line]:
    """Return the lines without blank ones and comments (`# ...`). Raises DamagedRecordError for too long a line."""
    # Only ` ` ends a line, so that line numbers are those of an editor.
    raw = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    too_long = next((number for number, words in enumerate(raw, 1) if len(words) > MAX_LINE), None)
    if too_long is not None:
        raise DamagedRecordError(too_long, f"the line is longer than {MAX_LINE} characters")
    lines = (Line(number, " ".join(words.split())) for number, words in enumerate(raw, 1))
    return [line for line in lines if line.text and not line.text.startswith("#")]


def format_seat(seat: int) -> str:
    """Return A for seat 0, B for seat 1, as in RULES §8."""
    return chr(ord("A") + seat)


def parse_seat(name: str, seats: int, line: Line) -> int:
    """Parse the letter of a seat. Raises DamagedRecordError if the table has no such seat."""
    seat = ord(name) - ord("A")
    if not 0 <= seat < seats:
        raise DamagedRecordError(line.number, f"there is no seat {name}; the seats are A to {format_seat(seats - 1)}")
    return seat


def format_tiles(tiles: Sequence[Tile]) -> str:
    """Format tiles: `0-0-1 2-3-5`, or `nothing`."""
    return " ".join(map(format_tile_notation, tiles)) or NO_TILES


def parse_tiles(text: str, tiles: Sequence[Tile], line: Line) -> tuple[Tile, ...]:
    """Parse `0-0-1 2-3-5` or `nothing`; each must be one of `tiles`. Raises DamagedRecordError."""
    return () if text == NO_TILES else tuple(parse_tile(word, tiles, line) for word in text.split())


def parse_tile(text: str, tiles: Sequence[Tile], line: Line) -> Tile:
    """Parse one tile of the set. Raises DamagedRecordError."""
    try:
        tile = parse_labels(text, len(tiles[0]))
    except ValueError as error:
        raise DamagedRecordError(line.number, str(error)) from error
    if tile not in tiles:
        raise DamagedRecordError(line.number, f"the set has no tile {format_tile_notation(tile)}")
    return tile


def parse_placement(text: str, rules: Rules) -> Placement:
    """Parse `U0,0=135`, also with a tile outside the set. Raises ValueError with the expected form."""
    place, equals, labels = text.partition("=")
    if not equals:
        example = "1355"[: rules.plane.sides]
        raise ValueError(f"{text.strip()!r} is no placement; write it like {rules.plane.first}={example}")
    return rules.build_placement(rules.plane.parse_cell(place), parse_labels(labels, rules.plane.sides))


OPTIONS: Final[Sequence[Option]] = get_args(Option)


def format_choice(action: Action) -> str:
    """Format what a seat does in its turn: a placement, an option, `draw` or `pass`. Raises ValueError for others."""
    match action:
        case Play(_, tile, cell, rotation):
            return str(Placement(tile, cell, rotation))
        case Choose(_, option):
            return option
        case Draw():
            return "draw"
        case Pass():
            return "pass"
        case Resign() | Undo():
            raise ValueError(f"{action} is no choice of a turn")
        case _:
            assert_never(action)


def parse_choice(text: str, seat: int, rules: Rules) -> Action:
    """Parse the output of `format_choice`. Raises ValueError."""
    if text in OPTIONS:
        return Choose(seat, OPTIONS[OPTIONS.index(text)])
    if text in {"draw", "pass"}:
        return Draw(seat) if text == "draw" else Pass(seat)
    placement = parse_placement(text, rules)
    return Play(seat, placement.tile, placement.cell, placement.rotation)


def format_position(board: Board) -> str:
    """Format the table as `U0,0=135 D0,0=355`, in the order of play (RULES §2), so that every step is legal."""
    return " ".join(map(str, board.placed.values()))
