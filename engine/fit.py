"""How tiles go together on a table: equal numbers or fives, on corners or sides, anywhere or next to the last tile."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.lattice import Cell, Lattice

Labels = Literal["corners", "sides"]
"""Where the labels of a tile lie."""

CornerOrder = Literal["any", "collinear", "mirror"]
"""In which order the two numbers beside a corner must meet those of the tile on the other side of the point."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How tiles go together on a table."""

    labels: Labels = "corners"
    fives: bool = False
    """Numbers that meet add up to a multiple of five, instead of being equal."""
    free: bool = False
    """The labels of a tile have no fixed order."""
    wild_stands: int | None = None
    """The number that a wild label counts as once it lies; None leaves it wild."""
    within: Callable[[Cell], bool] | None = None
    """Says which cells there are, on a board with an edge."""


@dataclass(frozen=True, slots=True)
class TrailFit(Fit):
    """How tiles go together on a trail, where each goes next to the one before it (RULES §5)."""

    everywhere: bool = False
    """A tile may also go next to any older tile."""
    older_sides: bool = True
    """Sides against older tiles must agree too."""
    corner_plays: CornerOrder | None = None
    """Whether, and how, a tile may touch the last one from corner to corner."""


@lru_cache(maxsize=64)
def cells_within(lattice: Lattice, fit: Fit) -> frozenset[Cell]:
    """The cells of a board with an edge, all those that can be walked to from the first; none where it has no edge."""
    if fit.within is None:
        return frozenset()
    found, ahead = {lattice.first}, [lattice.first]
    while ahead:
        beside = [near for near in lattice.shape(ahead.pop()).across if near not in found and fit.within(near)]
        found.update(beside)
        ahead += beside
    return frozenset(found)
