"""The state of a user's solo puzzle: placed tiles, what fits, and the history for undo."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell, Site
from engine.board.tiles import Needs, Tile, find_rotation, format_labels, list_fitting_rotations, to_canonical
from engine.solo.figure import Figure

MAX_ACTS: Final = 240  # acts that can be undone; older ones are merged


class FillingError(ValueError):
    """A tile cannot be placed or lifted: it does not fit, is already used, or the cell is occupied or empty."""


class FigureAct(NamedTuple):
    """A placement on a cell, or the removal of its tile."""

    cell: Cell
    shown: Tile  # its labels, clockwise
    is_placement: bool

    def __str__(self) -> str:
        return f"{'+' if self.is_placement else '-'}{self.cell}={format_labels(self.shown)}"


@dataclass(frozen=True)
class Filling:
    """The immutable state of a solo puzzle; each act makes a new one."""

    figure: Figure
    acts: tuple[FigureAct, ...] = ()

    @cached_property
    def placed(self) -> Mapping[Cell, Placement]:
        """The tiles in the order of placement. Raises FillingError for an impossible act."""
        placements: dict[Cell, Placement] = {}
        for act in self.acts:
            placements = _apply_act(self.figure, placements, act)
        return placements

    @cached_property
    def _labels(self) -> dict[Site, int]:
        return _map_labels(self.figure, self.placed)

    @property
    def unused_tiles(self) -> tuple[Tile, ...]:
        """The unused tiles, smallest first."""
        used_tiles = {placement.tile for placement in self.placed.values()}
        return tuple(tile for tile in self.figure.tiles if tile not in used_tiles)

    @property
    def empty_cells(self) -> tuple[Cell, ...]:
        """The empty cells, in reading order."""
        return tuple(cell for cell in self.figure.cells if cell not in self.placed)

    @property
    def is_full(self) -> bool:
        """Whether the figure is filled, which solves it."""
        return len(self.placed) == len(self.figure.cells)

    def get_needs(self, cell: Cell) -> Needs:
        """Return the constraints of a cell, clockwise; None: any label."""
        return tuple(self._labels.get(site) for site in self.figure.list_sites(cell))

    def list_rotations(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        return list_fitting_rotations(tile, self.get_needs(cell))

    @cached_property
    def cells_by_tile(self) -> Mapping[Tile, tuple[Cell, ...]]:
        """The cells that each unused tile fits, in reading order; without tiles that fit nowhere."""
        found = {
            tile: tuple(cell for cell in self.empty_cells if self.list_rotations(tile, cell))
            for tile in self.unused_tiles
        }
        return {tile: cells for tile, cells in found.items() if cells}

    @cached_property
    def dead_cells(self) -> tuple[Cell, ...]:
        """The empty cells that no unused tile fits."""
        alive = {cell for cells in self.cells_by_tile.values() for cell in cells}
        return tuple(cell for cell in self.empty_cells if cell not in alive)

    @cached_property
    def wrong_cells(self) -> tuple[Cell, ...]:
        """The cells that differ from the known solution, in reading order."""
        known = self.figure.solution_labels
        return tuple(
            cell for cell in self.figure.cells if cell in self.placed and self.placed[cell].shown_labels != known[cell]
        )

    def place(self, tile: Tile, cell: Cell, turn: int) -> "Filling":
        """Place a tile. Raises FillingError."""
        return self._add_act(FigureAct(cell, Placement(tile, cell, turn).shown_labels, is_placement=True))

    def remove(self, cell: Cell) -> "Filling":
        """Remove the tile of a cell. Raises FillingError."""
        placement = self.placed.get(cell)
        if placement is None:
            raise FillingError(str(cell))
        return self._add_act(FigureAct(cell, placement.shown_labels, is_placement=False))

    def undo(self) -> "Filling":
        """Undo the last act. Raises FillingError if there is none."""
        if not self.acts:
            raise FillingError("nothing to undo")
        return Filling(self.figure, self.acts[:-1])

    def _add_act(self, act: FigureAct) -> "Filling":
        changed = Filling(self.figure, (*self.acts, act))
        # Avoid replaying all acts.
        changed.__dict__["placed"] = _apply_act(self.figure, self.placed, act)
        return changed if len(changed.acts) <= MAX_ACTS else changed._shorten_history()

    def _shorten_history(self) -> "Filling":
        kept = Filling(self.figure, self.acts[:-1])
        acts = (FigureAct(cell, placement.shown_labels, is_placement=True) for cell, placement in kept.placed.items())
        return Filling(self.figure, (*acts, self.acts[-1]))

    def __str__(self) -> str:
        return " ".join(map(str, self.acts))


def _apply_act(figure: Figure, placements: Mapping[Cell, Placement], act: FigureAct) -> dict[Cell, Placement]:
    """Return the tiles after an act. Raises FillingError if it is impossible."""
    if not act.is_placement:
        if act.cell not in placements:
            raise FillingError(str(act))
        return {cell: placement for cell, placement in placements.items() if cell != act.cell}
    tile, values = to_canonical(act.shown), _map_labels(figure, placements)
    turn = find_rotation(tile, act.shown)
    if (
        turn is None
        or act.cell in placements
        or act.cell not in figure.bounds
        or tile not in figure.tiles
        or any(other.tile == tile for other in placements.values())
        or any(values.get(at, label) != label for at, label in zip(figure.list_sites(act.cell), act.shown, strict=True))
    ):
        raise FillingError(str(act))
    return {**placements, act.cell: Placement(tile, act.cell, turn)}


def _map_labels(figure: Figure, placements: Mapping[Cell, Placement]) -> dict[Site, int]:
    values = dict(figure.edge_labels)
    for cell, placement in placements.items():
        values.update(zip(figure.list_sites(cell), placement.shown_labels, strict=True))
    return values


def parse_filling(figure: Figure, text: str) -> Filling:
    """Parse the output of `str`. Raises FillingError, also for an impossible act."""
    try:
        acts = tuple(_parse_act(figure, word) for word in text.split())
    except ValueError as error:
        raise FillingError(str(error)) from error
    found = Filling(figure, acts)
    found.placed  # noqa: B018 - raises where one was impossible
    return found


def _parse_act(figure: Figure, word: str) -> FigureAct:
    where, _, shown = word[1:].partition("=")
    if word[:1] not in ("+", "-") or len(shown) != figure.lattice.sides or not (shown.isascii() and shown.isdecimal()):
        raise FillingError(word)
    return FigureAct(figure.lattice.parse_cell(where), tuple(map(int, shown)), is_placement=word[0] == "+")
