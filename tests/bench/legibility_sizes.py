"""How large things are in a picture that is shown as wide as a phone shows it, from the layouts that are drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from typing import Final
from unittest.mock import patch

from engine.lattice import Cell, Lattice
from engine.seen import Seen
from render import Film, Shot, hand_picture, lettering, table_picture
from render.faces import face_of, sign_height
from render.geometry import OUTLINES, Frame, across, frame
from render.hand import hand_plan
from render.in_sight import in_sight
from render.kept import PIECES
from render.lettering import Style, font
from render.table import table_plan
from render.window import Plan, Window
from tests.bench.boards import captions
from tests.render.tables import NAMES

PHONE: Final = 369
"""The width of a picture on a phone, in its own pixels."""


@dataclass(frozen=True, slots=True)
class BoardSizes:
    """What can be read on a public picture, in pixels of a phone."""

    digits: float
    """The height of the numbers on the table's tiles."""
    shown: float | None
    """The same in the hands that are shown; None while none is."""
    filled: float
    """The share of the board's part of the picture that tiles cover."""
    fillable: tuple[float, float]
    """The share that they would cover of the smallest box around tiles and slots, and around tiles alone."""


@dataclass(frozen=True, slots=True)
class HandSizes:
    """What can be read on a private picture, in pixels of a phone."""

    tiles: float | None
    """The height of the numbers on the tiles of the hand; None where it is empty."""
    places: float | None
    """The smallest height of the numbers beside a place where the hand fits, 0 for a place that is nowhere close; None
    where it fits nowhere, or nothing lies.
    """
    height: int
    """The height of the picture, in the 1200 its width has."""


def board_sizes(seen: Seen) -> BoardSizes | None:
    """Of the public picture; None before the first tile lies."""
    return _sizes_of(table_plan(seen), seen)


def film_sizes(film: Film, shots: Sequence[Shot]) -> list[BoardSizes]:
    """Of the frames of a film with a table on them."""
    sizes = (_sizes_of(film.plan(number), shot.seen) for number, shot in enumerate(shots))
    return [size for size in sizes if size is not None]


def _sizes_of(plan: Plan, seen: Seen) -> BoardSizes | None:
    face = face_of(seen.rules, "classic")
    if not plan.windows:
        return None
    lattice, cells = seen.rules.plane, [lying.cell for lying in seen.tiles]
    outline = OUTLINES[lattice.first.kind]
    hands = [sign_height(edge, outline, face.held) for edge in plan.rack]
    return BoardSizes(
        digits=_on_phone(min(sign_height(window.layout.edge, outline, face) for window in plan.windows), plan),
        shown=_on_phone(min(hands), plan) if hands else None,
        filled=sum(_filled(window, cells) for window in plan.windows) / sum(map(_area, plan.windows)),
        fillable=(_share(lattice, cells, in_sight(seen).frame), _share(lattice, cells, frame(lattice, cells))),
    )


def hand_sizes(seen: Seen) -> HandSizes:
    """Of the viewer's own picture."""
    plan, face = hand_plan(seen), face_of(seen.rules, "classic")
    outline = OUTLINES[seen.rules.plane.first.kind]
    fits = {move.placement.cell for move in seen.moves} if seen.tiles else set()
    tiles = [sign_height(edge, outline, face.held) for edge in plan.rack]
    places = [max((sign_height(near, outline, face) for near in _edges(plan, cell)), default=0) for cell in fits]
    return HandSizes(
        tiles=_on_phone(min(tiles), plan) if tiles else None,
        places=_on_phone(min(places), plan) if places else None,
        height=plan.height,
    )


def _edges(plan: Plan, cell: Cell) -> Iterator[int]:
    """The edges with which a cell is shown whole."""
    for window in plan.windows:
        left, top, right, bottom = window.layout.box(cell)
        inside = left >= window.area[0] and right <= window.area[2]
        if inside and top >= window.area[1] and bottom <= window.area[3]:
            yield window.layout.edge


def _on_phone(height: float, plan: Plan) -> float:
    return height * PHONE / plan.width


def _area(window: Window) -> int:
    left, top, right, bottom = window.area
    return (right - left) * (bottom - top)


def _filled(window: Window, tiles: list[Cell]) -> float:
    """The pixels that tiles cover; one that lies across the rim counts whole."""
    edge = window.layout.edge
    one = edge * edge * (sqrt(3) / 4 if window.layout.lattice.sides == 3 else 1)
    return one * sum(map(window.shows, tiles))


def _share(lattice: Lattice, tiles: list[Cell], box: Frame) -> float:
    """How much of a box tiles cover."""
    wide, high = (box[2] - box[0]) / across(lattice), box[3] - box[1]
    return len(tiles) * (0.5 if lattice.sides == 3 else 1) / (wide * high)


@dataclass(frozen=True, slots=True)
class Written:
    """A text in a picture, with its letters' heights in pixels of a phone."""

    text: str
    capital: float
    small: float
    """The height of a small letter without ascender."""


def written(seen: Seen, *, own: bool) -> tuple[list[Written], list[Written]]:
    """The words of a picture and the letters of its places: it is drawn, and what is set in letters is listened to."""
    heard: set[tuple[str, Style, int]] = set()
    names = NAMES[: len(seen.seats)]

    def hear(text: str, style: Style, size: int) -> None:
        heard.add((text, style, size))

    with _overheard(hear):
        draw = hand_picture if own else table_picture
        width = draw(seen, names, captions(seen, names)).width
    letters = {place.letter for place in seen.places}
    told = [
        (text in letters, Written(text, *(_ink(one, style, size) * PHONE / width for one in "Hx")))
        for text, style, size in sorted(heard, key=str)
    ]
    return [one for letter, one in told if not letter], [one for letter, one in told if letter]


def _ink(letter: str, style: Style, size: int) -> float:
    _, top, _, bottom = font(style, size).getbbox(letter, anchor="ls")
    return bottom - top


@contextmanager
def _overheard(hear: Callable[[str, Style, int], None]) -> Iterator[None]:
    """Whoever in `render` draws a text is heard; nothing that was put together before is taken."""
    cover = lettering.cover

    def heard(text: str, style: Style, size: int) -> object:
        hear(text, style, size)
        return cover(text, style, size)

    PIECES.clear()
    known = [module for name, module in sys.modules.items() if name.partition(".")[0] == "render"]
    patches = [
        patch.object(module, name, heard)
        for module in known
        for name, value in list(vars(module).items())
        if value is cover
    ]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
        PIECES.clear()
