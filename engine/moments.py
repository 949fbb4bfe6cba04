"""Going back to where a match stood before a placement (docs/rules.md §10).

A moment keeps the few values that a placement, a choice or a pass changes. They pile up in `Match.behind` for as long
as nothing hidden comes to light: a draw, a deal, the end of a round and a seat that leaves clear the pile.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.tiles import Tile

if TYPE_CHECKING:
    from engine.match import Match

TABLE: Final = (
    "turn",
    "drawn",
    "choosing",
    "bonus_tiles",
    "further",
    "failed",
    "latched",
    "last",
    "newest",
    "hexagons",
    "bridges",
)
"""What changes of a match beside its board."""
SCORE: Final = ("total", "change", "hexagons", "bridges", "best")
"""What changes of a seat beside its hand."""

_table, _score = attrgetter(*TABLE), attrgetter(*SCORE)


class Moment(NamedTuple):
    """A match right before a seat placed a tile or passed."""

    seat: int
    tile: Tile | None
    """The tile that was placed then; None for a pass."""
    at: int
    """Where in the hand it was."""
    table: tuple[Any, ...]
    score: tuple[Any, ...]
    fair: bool = True
    """Whether the seat may still come back here by itself: nobody else has shown anything since."""


def remember(match: "Match", seat: int, tile: Tile | None = None) -> None:
    """Keep this moment, before the seat places this tile or passes."""
    if tile is not None and not match.board.placed and len(match.choices) == 1:
        # The rules lay this tile: whoever took it back would lay it again.
        match.behind = ()
        return
    holder = match.seats[seat]
    at = 0 if tile is None else holder.hand.index(tile)
    match.behind = (*match.behind, Moment(seat, tile, at, _table(match), _score(holder)))


def last_placement(behind: Sequence[Moment], seat: int) -> Moment | None:
    """The newest moment at which this seat placed a tile that can be gone back to."""
    return next((moment for moment in reversed(behind) if moment.seat == seat and moment.tile is not None), None)


def can_take_back(match: "Match", seat: int) -> bool:
    """Whether the seat may take its last placement back without asking anybody."""
    if match.ended or not match.behind:
        return False
    newest = match.behind[-1]
    return newest.seat == seat and newest.tile is not None and newest.fair


def go_back(match: "Match", seat: int) -> Tile:
    """Undo the last placement of this seat and whatever came after it; answers with its tile.

    Raises ValueError where there is none.
    """
    while match.behind:
        *rest, moment = match.behind
        match.behind = tuple(rest)
        _restore(match, moment)
        if moment.tile is not None and moment.seat == seat:
            _close(match, seat)
            return moment.tile
    raise ValueError(f"seat {seat} has no placement that could be taken back")


def _restore(match: "Match", moment: Moment) -> None:
    holder = match.seats[moment.seat]
    if moment.tile is not None:
        match.board.undo()
        holder.hand.insert(moment.at, moment.tile)
    for name, value in zip(TABLE, moment.table, strict=True):
        setattr(match, name, value)
    for name, value in zip(SCORE, moment.score, strict=True):
        setattr(holder, name, value)


def _close(match: "Match", seat: int) -> None:
    """The tile that was taken back has been seen: those who placed before it go back no further by themselves."""
    if match.behind and match.behind[-1].seat != seat:
        *rest, newest = match.behind
        match.behind = (*rest, newest._replace(fair=False))
