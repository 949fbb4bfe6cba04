"""A move that a player decided in advance, and whether it is still possible."""

from dataclasses import dataclass
from typing import Literal

from engine.board.board import Placement
from engine.board.demands import Touch
from engine.board.lattice import Cell, TrailFit
from engine.board.tiles import Needs
from engine.match.state import Match

Became = Literal["played", "place", "hand", "round", "stopped", "here"]
"""Outcome: played; place, tile or round gone; match stopped or seat played by others; player present."""

Then = Literal["", "points", "tiles"]  # bonus to choose if the tile earns one; empty: ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Premove:
    """A tile at a place in its state at the decision; without a placement, the move that scores most."""

    seat: int
    round: int
    placement: Placement | None
    needs: Needs = ()  # constraints of the place
    touch: Touch | None = None  # constraint of a place that is reached only by a corner
    then: Then = ""
    became: Became | None = None  # the outcome, shown until the owner acts again; None: waiting

    @property
    def waits(self) -> bool:
        return self.became is None


def places_stay(match: Match) -> bool:
    """Return whether places survive until a later turn: not if each tile must touch the last one."""
    return not isinstance(match.board.fit, TrailFit)


def decided(match: Match, seat: int, placement: Placement | None, then: Then = "") -> Premove:
    """Return a premove at the current board. Raises ValueError if this hand has no such move."""
    if placement is None:
        return Premove(seat=seat, round=match.round, placement=None)
    asked = demands(match, placement.cell) if places_stay(match) else None
    if asked is None or placement not in match.legal(seat):
        raise ValueError(f"seat {seat} could not place {placement} now")
    needs, touch = asked
    return Premove(seat=seat, round=match.round, placement=placement, needs=needs, touch=touch, then=then)


def demands(match: Match, cell: Cell) -> tuple[Needs, Touch | None] | None:
    """Return the constraints of an open place; None if nothing fits there."""
    found = next((place for place in match.board.places().open if place.cell == cell), None)
    return None if found is None else (found.needs, found.touch)


def dropped(match: Match, premove: Premove) -> Became | None:
    """Return why a premove is impossible now; None if possible. The owner's hand is the only hidden fact used."""
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
