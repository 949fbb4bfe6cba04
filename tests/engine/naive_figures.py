"""Figures filled without the search: by their known solution, and by trying everything."""

from itertools import permutations, product

from engine.board.tiles import list_rotations, rotate_tile, to_canonical
from engine.solo.figure import Figure
from engine.solo.filling import Filling


def build_solved_filling(figure: Figure) -> Filling:
    """A figure with its known solution in it."""
    filling = Filling(figure)
    for cell, shown in figure.solution_labels.items():
        tile = to_canonical(shown)
        filling = filling.place(
            tile, cell, next(turn for turn in list_rotations(tile) if rotate_tile(tile, turn) == shown)
        )
    return filling


def count_solutions(figure: Figure) -> int:
    """Count the ways to fill a figure by trying all orders of its tiles and all their rotations."""
    found = 0
    for order in permutations(figure.tiles):
        for turns in product(*(list_rotations(tile) for tile in order)):
            values = dict(figure.edge_labels)
            pairs = [
                (site, label)
                for cell, tile, turn in zip(figure.cells, order, turns, strict=True)
                for site, label in zip(figure.list_sites(cell), rotate_tile(tile, turn), strict=True)
            ]
            found += all(values.setdefault(site, label) == label for site, label in pairs)
    return found
