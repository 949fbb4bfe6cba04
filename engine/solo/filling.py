"""The state of a user's solo puzzle: placed tiles, what fits, and the history for undo."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell, Site
from engine.board.tiles import Needs, Tile, canonical, fitting, labels_text, rotation_showing
from engine.solo.figure import Figure

LONGEST: Final = 240  # acts that can be undone; older ones are merged


class Misfit(ValueError):  # noqa: N818 - a refusal, not an error
    """A tile cannot be placed or lifted: it does not fit, is already used, or the cell is occupied or empty."""


class FigureAct(NamedTuple):
    """A placement on a cell, or the removal of its tile."""

    cell: Cell
    shown: Tile  # its labels, clockwise
    laid: bool

    def __str__(self) -> str:
        return f"{'+' if self.laid else '-'}{self.cell}={labels_text(self.shown)}"


@dataclass(frozen=True)
class Filling:
    """The immutable state of a solo puzzle; each act makes a new one."""

    figure: Figure
    acts: tuple[FigureAct, ...] = ()

    @cached_property
    def placed(self) -> Mapping[Cell, Placement]:
        """The tiles in the order of placement. Raises Misfit for an impossible act."""
        lying: dict[Cell, Placement] = {}
        for act in self.acts:
            lying = _after(self.figure, lying, act)
        return lying

    @cached_property
    def _values(self) -> dict[Site, int]:
        return _values(self.figure, self.placed)

    @property
    def left(self) -> tuple[Tile, ...]:
        """The unused tiles, smallest first."""
        lying = {placement.tile for placement in self.placed.values()}
        return tuple(tile for tile in self.figure.tiles if tile not in lying)

    @property
    def open(self) -> tuple[Cell, ...]:
        """The empty cells, in reading order."""
        return tuple(cell for cell in self.figure.cells if cell not in self.placed)

    @property
    def is_full(self) -> bool:
        """Whether the figure is filled, which solves it."""
        return len(self.placed) == len(self.figure.cells)

    def needs(self, cell: Cell) -> Needs:
        """Return the constraints of a cell, clockwise; None: any label."""
        return tuple(self._values.get(site) for site in self.figure.sites(cell))

    def turns(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """Return the rotations in which a tile fits an empty cell."""
        return fitting(tile, self.needs(cell))

    @cached_property
    def fits(self) -> Mapping[Tile, tuple[Cell, ...]]:
        """The cells that each unused tile fits, in reading order; without tiles that fit nowhere."""
        found = {tile: tuple(cell for cell in self.open if self.turns(tile, cell)) for tile in self.left}
        return {tile: cells for tile, cells in found.items() if cells}

    @cached_property
    def dead(self) -> tuple[Cell, ...]:
        """The empty cells that no unused tile fits."""
        alive = {cell for cells in self.fits.values() for cell in cells}
        return tuple(cell for cell in self.open if cell not in alive)

    @cached_property
    def strayed(self) -> tuple[Cell, ...]:
        """The cells that differ from the known solution, in reading order."""
        known = self.figure.shown_solution
        return tuple(
            cell for cell in self.figure.cells if cell in self.placed and self.placed[cell].shown != known[cell]
        )

    def lay(self, tile: Tile, cell: Cell, turn: int) -> "Filling":
        """Place a tile. Raises Misfit."""
        return self._with(FigureAct(cell, Placement(tile, cell, turn).shown, laid=True))

    def lift(self, cell: Cell) -> "Filling":
        """Remove the tile of a cell. Raises Misfit."""
        lying = self.placed.get(cell)
        if lying is None:
            raise Misfit(str(cell))
        return self._with(FigureAct(cell, lying.shown, laid=False))

    def undo(self) -> "Filling":
        """Undo the last act. Raises Misfit if there is none."""
        if not self.acts:
            raise Misfit("nothing to undo")
        return Filling(self.figure, self.acts[:-1])

    def _with(self, act: FigureAct) -> "Filling":
        after = Filling(self.figure, (*self.acts, act))
        # Avoid replaying all acts.
        after.__dict__["placed"] = _after(self.figure, self.placed, act)
        return after if len(after.acts) <= LONGEST else after._shortened()

    def _shortened(self) -> "Filling":
        kept = Filling(self.figure, self.acts[:-1])
        laid = tuple(FigureAct(cell, placement.shown, laid=True) for cell, placement in kept.placed.items())
        return Filling(self.figure, (*laid, self.acts[-1]))

    def __str__(self) -> str:
        return " ".join(map(str, self.acts))


def _after(figure: Figure, lying: Mapping[Cell, Placement], act: FigureAct) -> dict[Cell, Placement]:
    """Return the tiles after an act. Raises Misfit if it is impossible."""
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
    values = dict(figure.around)
    for cell, placement in lying.items():
        values.update(zip(figure.sites(cell), placement.shown, strict=True))
    return values


def parse_filling(figure: Figure, text: str) -> Filling:
    """Parse the output of `str`. Raises Misfit, also for an impossible act."""
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
