"""Tiles, their rotations, tile sets, and the text form `0-3-5` (RULES §1)."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import comb
from typing import Final

from engine.typed_text import normalize_text

WILD: Final = -1  # a label without a number that fits anything: all of the boss, one corner of the joker
Tile = tuple[int, ...]  # labels clockwise, in the smallest rotation: turning a tile does not make another one
Needs = tuple[int | None, ...]  # constraints of the corners or sides of an open cell, clockwise; None: any label
BOSS: Final[Tile] = (WILD, WILD, WILD)  # the tile without numbers in Triangular Dominoes
WILD_TEXT: Final = "J"
BOSS_TEXT: Final = "BOSS"


@lru_cache(maxsize=4096)
def rotate_tile(tile: Tile, rotation: int) -> Tile:
    """Return the labels on places 0, 1, 2 after `rotation` turns; `rotate_tile((1, 3, 5), 1) == (3, 5, 1)`. For a tile
    without fixed order, `rotation // len(tile)` selects the order of its labels.
    """
    if not 0 <= rotation < len(tile):
        order, rotation = divmod(rotation, len(tile))
        tile = _list_orders(tile)[order % len(_list_orders(tile))]
    return tile[rotation:] + tile[:rotation]


@lru_cache(maxsize=4096)
def _list_orders(tile: Tile) -> tuple[Tile, ...]:
    return tuple(dict.fromkeys((tile[0], *rest) for rest in permutations(tile[1:])))


def mirror_tile(tile: Tile) -> Tile:
    """Return the mirror image of the labels, clockwise: another tile, unless two labels are equal."""
    return tile[::-1]


@lru_cache(maxsize=8192)
def to_canonical(shown: Tile) -> Tile:
    """Return the tile that shows these labels in some rotation."""
    return min(rotate_tile(shown, turn) for turn in range(len(shown)))


@lru_cache(maxsize=4096)
def list_rotations(tile: Tile, *, free: bool = False) -> tuple[int, ...]:
    """Return the rotations that look different: one for a triple, three for any other triangle. `free` includes every
    order of the labels, for tiles without a fixed order.
    """
    turn_by_labels: dict[Tile, int] = {}
    for turn in range(len(tile) * (len(_list_orders(tile)) if free else 1)):
        turn_by_labels.setdefault(rotate_tile(tile, turn), turn)
    return tuple(turn_by_labels.values())


@lru_cache(maxsize=65536)
def list_fitting_rotations(tile: Tile, needs: Needs, fives: bool = False, free: bool = False) -> tuple[int, ...]:
    """Return the rotations in which the tile meets all constraints; `fives`: sums must be multiples of five."""
    return tuple(
        turn
        for turn in list_rotations(tile, free=free)
        if all(meets(need, label, fives=fives) for need, label in zip(needs, rotate_tile(tile, turn), strict=True))
    )


def meets(need: int | None, label: int, *, fives: bool = False) -> bool:
    """Return whether a label meets a constraint."""
    return need is None or label == WILD or ((need + label) % 5 == 0 if fives else need == label)


@lru_cache(maxsize=4096)
def is_triple(tile: Tile) -> bool:
    """Return whether all labels are the same number (RULES: triple; with four labels, quad)."""
    return tile[0] != WILD and len(set(tile)) == 1


@lru_cache(maxsize=4096)
def count_pips(tile: Tile) -> int:
    """Return the sum of the numbers; a wild label counts 0."""
    return sum(label for label in tile if label != WILD)


def find_rotation(tile: Tile, shown: Tile, *, free: bool = False) -> int | None:
    """Return the rotation in which the tile shows these labels, or None."""
    return next((turn for turn in list_rotations(tile, free=free) if rotate_tile(tile, turn) == shown), None)


def format_tile_notation(tile: Tile) -> str:
    """Format a tile: `0-3-5`; `BOSS`; `J-0-0` with a wild label."""
    return BOSS_TEXT if tile == BOSS else "-".join(map(_format_label, tile))


def format_labels(tile: Tile) -> str:
    """Format a tile without separators: `035`."""
    return BOSS_TEXT if tile == BOSS else "".join(map(_format_label, tile))


def _format_label(label: int) -> str:
    return WILD_TEXT if label == WILD else str(label)


def parse_labels(text: str, labels: int) -> Tile:
    """Parse `1-3-5`, `(135)` or `1 3 5`, with `J` for a wild label and `BOSS` for the boss, keeping the order. Raises
    ValueError unless there are `labels` of them.
    """
    bare = re.sub(r"[\s,./()\[\]{}<>-]+", "", normalize_text(text)).upper()
    if bare == BOSS_TEXT and labels == len(BOSS):
        return BOSS
    if re.fullmatch(f"[0-9{WILD_TEXT}]{{{labels}}}", bare, re.ASCII) is None:
        raise ValueError(f"{text!r} is no tile; write it like {'-'.join('135'[:labels].ljust(labels, '5'))}")
    return tuple(WILD if label == WILD_TEXT else int(label) for label in bare)


@lru_cache
def list_ascending_tiles(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Return every tile whose labels 0..values-1 do not fall clockwise from the smallest: 56 for six values."""
    return tuple(combinations_with_replacement(range(values), labels))


@lru_cache
def list_all_tiles(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Return every tile with labels 0..values-1, including mirror images: MacMahon's 76 for six values."""
    return tuple(sorted({to_canonical(shown) for shown in product(range(values), repeat=labels)}))


MIN_VALUES: Final = 2
MAX_VALUES: Final = 10  # a label is one digit
QUAD_MISSING: Final = (0, 2, 4, 5)  # the only multiset that Quad-Ominos omits from its 126


@lru_cache
def get_tile_set(name: str) -> tuple[Tile, ...]:
    """Return a named tile set, smallest tile first: a kind and a count, such as `trio56` or `mac24` (RULES §1). Raises
    ValueError unless numbers 0..n give that many tiles.
    """
    kind = parse_set_kind(name)
    if name not in list_set_names(kind):
        raise ValueError(f"tile_set must be a kind and its count, like trio56, td35, mac24, quad125; not {name!r}")
    values = MIN_VALUES + list_set_names(kind).index(name)
    if kind == "mac":
        return list_all_tiles(values)
    if kind == "quad":
        return tuple(tile for tile in list_ascending_tiles(values, 4) if tile != QUAD_MISSING)
    return list_ascending_tiles(values)


@lru_cache
def list_set_names(kind: str) -> tuple[str, ...]:
    """Return the sets of a kind, from the numbers 0 to 1 up to 0 to 9: `mac4`, `mac11`, `mac24`, ..."""
    sizes: dict[str, Callable[[int], int]] = {
        "trio": lambda values: comb(values + 2, 3),
        "td": lambda values: comb(values + 2, 3),
        "mac": lambda values: values * (values * values + 2) // 3,
        "quad": lambda values: comb(values + 3, 4) - (values > max(QUAD_MISSING)),
    }
    if kind not in sizes:
        return ()
    return tuple(f"{kind}{sizes[kind](values)}" for values in range(MIN_VALUES, MAX_VALUES + 1))


def parse_set_kind(name: str) -> str:
    """Return the kind, for example `trio` of `trio56`."""
    return name.rstrip("0123456789")
