"""A figure in which somebody lays tiles: what lies, what is left, what fits where, and every act back to the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell, Site
from engine.board.tiles import Needs, Tile, canonical, fitting, labels_text, rotation_showing
from engine.solo.figure import Figure

LONGEST: Final = 240
"""Acts that can be undone; of older ones only what lies is remembered."""


class Misfit(ValueError):  # noqa: N818 - whoever asks is told what fits
    """A tile cannot lie there, or cannot be lifted: it does not fit, is not left, or the cell is taken or bare."""


class FigureAct(NamedTuple):
    """A tile was laid on a cell, or the one there was lifted."""

    cell: Cell
    shown: Tile
    """What it shows, clockwise."""
    laid: bool

    def __str__(self) -> str:
        return f"{'+' if self.laid else '-'}{self.cell}={labels_text(self.shown)}"


@dataclass(frozen=True)
class Filling:
    """How far somebody is with a figure. Nothing changes one: each act makes another."""

    figure: Figure
    acts: tuple[FigureAct, ...] = ()

    @cached_property
    def placed(self) -> Mapping[Cell, Placement]:
        """What lies, in the order in which it was laid. Raises Misfit where an act was impossible."""
        lying: dict[Cell, Placement] = {}
        for act in self.acts:
            lying = _after(self.figure, lying, act)
        return lying

    @cached_property
    def _values(self) -> dict[Site, int]:
        return _values(self.figure, self.placed)

    @property
    def left(self) -> tuple[Tile, ...]:
        """The tiles that do not lie yet, smallest first."""
        lying = {placement.tile for placement in self.placed.values()}
        return tuple(tile for tile in self.figure.tiles if tile not in lying)

    @property
    def open(self) -> tuple[Cell, ...]:
        """The bare cells, in reading order."""
        return tuple(cell for cell in self.figure.cells if cell not in self.placed)

    @property
    def is_full(self) -> bool:
        """Whether the figure is filled, which is all there is to do."""
        return len(self.placed) == len(self.figure.cells)

    def needs(self, cell: Cell) -> Needs:
        """What a cell demands by what lies around it, clockwise; None where any label will do."""
        return tuple(self._values.get(site) for site in self.figure.sites(cell))

    def turns(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which a tile fits a bare cell."""
        return fitting(tile, self.needs(cell))

    @cached_property
    def fits(self) -> Mapping[Tile, tuple[Cell, ...]]:
        """For each tile that is left and fits somewhere, where; in reading order."""
        found = {tile: tuple(cell for cell in self.open if self.turns(tile, cell)) for tile in self.left}
        return {tile: cells for tile, cells in found.items() if cells}

    @cached_property
    def dead(self) -> tuple[Cell, ...]:
        """The bare cells that no tile fits any more."""
        alive = {cell for cells in self.fits.values() for cell in cells}
        return tuple(cell for cell in self.open if cell not in alive)

    @cached_property
    def strayed(self) -> tuple[Cell, ...]:
        """The cells that show something else than in the way that is known, in reading order."""
        known = self.figure.shown_solution
        return tuple(
            cell for cell in self.figure.cells if cell in self.placed and self.placed[cell].shown != known[cell]
        )

    def lay(self, tile: Tile, cell: Cell, turn: int) -> "Filling":
        """The same with one more tile. Raises Misfit."""
        return self._with(FigureAct(cell, Placement(tile, cell, turn).shown, laid=True))

    def lift(self, cell: Cell) -> "Filling":
        """The same without the tile on a cell. Raises Misfit."""
        lying = self.placed.get(cell)
        if lying is None:
            raise Misfit(str(cell))
        return self._with(FigureAct(cell, lying.shown, laid=False))

    def undo(self) -> "Filling":
        """The same before the last act. Raises Misfit where there is none."""
        if not self.acts:
            raise Misfit("nothing to undo")
        return Filling(self.figure, self.acts[:-1])

    def _with(self, act: FigureAct) -> "Filling":
        after = Filling(self.figure, (*self.acts, act))
        # Known without looking at all acts again.
        after.__dict__["placed"] = _after(self.figure, self.placed, act)
        return after if len(after.acts) <= LONGEST else after._shortened()

    def _shortened(self) -> "Filling":
        """The same without the acts of long ago: whatever lies was laid at once."""
        kept = Filling(self.figure, self.acts[:-1])
        laid = tuple(FigureAct(cell, placement.shown, laid=True) for cell, placement in kept.placed.items())
        return Filling(self.figure, (*laid, self.acts[-1]))

    def __str__(self) -> str:
        return " ".join(map(str, self.acts))


def _after(figure: Figure, lying: Mapping[Cell, Placement], act: FigureAct) -> dict[Cell, Placement]:
    """What lies after an act. Raises Misfit where it is impossible."""
    if not act.laid:
        if act.cell not in lying:
            raise Misfit(str(act))
        return {cell: placement for cell, placement in lying.items() if cell != act.cell}
    tile, values = canonical(act.shown), _values(figure, lying)
    turn = rotation_showing(tile, act.shown)
    if (
        turn is None
        or act.cell in lying
        or act.cell not in figure.bounds
        or tile not in figure.tiles
        or any(other.tile == tile for other in lying.values())
        or any(values.get(at, label) != label for at, label in zip(figure.sites(act.cell), act.shown, strict=True))
    ):
        raise Misfit(str(act))
    return {**lying, act.cell: Placement(tile, act.cell, turn)}


def _values(figure: Figure, lying: Mapping[Cell, Placement]) -> dict[Site, int]:
    """The labels that are on the table, by where they lie."""
    values = dict(figure.around)
    for cell, placement in lying.items():
        values.update(zip(figure.sites(cell), placement.shown, strict=True))
    return values


def parse_filling(figure: Figure, text: str) -> Filling:
    """Read what `str` makes of one. Raises Misfit, also where an act was impossible."""
    try:
        acts = tuple(_parsed(figure, word) for word in text.split())
    except ValueError as error:
        raise Misfit(str(error)) from error
    found = Filling(figure, acts)
    found.placed  # noqa: B018 - raises where one was impossible
    return found


def _parsed(figure: Figure, word: str) -> FigureAct:
    where, _, shown = word[1:].partition("=")
    if word[:1] not in ("+", "-") or len(shown) != figure.lattice.sides or not (shown.isascii() and shown.isdecimal()):
        raise Misfit(word)
    return FigureAct(figure.lattice.parse_cell(where), tuple(map(int, shown)), laid=word[0] == "+")
