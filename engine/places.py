"""Where tiles may go: the open cells of a table under the letters that everybody sees, and those that nothing fits."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.lattice import Cell
from engine.tiles import Needs, Tile

if TYPE_CHECKING:
    from engine.board import Board, Touch


@dataclass(frozen=True, slots=True)
class Place:
    """An open cell that some unplayed tile could fill, under the letter everybody sees for it."""

    letter: str
    cell: Cell
    needs: Needs
    """What its corners (or sides) demand, clockwise; None where any label will do."""
    touch: "Touch | None" = None
    """For a place that can only be reached from corner to corner: where, and what must lie there."""


class Places(NamedTuple):
    """The open cells of a table, top to bottom and left to right."""

    open: tuple[Place, ...]
    dead: tuple[Cell, ...]
    """Those that no unplayed tile fits."""


def lettered(board: "Board", tiles: Iterable[Tile]) -> Places:
    """The open cells of a table that is played with these tiles. Before the opening: the first cell."""
    if not board.placed:
        first = board.lattice.first
        return Places((Place("A", first, board.needs(first)),), ())
    unplayed: Collection[Tile] = frozenset(tiles) - board.tiles
    fillable = board.fillable(unplayed)
    alive: list[Cell] = []
    dead: list[Cell] = []
    for cell in sorted(board.open_cells, key=board.lattice.order):
        (alive if cell in fillable else dead).append(cell)
    return Places(
        tuple(
            Place(letter, cell, board.needs(cell), board.touch(cell))
            for letter, cell in zip(letters(), alive, strict=False)
        ),
        tuple(dead),
    )


def letters() -> Iterable[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second
