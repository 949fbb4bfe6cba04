"""The open hands at the end of a round, between the board and the plates, large enough to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.board.tiles import Tile
from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.canvas import Canvas, inked
from render.canvas.cell_outline import Outline
from render.canvas.geometry import EDGES, OUTLINES
from render.canvas.picture import RIM, WIDTH
from render.canvas.tokens import seat_token
from render.faces import Face, sign_height
from render.table.cards import GAP, laid_its_last
from render.table.tile import tile_sprite

READ: Final = 21.2  # height of a readable digit: six and a half pixels when the picture is 369 wide, as on a phone
LARGER: Final = 5  # steps by which tiles may be larger than that without another row
MOST: Final = 560  # the greatest height of all hands; more tiles become smaller
PAD: Final = 14  # margin inside a panel
BETWEEN: Final = 6  # pixels between two tiles of a hand
TOKEN: Final = 36  # size of the seat token
TICK: Final = 52  # size of the sign of a seat that went out
ROOM: Final = WIDTH - 2 * RIM


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
    most: int = MOST

    @cached_property
    def edge(self) -> int:
        """The edge of the tiles: readable, larger if there is room, smaller if needed."""
        read = next((at for at, edge in enumerate(EDGES) if self._height_of_sign(edge) >= READ), len(EDGES) - 1)
        if self._height(EDGES[read]) > self.most:
            return next((edge for edge in reversed(EDGES[:read]) if self._height(edge) <= self.most), EDGES[0])
        rows = self._count(EDGES[read])
        return next(edge for edge in reversed(EDGES[read : read + LARGER]) if self._count(edge) == rows)

    @property
    def height(self) -> int:
        return self._height(self.edge)

    def draw(self, canvas: Canvas, top: int) -> None:
        """Draw the hands across the picture."""
        theme, edge = canvas.theme, self.edge
        high, step = self.outline.height(edge) + BETWEEN, self._step(edge)
        for panel in self._panels(edge):
            left, upper = RIM + panel.x, top + panel.y
            marks.panel(canvas, left, upper, panel.width, panel.height)
            wide = max((self._long(len(row), edge) for row in panel.rows), default=TICK)
            x = left + (panel.width - PAD - TOKEN - PAD - wide) // 2
            canvas.stamp(seat_token(theme, panel.seat, TOKEN), x, upper + (panel.height - TOKEN) // 2)
            x += TOKEN + PAD
            if not panel.rows:
                tick = inked(theme, theme.accent, theme.slot, marks.tick, TICK)
                canvas.stamp(tick, x, upper + (panel.height - TICK) // 2)
            y = upper + (panel.height - len(panel.rows) * high + BETWEEN) // 2
            for row in panel.rows:
                for number, tile in enumerate(row):
                    sprite = tile_sprite(edge, self._turned(number), tile, self.face)
                    canvas.stamp(sprite, x + number * step, y)
                y += high

    def _height_of_sign(self, edge: int) -> float:
        return sign_height(edge, self.outline, self.face)

    def _turned(self, number: int) -> Outline:
        """Triangles alternate between up and down, so that they are close together."""
        return Outline.DOWN if self.outline is Outline.UP and number % 2 else self.outline

    def _step(self, edge: int) -> int:
        return (edge if self.outline is Outline.SQUARE else edge // 2) + BETWEEN

    def _long(self, tiles: int, edge: int) -> int:
        return self._step(edge) * (tiles - 1) + edge

    def _height(self, edge: int) -> int:
        panels = self._panels(edge)
        return max((panel.y + panel.height for panel in panels), default=0)

    def _count(self, edge: int) -> int:
        """The number of rows of tiles."""
        lines = {panel.y: 0 for panel in self._panels(edge)}
        for panel in self._panels(edge):
            lines[panel.y] = max(lines[panel.y], len(panel.rows), 1)
        return sum(lines.values())

    def _panels(self, edge: int) -> list[HandPanel]:
        """Panels side by side while there is room, each as wide as its hand plus its share of the rest."""
        lines: list[list[tuple[int, int, tuple[tuple[Tile, ...], ...]]]] = []
        free = 0
        for seat, hand in self.hands:
            rows = self._rows(hand, edge)
            inside = max((self._long(len(row), edge) for row in rows), default=TICK)
            wide = inside + TOKEN + 3 * PAD
            if not lines or wide > free:
                lines.append([])
                free = ROOM
            lines[-1].append((seat, wide, rows))
            free -= wide + GAP
        panels, y = [], 0
        for line in lines:
            high = max(1, *(len(rows) for _, _, rows in line)) * (self.outline.height(edge) + BETWEEN)
            high += 2 * PAD - BETWEEN
            left_over = ROOM - sum(wide for _, wide, _ in line) - GAP * (len(line) - 1)
            x = 0
            for number, (seat, wide, rows) in enumerate(line):
                end = ROOM if number == len(line) - 1 else x + wide + left_over // len(line)
                panels.append(HandPanel(seat, x, y, end - x, high, rows))
                x = end + GAP
            y += high + GAP
        return panels

    def _rows(self, hand: Sequence[Tile], edge: int) -> tuple[tuple[Tile, ...], ...]:
        """A hand in rows of similar length, as few as the width allows."""
        if not hand:
            return ()
        across = max(1, 1 + (ROOM - TOKEN - 3 * PAD - edge) // self._step(edge))
        many = -(-len(hand) // across)
        across = -(-len(hand) // many)
        return tuple(tuple(hand[start : start + across]) for start in range(0, len(hand), across))


def open_hands(seen: PlayerView, face: Face, most: int = MOST) -> OpenHands | None:
    """The hands at the end of a round, at most this high if possible; None before the end."""
    if seen.round_over is None:
        return None
    hands = tuple((seat.seat, tuple(seat.hand or ())) for seat in seen.seats)
    shown = tuple((seat, hand) for seat, hand in hands if hand or laid_its_last(seen, seat))
    return OpenHands(shown, OUTLINES[seen.rules.plane.first.kind], face.held, most) if shown else None
