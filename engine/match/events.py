"""Events of a match with their results: replaying needs no randomness and no scoring. Events name seats, not users."""

from dataclasses import dataclass
from typing import Literal, TypeVar, dataclass_transform

from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.rules import FollowUp, Rules

ChosenOption = Literal["points", "tiles", "both", "stop"]
T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value_class(kind: type[T]) -> type[T]:
    """Make a class an immutable dataclass with slots and a hash. Only the type checker enforces that it is frozen: at
    run time, a frozen `Placed` with its 14 fields takes twice as long to create.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)


@value_class
class Started:
    rules: Rules
    seats: int
    computers: tuple[int, ...]  # seats of computers
    by_hand: bool  # whether players draw and pass by hand even when forced
    commitment: str  # SHA-256 of the secret behind every shuffle, in hex; the secret is published at the end
    shuffle: int = 1  # version of the shuffle (`engine.match.shuffle`)
    contributions: tuple[str, ...] = ()  # from version 2 on: entropy by seat; empty for none


@value_class
class Dealt:
    """A round began: hands by seat, and the boneyard with the next tile first."""

    round: int
    hands: tuple[tuple[Tile, ...], ...]
    boneyard: tuple[Tile, ...]
    opener: int
    choices: tuple[Tile, ...]  # tiles that the opener may open with
    aside: tuple[Tile, ...] = ()  # tiles that were not dealt and cannot be drawn


@value_class
class Placed:
    """A tile was placed, and its turn scored."""

    seat: int
    tile: Tile
    cell: Cell
    rotation: int
    base: int
    hexagons: int
    bridge: bool
    bonus: int
    drawn: int  # tiles drawn before it in this turn
    points: int  # base and bonus, less the cost of drawing
    matched: int = 0  # corners that had a number before, in games that count them
    corner: bool = False  # whether it meets the last tile only in a point
    beside: int | None = None  # pips of other tiles that were counted, if any
    follows: FollowUp = "next"


@value_class
class Chose:
    """A seat took a bonus, or ended its turn. `tiles` is the number of further tiles that it may place."""

    seat: int
    option: ChosenOption
    points: int
    tiles: int


@value_class
class Drew:
    """A seat drew a tile; `tile` is None for all others."""

    seat: int
    tile: Tile | None


@value_class
class Passed:
    """A turn ended without a placement."""

    seat: int
    drawn: int
    points: int


@value_class
class RoundEnded:
    """A round ended: seat `out` went out, or no seat could place (None). Hands are public now."""

    round: int
    out: int | None
    hands: tuple[tuple[Tile, ...], ...]
    awards: tuple[int, ...]


@value_class
class Resigned:
    """A seat left the match; its tiles are out of play until the next deal."""

    seat: int


@value_class
class Undone:
    """A seat undid its last placement with the choice that followed; if agreed, with everything since."""

    seat: int
    agreed: bool = False  # whether the players agreed, after others had acted


@value_class
class MatchEnded:
    """The match is decided. `places` counts from 1 by seat; equal totals share a place."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    secret: str  # the secret behind every shuffle, in hex


RoundEvent = Placed | Chose | Drew | Passed | Resigned
Event = Started | Dealt | Placed | Chose | Drew | Passed | RoundEnded | Resigned | Undone | MatchEnded
