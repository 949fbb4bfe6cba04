"""Tiles, their rotations, the sets they come from, and the text `0-3-5` (RULES §1)."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import comb
from typing import Final

WILD: Final = -1
"""A label that carries no number and fits anything: all of the boss, one corner of the joker."""

Tile = tuple[int, ...]
"""Labels read clockwise, in the rotation that is smallest: turning a tile does not make another one."""

Needs = tuple[int | None, ...]
"""What each corner or side of an open cell demands, clockwise; None where any label will do."""

BOSS: Final[Tile] = (WILD, WILD, WILD)
"""The tile without numbers of Triangular Dominoes."""

WILD_TEXT: Final = "J"
BOSS_TEXT: Final = "BOSS"


@lru_cache(maxsize=4096)
def rotated(tile: Tile, rotation: int) -> Tile:
    """What the tile shows on places 0, 1, 2 after `rotation` turns; `rotated((1, 3, 5), 1) == (3, 5, 1)`.

    Where a tile has no fixed order, whole rounds stand for its other orders: `rotation // len(tile)` numbers them.
    """
    if not 0 <= rotation < len(tile):
        order, rotation = divmod(rotation, len(tile))
        tile = _orders(tile)[order % len(_orders(tile))]
    return tile[rotation:] + tile[:rotation]


@lru_cache(maxsize=4096)
def _orders(tile: Tile) -> tuple[Tile, ...]:
    """The ways to arrange the labels around the tile, its own first."""
    return tuple(dict.fromkeys((tile[0], *rest) for rest in permutations(tile[1:])))


def mirrored(tile: Tile) -> Tile:
    """The labels in the order a mirror shows them, clockwise again: another tile, unless two labels are equal."""
    return tile[::-1]


@lru_cache(maxsize=8192)
def canonical(shown: Tile) -> Tile:
    """The tile that shows these labels, whichever way round it lies."""
    return min(rotated(shown, turn) for turn in range(len(shown)))


@lru_cache(maxsize=4096)
def rotations(tile: Tile, *, free: bool = False) -> tuple[int, ...]:
    """The rotations that look different: one for a triple, three for any other triangle.

    `free` counts every order of the labels, for tiles whose order is not fixed.
    """
    seen: dict[Tile, int] = {}
    for turn in range(len(tile) * (len(_orders(tile)) if free else 1)):
        seen.setdefault(rotated(tile, turn), turn)
    return tuple(seen.values())


@lru_cache(maxsize=65536)
def fitting(tile: Tile, needs: Needs, fives: bool = False, free: bool = False) -> tuple[int, ...]:
    """The rotations in which the tile meets every demand. `fives`: numbers that meet add up to a multiple of five."""
    return tuple(
        turn
        for turn in rotations(tile, free=free)
        if all(meets(need, label, fives=fives) for need, label in zip(needs, rotated(tile, turn), strict=True))
    )


def meets(need: int | None, label: int, *, fives: bool = False) -> bool:
    """Whether a label may lie where this one is demanded."""
    return need is None or label == WILD or ((need + label) % 5 == 0 if fives else need == label)


@lru_cache(maxsize=4096)
def is_triple(tile: Tile) -> bool:
    """Whether every label is the same number (RULES: triple; of four labels, quad)."""
    return tile[0] != WILD and len(set(tile)) == 1


@lru_cache(maxsize=4096)
def pips(tile: Tile) -> int:
    """The sum of the numbers; what is wild counts nothing."""
    return sum(label for label in tile if label != WILD)


def rotation_showing(tile: Tile, shown: Tile, *, free: bool = False) -> int | None:
    """The rotation in which the tile shows these labels, or None when it never does."""
    return next((turn for turn in rotations(tile, free=free) if rotated(tile, turn) == shown), None)


def tile_text(tile: Tile) -> str:
    """`0-3-5`; `BOSS`; `J-0-0` where a label is wild."""
    return BOSS_TEXT if tile == BOSS else "-".join(map(_label_text, tile))


def labels_text(tile: Tile) -> str:
    """`035`: the same without anything between."""
    return BOSS_TEXT if tile == BOSS else "".join(map(_label_text, tile))


def _label_text(label: int) -> str:
    return WILD_TEXT if label == WILD else str(label)


def parse_labels(text: str, labels: int) -> Tile:
    """Read `1-3-5`, `135` or `1 3 5` as labels in the order given, `J` as a wild one and `BOSS` as the boss.

    Raises ValueError when there are not `labels` of them.
    """
    bare = re.sub(r"[\s,./-]+", "", text.strip()).upper()
    if bare == BOSS_TEXT and labels == len(BOSS):
        return BOSS
    if re.fullmatch(f"[0-9{WILD_TEXT}]{{{labels}}}", bare, re.ASCII) is None:
        raise ValueError(f"{text!r} is no tile; write it like {'-'.join('135'[:labels].ljust(labels, '5'))}")
    return tuple(WILD if label == WILD_TEXT else int(label) for label in bare)


@lru_cache
def ascending(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Every tile whose labels 0..values-1 do not fall when read clockwise from the smallest: 56 for six values."""
    return tuple(combinations_with_replacement(range(values), labels))


@lru_cache
def complete(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Every tile with labels 0..values-1, mirror images included: MacMahon's 76 for six values."""
    return tuple(sorted({canonical(shown) for shown in product(range(values), repeat=labels)}))


LEAST_VALUES: Final = 2
MOST_VALUES: Final = 10
"""A label is one digit."""

QUAD_MISSING: Final = (0, 2, 4, 5)
"""The one multiset that Quad-Ominos leaves out of its 126."""


@lru_cache
def tile_set(name: str) -> tuple[Tile, ...]:
    """The tiles of a named set, smallest first: a kind and a count, such as `trio56` or `mac24` (RULES §1).

    Raises ValueError when no range of numbers 0..n makes so many tiles of that kind.
    """
    kind = kind_of_set(name)
    if name not in set_names(kind):
        raise ValueError(f"tile_set must be a kind and its count, like trio56, td35, mac24, quad125; not {name!r}")
    values = LEAST_VALUES + set_names(kind).index(name)
    if kind == "mac":
        return complete(values)
    if kind == "quad":
        return tuple(tile for tile in ascending(values, 4) if tile != QUAD_MISSING)
    return ascending(values)


@lru_cache
def set_names(kind: str) -> tuple[str, ...]:
    """The sets of a kind, by the numbers that they have, from 0 and 1 to 0 to 9: `mac4`, `mac11`, `mac24`, ..."""
    sizes: dict[str, Callable[[int], int]] = {
        "trio": lambda values: comb(values + 2, 3),
        "td": lambda values: comb(values + 2, 3),
        "mac": lambda values: values * (values * values + 2) // 3,
        "quad": lambda values: comb(values + 3, 4) - (values > max(QUAD_MISSING)),
    }
    if kind not in sizes:
        return ()
    return tuple(f"{kind}{sizes[kind](values)}" for values in range(LEAST_VALUES, MOST_VALUES + 1))


def kind_of_set(name: str) -> str:
    """`trio` of `trio56`."""
    return name.rstrip("0123456789")
