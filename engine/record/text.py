"""The lines of a record and their common parts: tiles, placements and positions as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.board.board import Board, Placement
from engine.board.tiles import Tile, parse_labels, tile_text
from engine.match.rules import Follows, Rules

NOTHING = "nothing"  # no tiles
MOST_SEATS = 26  # seats are letters
MOST_LINE: Final = 10_000  # maximal characters of a line: a hand of all 714 tiles of the largest set takes half of it


FOLLOWS: Final[dict[Follows, str]] = {
    "next": "",
    "choice": ", then a choice",
    "tiles": ", then another tile",
    "further": ", then a further turn",
}
"""End of a placement's line if its seat continues."""


TAKES_BACK: Final = {False: "takes back", True: "takes back by agreement"}  # undo alone, or by agreement


class RecordDamaged(ValueError):  # noqa: N818 - the record is what is damaged
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


def content_lines(text: str) -> list[Line]:
    """Return the lines without blank ones and comments (`# ...`). Raises RecordDamaged for a line that is too long."""
    # Only ` ` ends a line, so that line numbers are those of an editor.
    raw = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    endless = next((number for number, words in enumerate(raw, 1) if len(words) > MOST_LINE), None)
    if endless is not None:
        raise RecordDamaged(endless, f"the line is longer than {MOST_LINE} characters")
    lines = (Line(number, " ".join(words.split())) for number, words in enumerate(raw, 1))
    return [line for line in lines if line.text and not line.text.startswith("#")]


def seat_name(seat: int) -> str:
    """Return A for seat 0, B for seat 1, as in RULES §8."""
    return chr(ord("A") + seat)


def seat_number(name: str, seats: int, line: Line) -> int:
    """Parse the letter of a seat. Raises RecordDamaged if the table has no such seat."""
    seat = ord(name) - ord("A")
    if not 0 <= seat < seats:
        raise RecordDamaged(line.number, f"there is no seat {name}; the seats are A to {seat_name(seats - 1)}")
    return seat


def tiles_text(tiles: Sequence[Tile]) -> str:
    """Format tiles: `0-0-1 2-3-5`, or `nothing`."""
    return " ".join(map(tile_text, tiles)) or NOTHING


def parse_tiles(text: str, tiles: Sequence[Tile], line: Line) -> tuple[Tile, ...]:
    """Parse `0-0-1 2-3-5` or `nothing`; each must be one of `tiles`. Raises RecordDamaged."""
    return () if text == NOTHING else tuple(parse_tile(word, tiles, line) for word in text.split())


def parse_tile(text: str, tiles: Sequence[Tile], line: Line) -> Tile:
    """Parse one tile of the set. Raises RecordDamaged."""
    try:
        tile = parse_labels(text, len(tiles[0]))
    except ValueError as error:
        raise RecordDamaged(line.number, str(error)) from error
    if tile not in tiles:
        raise RecordDamaged(line.number, f"the set has no tile {tile_text(tile)}")
    return tile


def parse_placement(text: str, rules: Rules) -> Placement:
    """Parse `U0,0=135`: 1, 3, 5 on places 0, 1, 2 of the cell; the set may not contain the tile. Raises ValueError with
    the expected form.
    """
    place, equals, labels = text.partition("=")
    if not equals:
        like = "1355"[: rules.plane.sides]
        raise ValueError(f"{text.strip()!r} is no placement; write it like {rules.plane.first}={like}")
    return rules.lay(rules.plane.parse_cell(place), parse_labels(labels, rules.plane.sides))


def position_text(board: Board) -> str:
    """Format the table as `U0,0=135 D0,0=355`, in the order of play (RULES §2), so that every step is legal."""
    return " ".join(map(str, board.placed.values()))
