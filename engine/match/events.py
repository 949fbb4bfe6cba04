"""What happened. Facts with their results: replaying them needs no chance and no scoring.

Events name seats, never people.
"""

from dataclasses import dataclass
from typing import Literal, TypeVar, dataclass_transform

from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.rules import Follows, Rules

Chosen = Literal["points", "tiles", "both", "stop"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def fact(kind: type[T]) -> type[T]:
    """Make a class a dataclass whose values nobody changes, with a hash and without a dict.

    The type checker sees to it that they are frozen. Python is not asked to: each field would be set through
    `object.__setattr__`, and a `Placed` with its 14 fields would take twice as long to make.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)


@fact
class Started:
    """A match began."""

    rules: Rules
    seats: int
    computers: tuple[int, ...]
    """The seats that a computer plays."""
    by_hand: bool
    """Whether people draw and pass themselves even when they must."""
    commitment: str
    """SHA-256 of the secret behind every shuffle, in hex; the secret itself is told at the end."""
    shuffle: int = 1
    """The version of the shuffle (`engine.match.shuffle`)."""
    contributions: tuple[str, ...] = ()
    """From the second version on: what each seat added to the deals; empty for those that added nothing."""


@fact
class Dealt:
    """A round began: the hands by seat, and the boneyard with the next tile to draw first."""

    round: int
    hands: tuple[tuple[Tile, ...], ...]
    boneyard: tuple[Tile, ...]
    opener: int
    choices: tuple[Tile, ...]
    """The tiles the opener must open with: one, or several to choose from."""
    aside: tuple[Tile, ...] = ()
    """Tiles that were neither dealt nor can be drawn."""


@fact
class Placed:
    """A tile came to lie on a cell, and its turn was scored."""

    seat: int
    tile: Tile
    cell: Cell
    rotation: int
    base: int
    hexagons: int
    bridge: bool
    bonus: int
    drawn: int
    """Tiles drawn in this turn before it."""
    points: int
    """Base and bonus, less the cost of drawing."""
    matched: int = 0
    """Corners that had a number before, in games that ask."""
    corner: bool = False
    """Whether it meets the tile before it in a point only."""
    beside: int | None = None
    """Pips of other tiles that were counted with its own, where they are."""
    follows: Follows = "next"


@fact
class Chose:
    """A seat took a bonus, or ended its turn. `tiles` are the further tiles it may place now."""

    seat: int
    option: Chosen
    points: int
    tiles: int


@fact
class Drew:
    """A seat took a tile from the boneyard. Others see that it did, not which: then `tile` is None."""

    seat: int
    tile: Tile | None


@fact
class Passed:
    """A turn ended without a placement."""

    seat: int
    drawn: int
    points: int


@fact
class RoundEnded:
    """Somebody went out (`out` is the seat), or nobody could place (`out` is None). Hands are open now."""

    round: int
    out: int | None
    hands: tuple[tuple[Tile, ...], ...]
    awards: tuple[int, ...]


@fact
class Resigned:
    """A seat left the match; its tiles are out of play until the next deal."""

    seat: int


@fact
class Undone:
    """A seat took its last placement back, with the choice that followed it; by agreement, with everything since."""

    seat: int
    agreed: bool = False
    """Whether the table allowed it after others had acted."""


@fact
class MatchEnded:
    """The match is decided. `places` counts from 1 by seat; equal totals share a place."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    secret: str
    """The secret behind every shuffle, in hex."""


InRound = Placed | Chose | Drew | Passed | Resigned
"""What seats do in a round."""

Event = Started | Dealt | Placed | Chose | Drew | Passed | RoundEnded | Resigned | Undone | MatchEnded
