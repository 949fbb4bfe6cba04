"""Going back to where a match stood before a placement (docs/rules.md §10).

A moment keeps the few values that a placement, a choice or a pass changes. They pile up in `Match.behind` for as long
as nothing hidden comes to light: a draw, a deal, the end of a round and a seat that leaves clear the pile.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.tiles import Tile


class Moment(NamedTuple):
    """A match right before a seat placed a tile or passed."""

    seat: int
    tile: Tile | None
    """The tile that was placed then; None for a pass."""
    at: int
    """Where in the hand it was."""
    table: tuple[Any, ...]
    """What changes of a match beside its board."""
    score: tuple[Any, ...]
    """What changes of that seat beside its hand."""
    fair: bool = True
    """Whether the seat may still come back here by itself: nobody else has shown anything since."""


def last_placement(behind: Sequence[Moment], seat: int) -> Moment | None:
    """The newest moment at which this seat placed a tile that can be gone back to."""
    return next((moment for moment in reversed(behind) if moment.seat == seat and moment.tile is not None), None)


def may_go_back(behind: Sequence[Moment], seat: int) -> bool:
    """Whether the seat placed last and may undo that without asking anybody."""
    if not behind:
        return False
    newest = behind[-1]
    return newest.seat == seat and newest.tile is not None and newest.fair


def closed(behind: tuple[Moment, ...], seat: int) -> tuple[Moment, ...]:
    """A tile that this seat took back has been seen: those who placed before it go back no further by themselves."""
    if behind and behind[-1].seat != seat:
        *rest, newest = behind
        return (*rest, newest._replace(fair=False))
    return behind
