"""The lines of a record, and the small words that every one of them uses.

Tiles, placements and positions are written here and nowhere else: records, the referee and tests read them by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.board.board import Board, Placement
from engine.board.tiles import Tile, parse_labels, tile_text
from engine.match.rules import Follows, Rules

NOTHING = "nothing"
"""No tiles."""

MOST_SEATS = 26
"""Seats are letters."""


MOST_LINE: Final = 10_000
"""No line of a record is longer, in characters: a hand of all 714 tiles of the largest set takes half of it."""


FOLLOWS: Final[dict[Follows, str]] = {
    "next": "",
    "choice": ", then a choice",
    "tiles": ", then another tile",
    "further": ", then a further turn",
}
"""What stands at the end of a placement after which its seat goes on."""


TAKES_BACK: Final = {False: "takes back", True: "takes back by agreement"}
"""How a placement is taken back: by oneself, or because the table allowed it."""


class RecordDamaged(ValueError):  # noqa: N818 - the record is what is damaged
    """A record cannot be read. `line` counts from 1; `reason` says what is wrong there, in plain words."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Line:
    """A line that says something: its number in the text from 1, and its words with one space between them."""

    number: int
    text: str


def content_lines(text: str) -> list[Line]:
    """The lines of a text without blank ones and comments (`# ...`). Raises RecordDamaged for one without end."""
    # Only what an editor counts as a line ends one, so that the numbers are those the reader sees.
    raw = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    endless = next((number for number, words in enumerate(raw, 1) if len(words) > MOST_LINE), None)
    if endless is not None:
        raise RecordDamaged(endless, f"the line is longer than {MOST_LINE} characters")
    lines = (Line(number, " ".join(words.split())) for number, words in enumerate(raw, 1))
    return [line for line in lines if line.text and not line.text.startswith("#")]


def seat_name(seat: int) -> str:
    """A for seat 0, B for seat 1, as in RULES §8."""
    return chr(ord("A") + seat)


def seat_number(name: str, seats: int, line: Line) -> int:
    """The seat of a letter. Raises RecordDamaged when the table has no such seat."""
    seat = ord(name) - ord("A")
    if not 0 <= seat < seats:
        raise RecordDamaged(line.number, f"there is no seat {name}; the seats are A to {seat_name(seats - 1)}")
    return seat


def tiles_text(tiles: Sequence[Tile]) -> str:
    """`0-0-1 2-3-5`, or `nothing`."""
    return " ".join(map(tile_text, tiles)) or NOTHING


def parse_tiles(text: str, tiles: Sequence[Tile], line: Line) -> tuple[Tile, ...]:
    """Read `0-0-1 2-3-5` or `nothing`; each must be one of `tiles`, written as there. Raises RecordDamaged."""
    return () if text == NOTHING else tuple(parse_tile(word, tiles, line) for word in text.split())


def parse_tile(text: str, tiles: Sequence[Tile], line: Line) -> Tile:
    """Read one tile of the set. Raises RecordDamaged."""
    try:
        tile = parse_labels(text, len(tiles[0]))
    except ValueError as error:
        raise RecordDamaged(line.number, str(error)) from error
    if tile not in tiles:
        raise RecordDamaged(line.number, f"the set has no tile {tile_text(tile)}")
    return tile


def parse_placement(text: str, rules: Rules) -> Placement:
    """Read `U0,0=135`: 1, 3, 5 on places 0, 1, 2 of the cell. Whether there is such a tile is not asked.

    Raises ValueError, saying how it is written.
    """
    place, equals, labels = text.partition("=")
    if not equals:
        like = "1355"[: rules.plane.sides]
        raise ValueError(f"{text.strip()!r} is no placement; write it like {rules.plane.first}={like}")
    return rules.lay(rules.plane.parse_cell(place), parse_labels(labels, rules.plane.sides))


def position_text(board: Board) -> str:
    """The table as one line, `U0,0=135 D0,0=355`, in the order in which the tiles were laid (RULES §2).

    Empty for an empty table. Laying the tiles in this order is legal at every step.
    """
    return " ".join(map(str, board.placed.values()))
