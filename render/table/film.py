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
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, soft, some
from render.canvas.palette import Palette, palette_of
from render.canvas.picture import RIM, WIDTH, Captions, Heading
from render.canvas.stretched import Stretched, stretched
from render.canvas.theme import Theme
from render.faces import face_of
from render.table.board_picture import board_windows, height_of
from render.table.cards import GAP, cards_height
from render.table.in_sight import in_sight
from render.table.legend import legend_height
from render.table.open_hands import OpenHands, open_hands
from render.table.table_picture import BOARD_RIM, FOR_HANDS, LOWEST, UNDER, Arrangement, draw_arranged, heading_seat
from render.table.window import Plan

TALLEST: Final = 2112  # the height of a board with the open hands of a round's end
PART: Final = 2  # frames are reduced by this factor to 600 pixels, as wide as Discord shows them
BAND: Final = 96  # rows of a picture that are compared together
OPAQUE: Final = 255  # colours of a frame; one more number is transparent, for unchanged pixels
END: Final = 2  # the end of a round is shown this many times as long
LAST: Final = 4000  # milliseconds of the last frame, at least


@dataclass(frozen=True, slots=True)
class Shot:
    """The content of one frame."""

    seen: PlayerView
    names: tuple[str, ...]
    captions: Captions


class Film:
    """Draws one frame after another, for a GIF. `ms` is the duration of a move."""

    def __init__(self, shots: Sequence[Shot], ms: int, *, theme: str = "classic", scheme: str = "dark") -> None:
        self._shots, self._ms = shots, ms
        self._face = face_of(shots[0].seen.rules, theme, scheme)
        self._room: dict[int, set[Cell]] = {}
        for shot in shots:
            self._room.setdefault(shot.seen.round, set()).update(lying.cell for lying in shot.seen.tiles)
        self._above = max(self._heading(shot).height for shot in shots) + legend_height(self._face)
        self._size = WIDTH, -(-self._height() // BAND) * BAND
        palette = palette_of(self._face.theme)
        self._reduced = _Reduced(self._size, palette)
        self._palette = palette.bytes[: 3 * OPAQUE]
        self._frames: list[tuple[bytes, int]] = []
        """Compressed pixels and milliseconds; uncompressed, a long film would take hundreds of MiB."""

    def __len__(self) -> int:
        return len(self._shots)

    def shoot(self, number: int) -> None:
        """Draw the next frame; `number` counts from 0."""
        shot = self._shots[number]
        ms = self._ms * END if shot.seen.round_over is not None else self._ms
        if number == len(self._shots) - 1:
            ms = max(ms, LAST)
        self._frames.append((zlib.compress(self._reduced.of(self._drawn(shot).image).tobytes(), 1), ms))

    def file(self) -> bytes:
        """The finished film. Pillow writes only the changes between frames."""
        written, frames = BytesIO(), self._unpacked()
        first, times = next(frames), [ms for _, ms in self._frames]
        first.save(written, "GIF", save_all=True, append_images=frames, duration=times, loop=0, optimize=True)
        return written.getvalue()

    def _unpacked(self) -> Iterator[Image.Image]:
        for pixels, _ in self._frames:
            frame = Image.frombytes("P", self._reduced.size, zlib.decompress(pixels))
            frame.putpalette(self._palette)
            yield frame

    def _height(self) -> int:
        """The height for the largest table with the open hands at the end of its round."""
        rules, seats = self._shots[0].seen.rules, len(self._shots[0].seen.seats)
        around = self._above + UNDER + cards_height(seats) + RIM
        room, most = WIDTH - 2 * BOARD_RIM, TALLEST - around
        high = {number: height_of(rules, sorted(cells), room, most) for number, cells in self._room.items() if cells}
        for shot in self._shots:
            if shot.seen.round in high and (hands := self._hands(shot)):
                high[shot.seen.round] = min(most, high[shot.seen.round] + hands.height + GAP)
        return max(LOWEST, around + max(high.values(), default=0))

    def _hands(self, shot: Shot) -> OpenHands | None:
        return open_hands(shot.seen, self._face, FOR_HANDS)

    def _heading(self, shot: Shot) -> Heading:
        return Heading(shot.captions, self._face.theme, heading_seat(shot.seen))

    def _arranged(self, shot: Shot) -> Arrangement:
        high, hands = self._size[1], self._hands(shot)
        plates = high - RIM - cards_height(len(shot.seen.seats))
        below = plates - (hands.height + GAP if hands else 0) - UNDER
        # The layout has room for the final table, so that the board does not move during a round.
        view = in_sight(shot.seen, letters=(), room_for=self._room[shot.seen.round], whole=True)
        return Arrangement(high, (BOARD_RIM, self._above, WIDTH - BOARD_RIM, below), plates, hands, view)

    def _drawn(self, shot: Shot) -> Canvas:
        canvas, there = Canvas(*self._size, self._face.theme), self._arranged(shot)
        return draw_arranged(canvas, shot.seen, shot.names, self._heading(shot), self._face, there)

    def plan(self, number: int) -> Plan:
        """The layout of a frame, before it is reduced."""
        seen, there = self._shots[number].seen, self._arranged(self._shots[number])
        windows = board_windows(seen, there.board, there.view)
        return Plan(*self._size, windows, there.shown)


class _Reduced:
    """Reduces pictures, each only where it differs from the one before."""

    def __init__(self, size: tuple[int, int], palette: Palette) -> None:
        self.size = size[0] // PART, size[1] // PART
        self._before: Image.Image | None = None
        self._small = Image.new("L", self.size)
        self._paper = Image.new("P", (1, 1))
        self._paper.putpalette(palette.bytes[: 3 * OPAQUE])
        self._coloured = palette.coloured

    def of(self, picture: Image.Image) -> Image.Image:
        """Reduce the next picture."""
        small, before = self._small.copy(), self._before
        wide, high = picture.size
        changed = None if before is None else ImageChops.difference(picture, before)
        for top in range(0, high, BAND):
            found = (0, 0, wide, BAND) if changed is None else changed.crop((0, top, wide, top + BAND)).getbbox()
            if found is not None:
                left, right = found[0] // PART * PART, -(-found[2] // PART) * PART
                part = picture.crop((left, top, right, top + BAND))
                small.paste(self._smaller(part), (left // PART, top // PART))
        self._before, self._small = picture, small
        return small

    def _smaller(self, part: Image.Image) -> Image.Image:
        rgb = self._coloured(part).convert("RGB").reduce(PART)
        found = rgb.quantize(palette=self._paper, dither=Image.Dither.NONE)
        return Image.frombytes("L", found.size, found.tobytes())


EDGE: Final = 3  # width of the edges
CORNER: Final = marks.RADIUS + 2  # length of a corner along the edges
SMALL: Final = 2 * CORNER + 8  # side of the drawn sample


def framed(canvas: Canvas, area: Box) -> None:
    """Draw the frame of a window around an area."""
    _frame(canvas.theme).draw(canvas, area)


@PARTS.kept
def _frame(theme: Theme) -> Stretched:
    whole = marks.slab(SMALL, SMALL, marks.RADIUS)
    inner = Image.new("L", (SMALL, SMALL), 0)
    inner.paste(marks.slab(SMALL - 2 * EDGE + 2, SMALL - 2 * EDGE + 1, marks.RADIUS - EDGE + 1), (EDGE - 1, EDGE))
    line = ImageChops.subtract(whole, inner)
    picture = soft(line, theme.cloth, theme.slot_edge)
    if not theme.outlined:
        # The upper edge is in the shadow.
        lower = ImageChops.subtract(whole, ImageChops.offset(whole, 0, -EDGE))
        picture = soft(line, theme.cloth, theme.groove)
        picture.paste(theme.slot_edge, (0, 0), ImageChops.darker(line, lower))
    return stretched(theme, picture, some(ImageChops.lighter(ImageChops.invert(whole), line), 110), CORNER)
