"""The open hands at the end of a round, between the board and the plates, large enough to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.board.tiles import Tile
from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.canvas import Canvas, render_sprite
from render.canvas.cell_outline import Outline
from render.canvas.geometry import EDGES, OUTLINES
from render.canvas.picture import RIM, WIDTH
from render.canvas.tokens import render_seat_token
from render.faces import Face, compute_sign_height
from render.table.cards import GAP, has_gone_out
from render.table.tile import render_tile_on

MIN_DIGIT_HEIGHT: Final = 29.3  # of a readable digit: nine pixels if the picture is 369 wide, as on a phone
MAX_EXTRA_STEPS: Final = 3  # steps by which tiles may be larger than that without another row
MAX_HEIGHT: Final = 560  # the greatest height of all hands; more tiles become smaller
PAD: Final = 14  # margin inside a panel
TILE_GAP: Final = 6  # pixels between two tiles of a hand
TOKEN_SIZE: Final = 36  # size of the seat token
TICK_SIZE: Final = 52  # size of the sign of a seat that went out
TOTAL_WIDTH: Final = WIDTH - 2 * RIM


class HandPanel(NamedTuple):
    """A hand: seat, box relative to the top left of all hands, and rows of tiles."""

    seat: int
    x: int
    y: int
    width: int
    height: int
    rows: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True)
class OpenHands:
    """The hands by seat, in seat order. The hand of a seat that went out is empty."""

    hands: tuple[tuple[int, tuple[Tile, ...]], ...]
    outline: Outline
    face: Face
    max_height: int = MAX_HEIGHT

    @cached_property
    def edge(self) -> int:
        """The edge of the tiles: readable, larger if there is room, smaller if needed."""
        heights = (compute_sign_height(edge, self.outline, self.face) for edge in EDGES)
        readable = next((at for at, height in enumerate(heights) if height >= MIN_DIGIT_HEIGHT), len(EDGES) - 1)
        if self._compute_height(EDGES[readable]) > self.max_height:
            smaller = reversed(EDGES[:readable])
            return next((edge for edge in smaller if self._compute_height(edge) <= self.max_height), EDGES[0])
        rows, larger = self._count_rows(EDGES[readable]), reversed(EDGES[readable : readable + MAX_EXTRA_STEPS])
        return next(edge for edge in larger if self._count_rows(edge) == rows)

    @property
    def height(self) -> int:
        return self._compute_height(self.edge)

    def draw(self, canvas: Canvas, top: int) -> None:
        theme, edge = canvas.theme, self.edge
        height, step = self.outline.compute_height(edge) + TILE_GAP, self._compute_step(edge)
        for panel in self._build_panels(edge):
            left, upper = RIM + panel.x, top + panel.y
            marks.draw_plate(canvas, left, upper, panel.width, panel.height)
            width = max((self._compute_row_width(len(row), edge) for row in panel.rows), default=TICK_SIZE)
            x = left + (panel.width - PAD - TOKEN_SIZE - PAD - width) // 2
            token = render_seat_token(theme, panel.seat, TOKEN_SIZE)
            canvas.paste_sprite(token, x, upper + (panel.height - TOKEN_SIZE) // 2)
            x += TOKEN_SIZE + PAD
            if not panel.rows:
                tick = render_sprite(theme, theme.accent, theme.slot, marks.render_tick, TICK_SIZE)
                canvas.paste_sprite(tick, x, upper + (panel.height - TICK_SIZE) // 2)
            y = upper + (panel.height - len(panel.rows) * height + TILE_GAP) // 2
            for row in panel.rows:
                for number, tile in enumerate(row):
                    sprite = render_tile_on(edge, self._choose_outline(number), tile, self.face, theme.slot)
                    canvas.paste_sprite(sprite, x + number * step, y)
                y += height

    def _choose_outline(self, number: int) -> Outline:
        """Triangles alternate between up and down, so that they are close together."""
        return Outline.DOWN if self.outline is Outline.UP and number % 2 else self.outline

    def _compute_step(self, edge: int) -> int:
        return (edge if self.outline is Outline.SQUARE else edge // 2) + TILE_GAP

    def _compute_row_width(self, tiles: int, edge: int) -> int:
        return self._compute_step(edge) * (tiles - 1) + edge

    def _compute_height(self, edge: int) -> int:
        panels = self._build_panels(edge)
        return max((panel.y + panel.height for panel in panels), default=0)

    def _count_rows(self, edge: int) -> int:
        lines = {panel.y: 0 for panel in self._build_panels(edge)}
        for panel in self._build_panels(edge):
            lines[panel.y] = max(lines[panel.y], len(panel.rows), 1)
        return sum(lines.values())

    def _build_panels(self, edge: int) -> list[HandPanel]:
        """Panels side by side while there is room, each as wide as its hand plus its share of the rest."""
        lines: list[list[tuple[int, int, tuple[tuple[Tile, ...], ...]]]] = []
        free = 0
        for seat, hand in self.hands:
            rows = self._split_rows(hand, edge)
            inside = max((self._compute_row_width(len(row), edge) for row in rows), default=TICK_SIZE)
            width = inside + TOKEN_SIZE + 3 * PAD
            if not lines or width > free:
                lines.append([])
                free = TOTAL_WIDTH
            lines[-1].append((seat, width, rows))
            free -= width + GAP
        panels, y = [], 0
        for line in lines:
            height = max(1, *(len(rows) for _, _, rows in line)) * (self.outline.compute_height(edge) + TILE_GAP)
            height += 2 * PAD - TILE_GAP
            left_over = TOTAL_WIDTH - sum(wide for _, wide, _ in line) - GAP * (len(line) - 1)
            x = 0
            for number, (seat, width, rows) in enumerate(line):
                end = TOTAL_WIDTH if number == len(line) - 1 else x + width + left_over // len(line)
                panels.append(HandPanel(seat, x, y, end - x, height, rows))
                x = end + GAP
            y += height + GAP
        return panels

    def _split_rows(self, hand: Sequence[Tile], edge: int) -> tuple[tuple[Tile, ...], ...]:
        """A hand in rows of similar length, as few as the width allows."""
        if not hand:
            return ()
        across = max(1, 1 + (TOTAL_WIDTH - TOKEN_SIZE - 3 * PAD - edge) // self._compute_step(edge))
        row_count = -(-len(hand) // across)
        across = -(-len(hand) // row_count)
        return tuple(tuple(hand[start : start + across]) for start in range(0, len(hand), across))


def build_open_hands(view: PlayerView, face: Face, max_height: int = MAX_HEIGHT) -> OpenHands | None:
    """The hands at the end of a round, at most this high if possible; None before the end."""
    if view.round_over is None:
        return None
    hands = tuple((seat.seat, tuple(seat.hand or ())) for seat in view.seats)
    shown = tuple((seat, hand) for seat, hand in hands if hand or has_gone_out(view, seat))
    return OpenHands(shown, OUTLINES[view.rules.plane.first.kind], face.hand_face, max_height) if shown else None
