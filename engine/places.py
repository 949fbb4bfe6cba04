"""Where tiles may go: the open cells of a table under the letters that everybody sees, and those that nothing fits."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engine.lattice import Cell
from engine.tiles import Needs


class Touch(NamedTuple):
    """A corner of a cell at which a tile may meet another's point, and the two numbers that must lie beside it."""

    corner: int
    numbers: tuple[int | None, int | None]
    """On the sides before and after the corner, clockwise as the other tile has them; None where any will do."""


@dataclass(frozen=True, slots=True)
class Place:
    """An open cell that some unplayed tile could fill, under the letter everybody sees for it."""

    letter: str
    cell: Cell
    needs: Needs
    """What its corners (or sides) demand, clockwise; None where any label will do."""
    touch: Touch | None = None
    """For a place that can only be reached from corner to corner: where, and what must lie there."""


class Places(NamedTuple):
    """The open cells of a table, top to bottom and left to right."""

    open: tuple[Place, ...]
    dead: tuple[Cell, ...]
    """Those that no unplayed tile fits."""


def lettered(cells: Iterable[tuple[Cell, Needs, Touch | None]]) -> tuple[Place, ...]:
    """The cells that could be filled, with what each demands, under their letters. They come in reading order."""
    return tuple(Place(letter, *demands) for letter, demands in zip(letters(), cells, strict=False))


def letters() -> Iterable[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second
