"""Measure how large the digits and letters of a picture are when a phone shows it 369 pixels wide."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import Random
from typing import Final
from unittest.mock import patch

from data.rulebook import load_rules
from engine.board.lattice import Cell
from engine.match.decide import decide, find_forced_action, start
from engine.match.events import RoundEnded
from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from render.canvas import lettering
from render.canvas.cache import COMPOSITION_CACHE
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, load_manrope
from render.faces import build_face, compute_sign_height
from render.table.film import Film, FilmFrame
from render.table.hand import build_hand_layout, render_hand
from render.table.table_picture import build_table_layout, render_table
from render.table.window import PictureLayout
from tests.render.tables import CAPTIONS, NAMES

PHONE: Final = 369
"""The width of a picture on a phone, in the phone's own pixels."""


@dataclass(frozen=True, slots=True)
class BoardSizes:
    """Heights in a public picture, in pixels of a phone."""

    digits: float
    """The digits on the tiles of the board."""
    shown: float | None
    """The smallest digits of hands that are shown; None where none is."""


@dataclass(frozen=True, slots=True)
class HandSizes:
    """Heights in a private picture, in pixels of a phone."""

    tiles: float | None
    """The digits on the tiles of the hand; None where it is empty."""
    places: float | None
    """The smallest digits beside a place where a tile fits, 0 for a place that no window shows whole. None where
    nothing fits.
    """
    height: int
    """The height of the picture in its own pixels, of which it is 1200 wide."""


@dataclass(frozen=True, slots=True)
class TextSize:
    """The heights of a capital and of a small letter of a text in a picture, in pixels of a phone."""

    text: str
    capital: float
    small: float


def board_sizes(seen: PlayerView) -> BoardSizes | None:
    """Measure the public picture; None before the first tile is placed."""
    return _measure_board(build_table_layout(seen), seen)


def film_sizes(game: str, seats: int) -> list[BoardSizes]:
    """Measure the frames of a film of a whole round, its end included."""
    shots = [FilmFrame(view_for(match, None), NAMES[:seats], CAPTIONS) for match in play_round(game, seats)]
    film = Film(shots, 1000)
    sizes = (_measure_board(film.build_layout(number), shot.view) for number, shot in enumerate(shots))
    return [size for size in sizes if size is not None]


def _measure_board(plan: PictureLayout, seen: PlayerView) -> BoardSizes | None:
    if not plan.windows:
        return None
    face, outline = build_face(seen.rules, "classic"), OUTLINES[seen.rules.plane.first.kind]
    hands = [compute_sign_height(edge, outline, face.hand_face) for edge in plan.hand_edges]
    return BoardSizes(
        _on_phone(min(compute_sign_height(window.layout.edge, outline, face) for window in plan.windows), plan),
        _on_phone(min(hands), plan) if hands else None,
    )


def hand_sizes(seen: PlayerView) -> HandSizes:
    """Measure the private picture of the seat that looks."""
    plan, face = build_hand_layout(seen), build_face(seen.rules, "classic")
    outline = OUTLINES[seen.rules.plane.first.kind]
    fits = {move.placement.cell for move in seen.moves} if seen.tiles else set()
    tiles = [compute_sign_height(edge, outline, face.hand_face) for edge in plan.hand_edges]
    places = [
        max((compute_sign_height(edge, outline, face) for edge in _edges(plan, cell)), default=0) for cell in fits
    ]
    return HandSizes(
        _on_phone(min(tiles), plan) if tiles else None, _on_phone(min(places), plan) if places else None, plan.height
    )


def _edges(plan: PictureLayout, cell: Cell) -> Iterator[int]:
    """Yield the edge lengths with which a cell is shown whole."""
    for window in plan.windows:
        left, top, right, bottom = window.layout.compute_box(cell)
        is_inside = left >= window.area[0] and right <= window.area[2]
        if is_inside and top >= window.area[1] and bottom <= window.area[3]:
            yield window.layout.edge


def _on_phone(height: float, plan: PictureLayout) -> float:
    return height * PHONE / plan.width


def play_round(game: str, seats: int) -> Iterator[Match]:
    """Yield the first round of a match of computers after every placement, and at its end."""
    rng, secret = Random(f"{game} {seats} 0"), bytes(32)
    match = replay(start(load_rules(game), seats=seats, computers=(), by_hand=False, secret=secret))
    placed = 0
    while True:
        action = find_forced_action(match) or greedy.choose(view_for(match, match.turn), rng)
        for event in decide(match, action, secret):
            apply_event(match, event)
            if isinstance(event, RoundEnded):
                yield match  # the next deal may follow at once
                return
        if len(match.board.placed) != placed:
            placed = len(match.board.placed)
            yield match


def text_sizes(seen: PlayerView, *, own: bool) -> tuple[list[TextSize], list[TextSize]]:
    """Draw a picture and measure the texts in it: words, and the letters of places."""
    drawn: set[tuple[str, Style, int]] = set()
    with _listening(lambda text, style, size: drawn.add((text, style, size))):
        draw = render_hand if own else render_table
        width = draw(seen, NAMES[: len(seen.seats)], CAPTIONS).width
    letters = {place.letter for place in seen.places}
    sizes = [
        TextSize(text, *(_ink_height(one, style, size) * PHONE / width for one in "Hx"))
        for text, style, size in sorted(drawn, key=str)
    ]
    return [one for one in sizes if one.text not in letters], [one for one in sizes if one.text in letters]


def _ink_height(letter: str, style: Style, size: int) -> float:
    _, top, _, bottom = load_manrope(style, size).getbbox(letter, anchor="ls")
    return bottom - top


@contextmanager
def _listening(hear: Callable[[str, Style, int], object]) -> Iterator[None]:
    cover = lettering.render_text

    def cover_and_hear(text: str, style: Style, size: int) -> object:
        hear(text, style, size)
        return cover(text, style, size)

    COMPOSITION_CACHE.clear()
    with ExitStack() as patches:
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "render":
                for member, value in list(vars(module).items()):
                    if value is cover:
                        patches.enter_context(patch.object(module, member, cover_and_hear))
        yield
    COMPOSITION_CACHE.clear()
