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
from render.canvas.cache import PARTS, PIECES
from render.canvas.canvas import Canvas, Sprite, soft, some
from render.canvas.cell_outline import Corners, Outline, corners
from render.canvas.lettering import Style, draw_text, length
from render.canvas.palette import SUNK
from render.canvas.picture import RIM, WIDTH
from render.canvas.stretched import Stretched, stretched
from render.canvas.theme import Colour, Theme, mix
from render.faces import Face
from render.table.cards import signed
from render.table.plain_tile import blank
from render.table.tile import tile_sprite

PAD: Final = 24  # from the edge of the rack to its tiles
BESIDE: Final = 14  # pixels between two tiles
BETWEEN: Final = 16  # pixels between two rows
TAG: Final = 62  # room under a row of tiles for their scores
POINTS, LETTER, LEAST = 42, 36, 32  # sizes under a tile: best score, letter of its place, the least readable size
SHADOWS: Final = ((3, 5), (5, 14))  # offsets of a tile's shadow right and down: standing, and lifted
GAP: Final = 12  # pixels between a tile's score and the letter of its place
LIFT: Final = 14  # how far a picked tile is lifted


@dataclass(frozen=True, slots=True)
class Stand:
    """The position of a tile on the rack, relative to the rack's top left."""

    tile: Tile
    outline: Outline
    x: int
    y: int


@dataclass(frozen=True)
class Rack:
    """A hand on its rack. `best` is the best move of each tile that fits; `edges` are the choices, largest first."""

    hand: tuple[Tile, ...]
    best: Mapping[Tile, Move]
    outline: Outline
    face: Face
    edges: tuple[int, ...]
    over: bool = False  # after the end of a round no tile is dim

    @cached_property
    def _ordered(self) -> list[Tile]:
        """The tiles that fit come first, the best first."""
        return sorted(self.hand, key=lambda tile: (tile not in self.best, -self._points(tile), tile))

    def _points(self, tile: Tile) -> int:
        return self.best[tile].points if tile in self.best else 0

    @property
    def edge(self) -> int:
        """The largest edge with which all tiles fit in one row, else the smallest."""
        return self._set_out[0]

    @cached_property
    def _set_out(self) -> tuple[int, list[list[Tile]]]:
        """The edge and the rows."""
        rows: list[list[Tile]] = []
        for edge in self.edges:
            rows = self._rows(edge)
            if len(rows) <= 1:
                return edge, rows
        return self.edges[-1], rows

    def _step(self, edge: int, one: Tile, other: Tile) -> int:
        """The distance to the next tile. Triangles that fit nowhere stand close; texts under tiles must not touch."""
        close = self.outline.sides == 3 and one not in self.best and other not in self.best
        apart = (self._written.get(one, 0) + self._written.get(other, 0)) // 2 + BESIDE
        return max((edge // 2 if close else edge) + BESIDE, apart)

    @cached_property
    def _written(self) -> dict[Tile, int]:
        """The least width of the text under each tile that fits."""
        wide: dict[Tile, int] = {}
        for tile, move in self.best.items():
            points = length(signed(move.points), Style.LOUD, LEAST) + GAP if self._scoring else 0
            wide[tile] = points + length(move.letter, Style.TEXT, LEAST)
        return wide

    @cached_property
    def _scoring(self) -> bool:
        return any(move.points for move in self.best.values())

    def _rows(self, edge: int) -> list[list[Tile]]:
        """Rows of similar length, as few as possible."""
        room = WIDTH - 2 * RIM - 2 * PAD
        rows, whole = self._filled(edge, room)
        narrower = whole // len(rows) if len(rows) > 1 else room
        while narrower < room:
            found, _ = self._filled(edge, narrower)
            if len(found) == len(rows):
                return found
            narrower += edge // 4
        return rows

    def _filled(self, edge: int, room: int) -> tuple[list[list[Tile]], int]:
        """Rows filled one after the other, and their total length."""
        rows: list[list[Tile]] = [[]]
        wide = whole = 0
        for tile in self._ordered:
            step = self._step(edge, rows[-1][-1], tile) if rows[-1] else edge
            if wide + step > room:
                rows.append([])
                wide, step = 0, edge
            rows[-1].append(tile)
            wide, whole = wide + step, whole + step
        return [row for row in rows if row], whole

    @property
    def stands(self) -> list[Stand]:
        """The positions of all tiles."""
        return self._stood[0]

    @cached_property
    def _stood(self) -> tuple[list[Stand], int]:
        """The positions of all tiles, and the height of the rack."""
        (edge, rows), y = self._set_out, PAD + LIFT
        stands: list[Stand] = []
        tagged = False
        for row in rows:
            steps = [self._step(edge, one, other) for one, other in pairwise(row)]
            x = (WIDTH - 2 * RIM - sum(steps) - edge) // 2
            down = tagged = False
            for tile, step in zip(row, [*steps, 0], strict=True):
                # Tiles that fit point up, and so does the first tile after one.
                down = self.outline is Outline.UP and tile not in self.best and down
                stands.append(Stand(tile, Outline.DOWN if down else self.outline, x, y))
                down = not down
                down = down and tile not in self.best
                x += step
            tagged = any(tile in self.best for tile in row)
            y += self.outline.height(edge) + (TAG if tagged else 0) + BETWEEN
        return stands, y + PAD - BETWEEN + (0 if tagged else 12)

    @property
    def height(self) -> int:
        return self._stood[1] if self.hand else 2 * PAD + TAG

    def draw(self, canvas: Canvas, top: int, lifted: Tile | None, armed: Move | None = None) -> None:
        """Draw the rack across the picture. The tile of an `armed` move shows that move's score and place."""
        theme, high = canvas.theme, self.outline.height(self.edge)
        wood(theme).draw(canvas, (RIM, top, WIDTH - RIM, top + self.height))
        ledge = 0
        for stand in self.stands:
            if stand.y != ledge:
                ledge = stand.y
                canvas.stamp(groove(theme, WIDTH - 2 * RIM - 2 * PAD), RIM + PAD, top + stand.y + high + 4)
        spots: dict[Tile, Corners] = {}
        for stand in self.stands:
            x, y = RIM + stand.x, top + stand.y
            spots[stand.tile] = corners(stand.outline, self.edge, x, y)
            if stand.tile not in self.best and not self.over:
                canvas.stamp(dimmed(self.edge, stand.outline, stand.tile, self.face), x, y)
                continue
            picked = stand.tile == lifted
            sprite = standing(self.edge, stand.outline, stand.tile, self.face, lit=picked)
            canvas.stamp(sprite, x, y - LIFT if picked else y)
            if stand.tile in self.best:
                at = x + self.edge // 2, y + high + 50
                shown = armed if armed is not None and armed.placement.tile == stand.tile else self.best[stand.tile]
                self._tag(canvas, shown, *at, picked=picked)
        # In the order of the hand, as in menus and messages.
        canvas.spots.tiles.update({tile: spots[tile] for tile in self.hand})

    def _tag(self, canvas: Canvas, move: Move, middle: int, base: int, *, picked: bool) -> None:
        """Write score and place of a tile's best move. Without any scores, only the place."""
        theme = canvas.theme
        most = max(other.points for other in self.best.values())
        points = signed(move.points) if self._scoring else ""
        room = self.edge + BESIDE - 4
        size = next(
            (size for size in (POINTS, 36, 32) if length(points, Style.LOUD, size) + 54 <= room or not move.letter), 32
        )
        wide, small = length(points, Style.LOUD, size), max(LEAST, LETTER - (POINTS - size))
        letter = length(move.letter, Style.TEXT, small)
        gap = GAP if points and move.letter else 0
        x = middle - (wide + gap + letter) // 2
        colour = theme.brass if picked or move.points == most else theme.light_digit
        draw_text(canvas, points, x, base, style=Style.LOUD, size=size, colour=colour, ground=theme.walnut)
        colour = mix(theme.walnut, theme.light_digit, 0.75)
        x += wide + gap
        draw_text(canvas, move.letter, x, base, style=Style.TEXT, size=small, colour=colour, ground=theme.walnut)


@PARTS.kept
def wood(theme: Theme) -> Stretched:
    """The wood, with a light upper edge and a dark lower one."""
    corner = marks.RADIUS + 6
    side = 2 * corner + 8
    whole = marks.slab(side, side, marks.RADIUS)
    picture = soft(whole, theme.cloth, mix(theme.walnut, (0, 0, 0), 0.45))
    picture.paste(theme.walnut_edge, (0, 0), marks.slab(side, side - 6, marks.RADIUS))
    picture.paste(theme.walnut, (0, 3), marks.slab(side, side - 9, marks.RADIUS - 1))
    return stretched(theme, picture, some(whole, 110), corner)


@PIECES.kept
def groove(theme: Theme, width: int) -> Sprite:
    """The ledge under a row."""

    def paint() -> Image.Image:
        picture = Image.new("RGB", (width, 5), mix(theme.walnut, (0, 0, 0), 0.45))
        ImageDraw.Draw(picture).rectangle((0, 3, width, 4), fill=theme.walnut_edge)
        return picture

    return Sprite(theme, paint)


@PIECES.kept
def tile_shadow(theme: Theme, edge: int, outline: Outline, ground: Colour) -> Sprite:
    """The shadow of a tile on a plain ground other than the cloth."""
    cover = blank(edge, outline)
    return Sprite(theme, soft(cover, ground, mix(ground, (0, 0, 0), 0.4)), some(cover, 110))


@PIECES.kept
def standing(edge: int, outline: Outline, labels: Tile, face: Face, *, lit: bool) -> Sprite:
    """A tile on the wood with its shadow, which is longer for a lifted tile."""
    tile = tile_sprite(edge, outline, labels, face, lit=lit)
    theme, (right, down) = face.theme, SHADOWS[lit]
    shadow = tile_shadow(theme, edge, outline, theme.walnut)
    assert tile.mask is not None
    assert shadow.mask is not None

    def both(under: Image.Image, over: Image.Image, ground: Image.Image, above: Image.Image) -> Image.Image:
        sheet = Image.new(under.mode, (tile.width + right, tile.height + down))
        sheet.paste(under, (right, down), ground)
        sheet.paste(over, (0, 0), above)
        return sheet

    numbers = both(shadow.numbers, tile.numbers, shadow.mask, tile.mask)
    mask = both(shadow.mask, tile.mask, shadow.mask, tile.mask)
    return Sprite(theme, lambda: both(shadow.rgb, tile.rgb, shadow.mask, tile.mask), mask, numbers)  # type: ignore[arg-type]


@PIECES.kept
def dimmed(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile of a hand that fits nowhere now."""
    return tile_sprite(edge, outline, labels, face).changed(face.theme.walnut, SUNK)
