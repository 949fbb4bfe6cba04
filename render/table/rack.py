"""The rack of a hand: walnut; tiles that fit come first, each with its best score and place."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from PIL import Image, ImageDraw

from engine.board.tiles import Tile
from engine.match.player_view import Move
from render.canvas import marks
from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, threshold
from render.canvas.cell_outline import Corners, Outline, locate_corners
from render.canvas.lettering import Style, draw_text, measure_text
from render.canvas.palette import UNPLAYABLE_OPACITY
from render.canvas.picture import RIM, WIDTH
from render.canvas.stretched import NinePatch, build_nine_patch
from render.canvas.theme import Theme, mix
from render.faces import Face
from render.table.cards import format_signed
from render.table.tile import render_tile_on

PAD: Final = 24  # from the edge of the rack to its tiles
TILE_GAP: Final = 14  # pixels between two tiles
ROW_GAP: Final = 16  # pixels between two rows
TAG_HEIGHT: Final = 62  # room under a row of tiles for their scores
POINTS, LETTER, LEAST = 42, 41, 32  # sizes under a tile: best score, letter of its place, the least readable size
LETTER_GAP: Final = 12  # pixels between a tile's score and the letter of its place
LIFT_HEIGHT: Final = 14  # how far a picked tile is lifted


@dataclass(frozen=True, slots=True)
class RackPosition:
    """The position of a tile on the rack, relative to the rack's top left."""

    tile: Tile
    outline: Outline
    x: int
    y: int


@dataclass(frozen=True)
class Rack:
    """A hand on its rack, with the best move of each tile that fits; `edges` are the choices, largest first."""

    hand: tuple[Tile, ...]
    best_moves: Mapping[Tile, Move]
    outline: Outline
    face: Face
    edges: tuple[int, ...]
    is_round_over: bool = False  # after the end of a round no tile is dim

    @cached_property
    def _sorted_tiles(self) -> list[Tile]:
        """The tiles that fit come first, the best first."""
        return sorted(self.hand, key=lambda tile: (tile not in self.best_moves, -self._get_points(tile), tile))

    def _get_points(self, tile: Tile) -> int:
        return self.best_moves[tile].points if tile in self.best_moves else 0

    @property
    def edge(self) -> int:
        """The largest edge with which all tiles fit in one row, else the smallest."""
        return self._edge_and_rows[0]

    @cached_property
    def _edge_and_rows(self) -> tuple[int, list[list[Tile]]]:
        rows: list[list[Tile]] = []
        for edge in self.edges:
            rows = self._split_rows(edge)
            if len(rows) <= 1:
                return edge, rows
        return self.edges[-1], rows

    def _compute_step(self, edge: int, one: Tile, other: Tile) -> int:
        """The distance to the next tile. Triangles that fit nowhere stand close; texts under tiles must not touch."""
        close = self.outline.sides == 3 and one not in self.best_moves and other not in self.best_moves
        text_distance = (self._text_widths.get(one, 0) + self._text_widths.get(other, 0)) // 2 + TILE_GAP
        return max((edge // 2 if close else edge) + TILE_GAP, text_distance)

    @cached_property
    def _text_widths(self) -> dict[Tile, int]:
        """The least width of the text under each tile that fits."""
        width: dict[Tile, int] = {}
        for tile, move in self.best_moves.items():
            points = measure_text(format_signed(move.points), Style.LOUD, LEAST) + LETTER_GAP if self._has_scores else 0
            width[tile] = points + measure_text(move.letter, Style.TEXT, LEAST)
        return width

    @cached_property
    def _has_scores(self) -> bool:
        return any(move.points for move in self.best_moves.values())

    def _split_rows(self, edge: int) -> list[list[Tile]]:
        """Rows of similar length, as few as possible."""
        room = WIDTH - 2 * RIM - 2 * PAD
        rows, whole = self._fill_rows(edge, room)
        narrower = whole // len(rows) if len(rows) > 1 else room
        while narrower < room:
            found, _ = self._fill_rows(edge, narrower)
            if len(found) == len(rows):
                return found
            narrower += edge // 4
        return rows

    def _fill_rows(self, edge: int, room: int) -> tuple[list[list[Tile]], int]:
        """Rows filled one after the other, and their total length."""
        rows: list[list[Tile]] = [[]]
        width = whole = 0
        for tile in self._sorted_tiles:
            step = self._compute_step(edge, rows[-1][-1], tile) if rows[-1] else edge
            if width + step > room:
                rows.append([])
                width, step = 0, edge
            rows[-1].append(tile)
            width, whole = width + step, whole + step
        return [row for row in rows if row], whole

    @property
    def positions(self) -> list[RackPosition]:
        return self._positions_and_height[0]

    @cached_property
    def _positions_and_height(self) -> tuple[list[RackPosition], int]:
        (edge, rows), y = self._edge_and_rows, PAD + LIFT_HEIGHT
        positions: list[RackPosition] = []
        has_tags = False
        for row in rows:
            steps = [self._compute_step(edge, one, other) for one, other in pairwise(row)]
            x = (WIDTH - 2 * RIM - sum(steps) - edge) // 2
            down = has_tags = False
            for tile, step in zip(row, [*steps, 0], strict=True):
                # Tiles that fit point up, and so does the first tile after one.
                down = self.outline is Outline.UP and tile not in self.best_moves and down
                positions.append(RackPosition(tile, Outline.DOWN if down else self.outline, x, y))
                down = not down
                down = down and tile not in self.best_moves
                x += step
            has_tags = any(tile in self.best_moves for tile in row)
            y += self.outline.compute_height(edge) + (TAG_HEIGHT if has_tags else 0) + ROW_GAP
        return positions, y + PAD - ROW_GAP + (0 if has_tags else 12)

    @property
    def height(self) -> int:
        return self._positions_and_height[1] if self.hand else 2 * PAD + TAG_HEIGHT

    def draw(self, canvas: Canvas, top: int, lifted_tile: Tile | None, preview_move: Move | None = None) -> None:
        """Draw the rack across the picture. The tile of an `preview_move` move shows that move's score and place."""
        theme, height = canvas.theme, self.outline.compute_height(self.edge)
        build_wood(theme).draw(canvas, (RIM, top, WIDTH - RIM, top + self.height))
        ledge = 0
        for position in self.positions:
            if position.y != ledge:
                ledge = position.y
                sprite = render_ledge(theme, WIDTH - 2 * RIM - 2 * PAD)
                canvas.paste_sprite(sprite, RIM + PAD, top + position.y + height + 4)
        shown_moves = dict(self.best_moves)
        if preview_move is not None:
            shown_moves[preview_move.placement.tile] = preview_move
        tile_corners: dict[Tile, Corners] = {}
        for position in self.positions:
            x, y = RIM + position.x, top + position.y
            tile_corners[position.tile] = locate_corners(position.outline, self.edge, x, y)
            if position.tile not in self.best_moves and not self.is_round_over:
                canvas.paste_sprite(render_unplayable_tile(self.edge, position.outline, position.tile, self.face), x, y)
                continue
            picked = position.tile == lifted_tile
            lift = LIFT_HEIGHT if picked else 0
            tile = position.tile
            sprite = render_tile_on(self.edge, position.outline, tile, self.face, theme.walnut, lit=picked, lift=lift)
            canvas.paste_sprite(sprite, x, y - lift)
            if position.tile in self.best_moves:
                self._draw_tag(canvas, shown_moves[position.tile], x + self.edge // 2, y + height + 50, picked=picked)
        # In the order of the hand, as in menus and messages.
        canvas.click_areas.tiles.update({tile: tile_corners[tile] for tile in self.hand})

    def _draw_tag(self, canvas: Canvas, move: Move, middle: int, base: int, *, picked: bool) -> None:
        """Write score and place of a tile's best move. Without any scores, only the place."""
        theme = canvas.theme
        most = max(other.points for other in self.best_moves.values())
        points = format_signed(move.points) if self._has_scores else ""
        room = self.edge + TILE_GAP - 4
        sizes = (POINTS, 36, 32) if move.letter else (POINTS,)
        size = next((size for size in sizes if measure_text(points, Style.LOUD, size) + 54 <= room), sizes[-1])
        width, small = measure_text(points, Style.LOUD, size), max(LEAST, LETTER - (POINTS - size))
        letter = measure_text(move.letter, Style.TEXT, small)
        gap = LETTER_GAP if points and move.letter else 0
        x = middle - (width + gap + letter) // 2
        colour = theme.brass if picked or move.points == most else theme.light_digit
        draw_text(canvas, points, x, base, style=Style.LOUD, size=size, colour=colour, ground=theme.walnut)
        colour = mix(theme.walnut, theme.light_digit, 0.75)
        x += width + gap
        draw_text(canvas, move.letter, x, base, style=Style.TEXT, size=small, colour=colour, ground=theme.walnut)


@PART_CACHE.memoize
def build_wood(theme: Theme) -> NinePatch:
    """The wood, with a light upper edge and a dark lower one."""
    corner = marks.RADIUS + 6
    side = 2 * corner + 8
    whole = marks.render_rounded_box(side, side, marks.RADIUS)
    picture = colourise(whole, theme.cloth, mix(theme.walnut, (0, 0, 0), 0.45))
    picture.paste(theme.walnut_edge, (0, 0), marks.render_rounded_box(side, side - 6, marks.RADIUS))
    picture.paste(theme.walnut, (0, 3), marks.render_rounded_box(side, side - 9, marks.RADIUS - 1))
    return build_nine_patch(theme, picture, threshold(whole, 110), corner)


@COMPOSITION_CACHE.memoize
def render_ledge(theme: Theme, width: int) -> Sprite:
    def paint() -> Image.Image:
        picture = Image.new("RGB", (width, 5), mix(theme.walnut, (0, 0, 0), 0.45))
        ImageDraw.Draw(picture).rectangle((0, 3, width, 4), fill=theme.walnut_edge)
        return picture

    return Sprite(theme, paint)


@COMPOSITION_CACHE.memoize
def render_unplayable_tile(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile of a hand that fits nowhere now."""
    return render_tile_on(edge, outline, labels, face, face.theme.walnut).blend(face.theme.walnut, UNPLAYABLE_OPACITY)
