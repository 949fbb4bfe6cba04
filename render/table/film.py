"""A match as a GIF. Each round has the room that its final table needs. Open places have no letters."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from PIL import Image, ImageChops

from engine.board.lattice import Cell
from engine.match.player_view import PlayerView
from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Box, Canvas, colourise, threshold
from render.canvas.palette import Palette, get_palette
from render.canvas.picture import RIM, WIDTH, Captions, Header, cover_with_cloth
from render.canvas.stretched import NinePatch, build_nine_patch
from render.canvas.theme import Theme
from render.faces import build_face
from render.table.board_picture import compute_cells_height
from render.table.cards import GAP, compute_cards_height
from render.table.in_sight import build_board_content
from render.table.legend import compute_legend_height
from render.table.open_hands import OpenHands, build_open_hands
from render.table.table_picture import (
    BOARD_RIM,
    HANDS_HEIGHT,
    MIN_HEIGHT,
    PLATE_GAP,
    TableArrangement,
    draw_arrangement,
    find_header_seat,
)

MAX_BOARD_HEIGHT: Final = 2112  # the height of a board with the open hands of a round's end
REDUCTION: Final = 2  # frames are reduced by this factor to 600 pixels, as wide as Discord shows them
BAND_ROWS: Final = 96  # rows of a picture that are compared together
COLOUR_COUNT: Final = 255  # colours of a frame; one more number is transparent, for unchanged pixels
ROUND_END_FACTOR: Final = 2  # the end of a round is shown this many times as long
LAST_FRAME_MS: Final = 4000  # milliseconds of the last frame, at least


@dataclass(frozen=True, slots=True)
class FilmFrame:
    view: PlayerView
    names: tuple[str, ...]
    captions: Captions


class Film:
    """Draws one frame after another, for a GIF. `ms` is the duration of a move."""

    def __init__(self, shots: Sequence[FilmFrame], ms: int, *, theme: str = "classic", scheme: str = "dark") -> None:
        self._film_frames, self._ms = shots, ms
        self._face = build_face(shots[0].view.rules, theme, scheme)
        self._round_cells: dict[int, set[Cell]] = {}
        for shot in shots:
            self._round_cells.setdefault(shot.view.round, set()).update(tile.cell for tile in shot.view.tiles)
        self._board_top = max(self._build_header(shot).height for shot in shots) + compute_legend_height(self._face)
        self._size = WIDTH, -(-self._compute_height() // BAND_ROWS) * BAND_ROWS
        palette = get_palette(self._face.theme)
        self._reducer = _FrameReducer(self._size, palette)
        self._palette = palette.bytes[: 3 * COLOUR_COUNT]
        self._frames: list[tuple[bytes, int]] = []
        """Compressed pixels and milliseconds; uncompressed, a long film would take hundreds of MiB."""

    def __len__(self) -> int:
        return len(self._film_frames)

    def render_frame(self, number: int) -> None:
        """Draw the next frame; `number` counts from 0."""
        shot = self._film_frames[number]
        ms = self._ms * ROUND_END_FACTOR if shot.view.round_over is not None else self._ms
        if number == len(self._film_frames) - 1:
            ms = max(ms, LAST_FRAME_MS)
        self._frames.append((zlib.compress(self._reducer.reduce(self._draw_frame(shot).image).tobytes(), 1), ms))

    def to_gif(self) -> bytes:
        """The finished film. Pillow writes only the changes between frames."""
        output, frames = BytesIO(), self._iterate_images()
        first, times = next(frames), [ms for _, ms in self._frames]
        first.save(output, "GIF", save_all=True, append_images=frames, duration=times, loop=0, optimize=True)
        return output.getvalue()

    def _iterate_images(self) -> Iterator[Image.Image]:
        for pixels, _ in self._frames:
            frame = Image.frombytes("P", self._reducer.size, zlib.decompress(pixels))
            frame.putpalette(self._palette)
            yield frame

    def _compute_height(self) -> int:
        """The height for the largest table with the open hands at the end of its round."""
        rules, seats = self._film_frames[0].view.rules, len(self._film_frames[0].view.seats)
        other_height = self._board_top + PLATE_GAP + compute_cards_height(seats) + RIM
        room, max_height = WIDTH - 2 * BOARD_RIM, MAX_BOARD_HEIGHT - other_height
        heights = {
            number: compute_cells_height(rules, sorted(cells), room, max_height)
            for number, cells in self._round_cells.items()
            if cells
        }
        for shot in self._film_frames:
            if shot.view.round in heights and (hands := self._build_hands(shot)):
                heights[shot.view.round] = min(max_height, heights[shot.view.round] + hands.height + GAP)
        return max(MIN_HEIGHT, other_height + max(heights.values(), default=0))

    def _build_hands(self, shot: FilmFrame) -> OpenHands | None:
        return build_open_hands(shot.view, self._face, HANDS_HEIGHT)

    def _build_header(self, shot: FilmFrame) -> Header:
        return Header(shot.captions, self._face.theme, find_header_seat(shot.view))

    def arrange(self, shot: FilmFrame) -> TableArrangement:
        height, hands = self._size[1], self._build_hands(shot)
        plates = height - RIM - compute_cards_height(len(shot.view.seats))
        below = plates - (hands.height + GAP if hands else 0) - PLATE_GAP
        # The layout has room for the final table, so that the board does not move during a round.
        content = build_board_content(shot.view, letters=(), room_for=self._round_cells[shot.view.round], show_all=True)
        return TableArrangement(height, (BOARD_RIM, self._board_top, WIDTH - BOARD_RIM, below), plates, hands, content)

    def _draw_frame(self, shot: FilmFrame) -> Canvas:
        canvas, arrangement = Canvas(*self._size, self._face.theme), self.arrange(shot)
        return draw_arrangement(canvas, shot.view, shot.names, self._build_header(shot), self._face, arrangement)


class _FrameReducer:
    """Reduces pictures, each only where it differs from the one before."""

    def __init__(self, size: tuple[int, int], palette: Palette) -> None:
        self.size = size[0] // REDUCTION, size[1] // REDUCTION
        self._previous: Image.Image | None = None
        self._small = Image.new("L", self.size)
        self._palette_image = Image.new("P", (1, 1))
        self._palette_image.putpalette(palette.bytes[: 3 * COLOUR_COUNT])
        self._to_palette_image = palette.to_palette_image

    def reduce(self, picture: Image.Image) -> Image.Image:
        small, previous = self._small.copy(), self._previous
        width, height = picture.size
        changed = None if previous is None else ImageChops.difference(picture, previous)
        for top in range(0, height, BAND_ROWS):
            band = (0, top, width, top + BAND_ROWS)
            found = (0, 0, width, BAND_ROWS) if changed is None else changed.crop(band).getbbox()
            if found is not None:
                left, right = found[0] // REDUCTION * REDUCTION, -(-found[2] // REDUCTION) * REDUCTION
                part = picture.crop((left, top, right, top + BAND_ROWS))
                small.paste(self._reduce_part(part), (left // REDUCTION, top // REDUCTION))
        self._previous, self._small = picture, small
        return small

    def _reduce_part(self, part: Image.Image) -> Image.Image:
        rgb = self._to_palette_image(part).convert("RGB").reduce(REDUCTION)
        found = rgb.quantize(palette=self._palette_image, dither=Image.Dither.NONE)
        return Image.frombytes("L", found.size, found.tobytes())


EDGE_WIDTH: Final = 3  # width of the edges
CORNER_SIZE: Final = marks.RADIUS + 2  # length of a corner along the edges
SAMPLE_SIZE: Final = 2 * CORNER_SIZE + 8  # side of the drawn sample


def draw_window_frame(canvas: Canvas, area: Box) -> None:
    """Draw the frame of a window, with cloth outside of its round corners."""
    left, top, right, bottom = area
    size, outside = marks.RADIUS, _render_frame_outside()
    for x, at in ((left, 0), (right - size, SAMPLE_SIZE - size)):
        for y, down in ((top, 0), (bottom - size, SAMPLE_SIZE - size)):
            mask = outside.crop((at, down, at + size, down + size))
            cover_with_cloth(canvas, (x, y, x + size, y + size), mask)
    _build_window_frame(canvas.theme).draw(canvas, area)


@PART_CACHE.memoize
def _render_frame_outside() -> Image.Image:
    whole = marks.render_rounded_box(SAMPLE_SIZE, SAMPLE_SIZE, marks.RADIUS)
    return threshold(ImageChops.invert(whole), 128)


@PART_CACHE.memoize
def _build_window_frame(theme: Theme) -> NinePatch:
    whole = marks.render_rounded_box(SAMPLE_SIZE, SAMPLE_SIZE, marks.RADIUS)
    inner = Image.new("L", (SAMPLE_SIZE, SAMPLE_SIZE), 0)
    side = SAMPLE_SIZE - 2 * EDGE_WIDTH
    hole = marks.render_rounded_box(side + 2, side + 1, marks.RADIUS - EDGE_WIDTH + 1)
    inner.paste(hole, (EDGE_WIDTH - 1, EDGE_WIDTH))
    line = ImageChops.subtract(whole, inner)
    picture = colourise(line, theme.cloth, theme.slot_edge)
    if not theme.outlined:
        # The upper edge is in the shadow.
        lower = ImageChops.subtract(whole, ImageChops.offset(whole, 0, -EDGE_WIDTH))
        picture = colourise(line, theme.cloth, theme.groove)
        picture.paste(theme.slot_edge, (0, 0), ImageChops.darker(line, lower))
    return build_nine_patch(theme, picture, threshold(line, 110), CORNER_SIZE)
