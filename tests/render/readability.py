"""Measure how large the digits and letters of a picture are when a phone shows it 369 pixels wide."""

import sys
from collections.abc import Callable, Iterator, Sequence
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
from render.canvas.canvas import Box
from render.canvas.geometry import OUTLINES
from render.canvas.lettering import Style, load_manrope
from render.canvas.picture import WIDTH
from render.faces import build_face, compute_sign_height
from render.table.film import Film, FilmFrame
from render.table.hand import build_hand_rack, render_hand
from render.table.table_picture import TableArrangement, render_table
from render.table.window import Window
from tests.render.tables import CAPTIONS, NAMES, build_arrangement, build_hand_arrangement, build_window

PHONE: Final = 369
"""The width of a picture on a phone, in the phone's own pixels."""


@dataclass(frozen=True, slots=True)
class BoardSizes:
    """Heights in a public picture, in pixels of a phone."""

    digits: float
    open_hands: float | None
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


@dataclass(frozen=True, slots=True)
class TextSize:
    """The heights of a capital and of a small letter of a text in a picture, in pixels of a phone."""

    text: str
    capital: float
    small: float


def measure_board(view: PlayerView) -> BoardSizes | None:
    """Measure the public picture; None before the first tile is placed."""
    return _measure_arrangement(build_arrangement(view), view)


def measure_film(game: str, seats: int) -> list[BoardSizes]:
    shots = [FilmFrame(view_for(match, None), NAMES[:seats], CAPTIONS) for match in play_round(game, seats)]
    film = Film(shots, 1000)
    sizes = (_measure_arrangement(film.arrange(shot), shot.view) for shot in shots)
    return [size for size in sizes if size is not None]


def _measure_arrangement(arrangement: TableArrangement, view: PlayerView) -> BoardSizes | None:
    if not view.tiles:
        return None
    face, outline, hands = build_face(view.rules, "classic"), OUTLINES[view.rules.plane.first.kind], arrangement.hands
    has_hand = hands is not None and any(hand for _, hand in hands.hands)
    return BoardSizes(
        _to_phone_pixels(compute_sign_height(build_window(view, arrangement).layout.edge, outline, face)),
        _to_phone_pixels(compute_sign_height(hands.edge, outline, face.hand_face)) if has_hand else None,
    )


def measure_hand(view: PlayerView) -> HandSizes:
    windows, face = build_hand_arrangement(view).windows, build_face(view.rules, "classic")
    outline, rack = OUTLINES[view.rules.plane.first.kind], build_hand_rack(view, face)
    fits = {move.placement.cell for move in view.moves} if view.tiles else set()
    places = [
        max((compute_sign_height(edge, outline, face) for edge in _iterate_edges(windows, cell)), default=0)
        for cell in fits
    ]
    return HandSizes(
        _to_phone_pixels(compute_sign_height(rack.edge, outline, face.hand_face)) if rack.hand else None,
        _to_phone_pixels(min(places)) if places else None,
    )


def _iterate_edges(windows: Sequence[Window], cell: Cell) -> Iterator[int]:
    """Yield the edge lengths with which a cell is shown whole."""
    return (window.layout.edge for window in windows if is_inside(window, window.layout.compute_box(cell)))


def is_inside(window: Window, box: Box) -> bool:
    left, top, right, bottom = window.area
    return left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom


def _to_phone_pixels(height: float) -> float:
    return height * PHONE / WIDTH


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


def measure_texts(view: PlayerView, *, own: bool) -> tuple[list[TextSize], list[TextSize]]:
    """Draw a picture and measure the texts in it: words, and the letters of places."""
    texts: set[tuple[str, Style, int]] = set()
    with _record_texts(lambda text, style, size: texts.add((text, style, size))):
        render = render_hand if own else render_table
        width = render(view, NAMES[: len(view.seats)], CAPTIONS).width
    letters = {place.letter for place in view.places}
    sizes = [
        TextSize(text, *(_measure_ink_height(one, style, size) * PHONE / width for one in "Hx"))
        for text, style, size in sorted(texts, key=str)
    ]
    return [one for one in sizes if one.text not in letters], [one for one in sizes if one.text in letters]


def _measure_ink_height(letter: str, style: Style, size: int) -> float:
    _, top, _, bottom = load_manrope(style, size).getbbox(letter, anchor="ls")
    return bottom - top


@contextmanager
def _record_texts(on_text: Callable[[str, Style, int], object]) -> Iterator[None]:
    original = lettering.render_text

    def record_and_render(text: str, style: Style, size: int) -> object:
        on_text(text, style, size)
        return original(text, style, size)

    COMPOSITION_CACHE.clear()
    with ExitStack() as patches:
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "render":
                for member, value in list(vars(module).items()):
                    if value is original:
                        patches.enter_context(patch.object(module, member, record_and_render))
        yield
    COMPOSITION_CACHE.clear()
