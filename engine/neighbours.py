"""What lies around a cell: the tiles beside it, and the places that a tile on it would open."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.board import Placement
from engine.lattice import Cell, Lattice
from engine.rules import Rules
from engine.tiles import Tile


class Beside(NamedTuple):
    """A tile that another one lies beside."""

    tile: Tile
    side: int | None
    """Across which side of the other's cell; None where the two meet in a point only, in a corner play."""
    point: tuple[tuple[str, int], tuple[str, int]] | None = None
    """In a corner play: the corner of the other's cell, and of its own, each with the kind of the cell."""


def neighbours(lattice: Lattice, lying: Mapping[Cell, Tile], cell: Cell, *, corner: bool = False) -> tuple[Beside, ...]:
    """The tiles that share a side with a cell, by its sides; in a corner play, the last of those that lie there."""
    if corner and lying:
        last, tile = list(lying.items())[-1]
        mine, other = lattice.shape(cell).corners, lattice.shape(last).corners
        own = next(number for number, site in enumerate(mine) if site in other)
        return (Beside(tile, None, ((cell.kind, own), (last.kind, other.index(mine[own])))),)
    across = enumerate(lattice.shape(cell).across)
    return tuple(Beside(lying[near], side) for side, near in across if near in lying)


class Outlook:
    """A table on which moves are tried, to tell what they would open."""

    def __init__(self, rules: Rules, tiles: tuple[Placement, ...]) -> None:
        self._board = rules.board()
        for lies in tiles:
            self._board.place(lies)

    def opened(self, placement: Placement) -> int:
        """How many new places there would be that some unplayed tile fits."""
        tableau = self._board.tableau
        before = tableau.open()
        tableau.place(*self._board.plies[placement])
        table = tableau.table
        unplayed = table.whole & ~tableau.played
        found = sum(
            bool(table.masks[demand] & unplayed) for cell, demand in tableau.open().items() if cell not in before
        )
        tableau.undo()
        return found
