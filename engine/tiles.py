"""Tiles, their rotations, the sets they come from, and the text `0-3-5` (RULES §1)."""

import re
from functools import lru_cache
from itertools import combinations_with_replacement, product

Tile = tuple[int, ...]
"""Labels read clockwise, in the rotation that is smallest: turning a tile does not make another one."""

Needs = tuple[int | None, ...]
"""What each corner of an open cell demands, clockwise; None where any label will do."""


def rotated(tile: Tile, rotation: int) -> Tile:
    """What the tile shows on corners 0, 1, 2 after `rotation` turns; `rotated((1, 3, 5), 1) == (3, 5, 1)`."""
    return tile[rotation:] + tile[:rotation]


def mirrored(tile: Tile) -> Tile:
    """The labels in the order a mirror shows them, clockwise again: another tile, unless two labels are equal."""
    return tile[::-1]


@lru_cache(maxsize=4096)
def canonical(shown: Tile) -> Tile:
    """The tile that shows these labels, whichever way round it lies."""
    return min(rotated(shown, turn) for turn in range(len(shown)))


@lru_cache(maxsize=4096)
def rotations(tile: Tile) -> tuple[int, ...]:
    """The rotations that look different: one for a triple, three for any other triangle."""
    seen: dict[Tile, int] = {}
    for turn in range(len(tile)):
        seen.setdefault(rotated(tile, turn), turn)
    return tuple(seen.values())


@lru_cache(maxsize=65536)
def fitting(tile: Tile, needs: Needs) -> tuple[int, ...]:
    """The rotations in which the tile meets every demand."""
    return tuple(
        turn
        for turn in rotations(tile)
        if all(need is None or need == label for need, label in zip(needs, rotated(tile, turn), strict=True))
    )


def is_triple(tile: Tile) -> bool:
    """Whether every label is the same."""
    return len(set(tile)) == 1


def turned(tile: Tile, shown: Tile) -> int | None:
    """The rotation in which the tile shows these labels, or None when it never does."""
    return next((turn for turn in range(len(tile)) if rotated(tile, turn) == shown), None)


def tile_text(tile: Tile) -> str:
    """`0-3-5`."""
    return "-".join(map(str, tile))


def parse_labels(text: str, labels: int) -> Tile:
    """Read `1-3-5`, `135` or `1 3 5` as labels in the order given.

    Raises ValueError when there are not `labels` single digits.
    """
    digits = re.sub(r"[\s,./-]+", "", text.strip())
    if not (digits.isascii() and digits.isdigit() and len(digits) == labels):
        raise ValueError(f"{text!r} is no tile; write it like {'-'.join('135'[:labels].ljust(labels, '5'))}")
    return tuple(map(int, digits))


@lru_cache
def ascending(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Every tile whose labels 0..values-1 do not fall when read clockwise from the smallest: 56 for six values."""
    return tuple(combinations_with_replacement(range(values), labels))


@lru_cache
def complete(values: int, labels: int = 3) -> tuple[Tile, ...]:
    """Every tile with labels 0..values-1, mirror images included: MacMahon's 76 for six values."""
    return tuple(sorted({canonical(shown) for shown in product(range(values), repeat=labels)}))


def tile_set(name: str) -> tuple[Tile, ...]:
    """The tiles of a named set, smallest first. Raises KeyError for a name that RULES §1 does not have."""
    return TILE_SETS[name]


TILE_SETS: dict[str, tuple[Tile, ...]] = {
    "trio56": ascending(6),
    "trio84": ascending(7),
    "mac76": complete(6),
}
