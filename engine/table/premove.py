"""What somebody has decided to do when it is their turn, and whether that can still be done."""

from dataclasses import dataclass
from typing import Literal

from engine.board.board import Placement
from engine.board.demands import Touch
from engine.board.lattice import Cell, TrailFit
from engine.board.tiles import Needs
from engine.match.state import Match

Became = Literal["played", "place", "hand", "round", "stopped", "here"]
"""It was played; or dropped, since its place is another one or gone, the tile is in the hand no more, a new round has
begun, the match stood still or somebody else played the seat, or the computer was to play for somebody who is there.
"""

Then = Literal["", "points", "tiles"]
"""What is taken where the tile earns a bonus to choose from; empty: they are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Premove:
    """A tile at a place as it was when that was decided; or, without one, whatever scores most."""

    seat: int
    round: int
    placement: Placement | None
    needs: Needs = ()
    """What the place demanded."""
    touch: Touch | None = None
    """The same where it is reached from corner to corner alone."""
    then: Then = ""
    became: Became | None = None
    """What has become of it, which its owner is told until they act again; None: it waits for their turn."""

    @property
    def waits(self) -> bool:
        """Whether it is to be played yet."""
        return self.became is None


def places_stay(match: Match) -> bool:
    """Whether a place can be there at somebody's next turn: it cannot where a tile must lie beside the last one."""
    return not isinstance(match.board.fit, TrailFit)


def decided(match: Match, seat: int, placement: Placement | None, then: Then = "") -> Premove:
    """A premove on the table as it stands. Raises ValueError where this hand allows no such move."""
    if placement is None:
        return Premove(seat=seat, round=match.round, placement=None)
    asked = demands(match, placement.cell) if places_stay(match) else None
    if asked is None or placement not in match.legal(seat):
        raise ValueError(f"seat {seat} could not place {placement} now")
    needs, touch = asked
    return Premove(seat=seat, round=match.round, placement=placement, needs=needs, touch=touch, then=then)


def demands(match: Match, cell: Cell) -> tuple[Needs, Touch | None] | None:
    """What an open place demands; None where nothing can lie there."""
    found = next((place for place in match.board.places().open if place.cell == cell), None)
    return None if found is None else (found.needs, found.touch)


def dropped(match: Match, premove: Premove) -> Became | None:
    """Why it cannot be played any more; None where it can. What it scores by then is no reason.

    Everybody but its owner sees all that this looks at, except for their own tiles: those change by nobody else's act.
    """
    if match.round != premove.round or match.round_over is not None:
        return "round"
    lies = premove.placement
    if lies is None:
        return None
    if lies.tile not in match.seats[premove.seat].hand:
        return "hand"
    if demands(match, lies.cell) != (premove.needs, premove.touch) or lies not in match.legal(premove.seat):
        return "place"
    return None
