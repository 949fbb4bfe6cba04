"""The surface that pictures are drawn on, in palette numbers; for comparisons also in true colour."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from io import BytesIO

from PIL import Image, ImageDraw

from render.canvas.cache import PARTS, bytes_of
from render.canvas.cell_outline import Spots
from render.canvas.palette import SHADES, SIZE, palette_of, shade
from render.canvas.pieces import BAND, Clipping, Patch, Pieces, cuts
from render.canvas.pieces import pieces as cut_up
from render.canvas.png import DEFLATE, Deflate, Sheet
from render.canvas.theme import DARK, Colour, Theme, mix

SMOOTH = 4  # Pillow draws without smooth edges, so shapes are drawn enlarged and reduced

SPLIT = 16_000  # a sprite with more pixels is cut into pieces

_COVERS = [85 * round(cover / 85) for cover in range(256)]

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels


def shape(width: int, height: int, draw: Callable[[ImageDraw.ImageDraw, int], None]) -> Image.Image:
    """The coverage (mode "L") of a shape with smooth edges; `draw` gets the enlarged surface and its scale."""
    large = Image.new("L", (width * SMOOTH, height * SMOOTH), 0)
    draw(ImageDraw.Draw(large), SMOOTH)
    return smoothed(large)


def smoothed(large: Image.Image) -> Image.Image:
    """Reduce an enlarged coverage. Four levels look the same as more, and files become a tenth smaller."""
    box = large.getbbox()
    if box is None:
        return Image.new("L", (large.width // SMOOTH, large.height // SMOOTH))
    # Most sheets are as large as a tile, with only one sign.
    left, top, right, bottom = box[0] // SMOOTH, box[1] // SMOOTH, -(-box[2] // SMOOTH), -(-box[3] // SMOOTH)
    part = large.reduce(SMOOTH, (left * SMOOTH, top * SMOOTH, right * SMOOTH, bottom * SMOOTH))
    small = Image.new("L", (large.width // SMOOTH, large.height // SMOOTH))
    small.paste(through(part, _COVERS), (left, top))
    return small


def through(image: Image.Image, table: Sequence[int]) -> Image.Image:
    """Map each number by a table. Faster than `Image.point`, which rounds the whole table first."""
    found: Image.Image = image._new(image.im.point(table, None))
    return found


class Sprite:
    """A small opaque picture in palette numbers that is pasted often. `mask` selects its pixels."""

    def __init__(
        self,
        theme: Theme,
        paint: Image.Image | Callable[[], Image.Image],
        mask: Image.Image | None = None,
        numbers: Image.Image | None = None,
        cuts: tuple[Clipping, ...] | None = None,
    ) -> None:
        """`cuts` are those of the mask, for sprites that share one."""
        self.theme = theme
        self._paint = paint
        self.mask = mask
        self._cuts = cuts
        if numbers is not None:
            self.numbers = numbers

    @property
    def rgb(self) -> Image.Image:
        return self._paint if isinstance(self._paint, Image.Image) else self._paint()

    @cached_property
    def numbers(self) -> Image.Image:
        """The picture in palette numbers, computed when first pasted."""
        return palette_of(self.theme).numbered(self.rgb)

    @cached_property
    def pieces(self) -> Pieces:
        """The parts to paste. A large sprite is cut into pieces, most of which need no mask."""
        wide, high = self.size
        if self.mask is None:
            return Pieces((Patch(0, 0, wide, high, self.numbers.im),), ())
        if wide * high < SPLIT or high < BAND:
            return Pieces((), (Patch(0, 0, wide, high, self.numbers.im, self.mask.im),))
        return cut_up(self.numbers, self.cuts, self.mask)

    @cached_property
    def cuts(self) -> tuple[Clipping, ...]:
        return self._cuts or (() if self.mask is None else cuts(self.mask, self.mask))

    @cached_property
    def size(self) -> tuple[int, int]:
        return self.numbers.size

    @property
    def width(self) -> int:
        return self.size[0]

    @property
    def height(self) -> int:
        return self.size[1]

    @property
    def bytes(self) -> int:
        """The memory of its pixels. Shared masks count where they are cached."""
        return bytes_of((self.numbers, self._paint))

    def changed(self, over: Colour, share: float) -> "Sprite":
        """The same shape blended with the colour `over`."""

        def paint() -> Image.Image:
            rgb = self.rgb
            return Image.blend(rgb, Image.new("RGB", rgb.size, over), share)

        numbers = through(self.numbers, palette_of(self.theme).veil(over, share))
        return Sprite(self.theme, paint, self.mask, numbers, self._cuts)


def some(mask: Image.Image, least: int = 24) -> Image.Image:
    """The pixels with at least this coverage, as a paste mask (mode "1")."""
    return through(mask, _least(least)).convert("1")


@cache
def _least(cover: int) -> list[int]:
    return [255 * (other >= cover) for other in range(256)]


@dataclass(frozen=True)
class Light:
    """The light around something that lies on the cloth."""

    cover: Image.Image  # strength (mode "L")
    steps: Pieces
    """The strength in steps that can be added to a shade; 0 where something covers the light."""

    @property
    def bytes(self) -> int:
        return bytes_of(self.cover) + self.steps.bytes


class Canvas:
    """A picture in progress. `true` draws in 24-bit colour, which is slower and only for tests."""

    def __init__(
        self, width: int, height: int, theme: Theme = DARK, *, true: bool = False, sheet: Sheet | None = None
    ) -> None:
        """`sheet` is the memory to draw on, by default a new one."""
        self.width, self.height, self.theme = width, height, theme
        self._sheet = None if true else sheet or Sheet(width, height)
        self.image = self._sheet.image if self._sheet else Image.new("RGB", (width, height), theme.cloth)

    @cached_property
    def spots(self) -> Spots:
        """The areas that users can press."""
        return Spots()

    @property
    def true(self) -> bool:
        return self._sheet is None

    def stamp(self, sprite: Sprite, x: int, y: int) -> None:
        """Paste a sprite with its top left corner here."""
        if self.true:
            self.image.paste(sprite.rgb, (x, y), sprite.mask)
            return
        paste, pieces = self.image.im.paste, sprite.pieces
        for left, top, wide, high, part, _ in pieces.full:
            paste(part, (x + left, y + top, x + left + wide, y + top + high))
        for left, top, wide, high, part, mask in pieces.edges:
            paste(part, (x + left, y + top, x + left + wide, y + top + high), mask)

    def part(self, box: Box) -> "Canvas":
        """A canvas for the part in a box, to be `join`ed later. In palette numbers it shares the memory."""
        wide, high = box[2] - box[0], box[3] - box[1]
        sheet = None if self._sheet is None else self._sheet.part(box)
        return Canvas(wide, high, self.theme, true=self.true, sheet=sheet)

    def join(self, part: "Canvas", x: int, y: int) -> None:
        """Copy back what was drawn on a part whose top left corner is here."""
        if self.true:
            self.inset(part, x, y)

    def inset(self, part: "Canvas", x: int, y: int, within: tuple[int, int] | None = None) -> None:
        """Paste a finished canvas with its top left corner here, limited to the rows `within`."""
        if within is None or (y >= within[0] and y + part.height <= within[1]):
            self.image.paste(part.image, (x, y))
            return
        top, bottom = max(y, within[0]), min(y + part.height, within[1])
        if top < bottom:
            self.image.paste(part.image.crop((0, top - y, part.width, bottom - y)), (x, top))

    def fill(self, number: int, box: Box) -> None:
        """Fill a box with a shade of the cloth."""
        if self.true:
            self.image.paste(shade(self.theme, number), box)
        else:
            self.image.im.paste(number, box)

    def cover(self, pixel: Sprite, box: Box) -> None:
        """Fill a box with the colour of a one-pixel sprite."""
        self.image.paste((pixel.rgb if self.true else pixel.numbers).getpixel((0, 0)), box)  # type: ignore[arg-type]

    def glaze(self, colour: Colour, x: int, y: int, make: Callable[..., Image.Image], *args: Hashable) -> None:
        """Draw a colour over everything that `make(*args)` covers."""
        cover = make(*args)
        if self.true:
            self.image.paste(colour, (x, y), cover)
            return
        box = self._clip(x, y, cover)
        if box[0] >= box[2] or box[1] >= box[3]:
            return
        at = (box[0] - x, box[1] - y, box[2] - x, box[3] - y)
        mask = covered(make, *args).crop(at)
        under = Image.new("L", mask.size)
        under.paste(self.image.crop(box), mask=mask)
        # Most of a board does not change with a move, so this is cached.
        self.image.paste(_glazed(self.theme, under.tobytes(), at, colour, make, *args), box, mask)

    def shine(self, colour: Colour, strength: float, x: int, y: int, light: Light) -> None:
        """Draw light of this strength, 0 to 1, on the empty cloth and its shadows; in true colour on everything."""
        if self.true:
            self.image.paste(colour, (x, y), light.cover.point([round(level * strength) for level in range(256)]))
            return
        image, lit = self.image.im, _lit(self.theme, colour, strength)
        for left, top, wide, high, steps, _ in light.steps.edges:
            box = (x + left, y + top, x + left + wide, y + top + high)
            under = image.crop(box)
            # A shade plus a step fits into a byte. `add` divides every sum and takes eight times as long.
            image.paste(under.chop_add_modulo(steps).point(lit, None), box, under.point(_BARE, None))

    def shade(self, sprite: Sprite, x: int, y: int) -> None:
        """Draw a shadow on the cloth, but not (in palette numbers) on objects. Where two meet, the deeper one stays."""
        shadow = sprite.rgb if self.true else sprite.numbers
        box = self._clip(x, y, shadow)
        if (box[2] - box[0], box[3] - box[1]) != shadow.size:
            shadow = shadow.crop((box[0] - x, box[1] - y, box[2] - x, box[3] - y))
        # Core images, because there are as many small shadows as tiles.
        under = self.image.im.crop(box)
        self.image.im.paste(under.chop_darker(shadow.im) if self.true else under.chop_lighter(shadow.im), box)

    def lay(self, pieces: Pieces, x: int, y: int) -> None:
        """Put an object with its shadow on the cloth, where deeper shadows stay. All of it must be on the canvas."""
        image = self.image.im
        for left, top, wide, high, part, _ in pieces.full:
            image.paste(part, (x + left, y + top, x + left + wide, y + top + high))
        for left, top, wide, high, part, _ in pieces.edges:
            box = (x + left, y + top, x + left + wide, y + top + high)
            image.paste(image.crop(box).chop_lighter(part), box)

    def _clip(self, x: int, y: int, piece: Image.Image) -> Box:
        return (max(0, x), max(0, y), min(self.width, x + piece.width), min(self.height, y + piece.height))

    def png(self, deflate: Deflate = DEFLATE) -> bytes:
        """The finished picture as a PNG file. Compression releases the GIL."""
        if self._sheet is not None:
            return self._sheet.file(palette_of(self.theme).bytes, deflate)
        file = BytesIO()
        self.image.save(file, "PNG")
        return file.getvalue()


def soft(cover: Image.Image, ground: Colour, ink: Colour) -> Image.Image:
    """A coverage as a true-colour picture on a plain ground."""
    picture = Image.new("RGB", cover.size, ground)
    picture.paste(ink, (0, 0), cover)
    return picture


@PARTS.kept
def covered(make: Callable[..., Image.Image], *args: Hashable) -> Image.Image:
    """The pixels that `make(*args)` covers, as a paste mask."""
    return some(make(*args), 1)


@PARTS.kept
def _glazed(
    theme: Theme, under: bytes, at: Box, colour: Colour, make: Callable[..., Image.Image], *args: Hashable
) -> Image.Image:
    """Palette numbers with a colour drawn over them; `at` is the box of the cover above them."""
    cover = make(*args).crop(at)
    palette = palette_of(theme)
    part = palette.coloured(Image.frombytes("L", cover.size, under)).convert("RGB")
    part.paste(colour, (0, 0), cover)
    return palette.numbered(part)


_BARE = [255 * (number < SHADES) for number in range(SIZE)]
"""For each number, whether light falls on it: the cloth or a shadow on it."""
STEPS = SIZE // SHADES  # steps of light that fit into one byte together with the shades
_STEP_OF = [SHADES * round(cover * (STEPS - 1) / 255) for cover in range(256)]


def light_around(cover: Image.Image, middle: Image.Image, at: tuple[int, int]) -> Light:
    """Light with this coverage. `middle` is the mask of what covers it, with its top left corner at `at`."""
    steps = through(cover, _STEP_OF)
    around = steps.copy()
    around.paste(0, at, middle)
    return Light(cover, cut_up(steps, cuts(around, Image.new("1", steps.size))))


@lru_cache(maxsize=8)
def _lit(theme: Theme, colour: Colour, strength: float) -> list[int]:
    """For each step of light and each shade, the palette number to use."""
    palette = palette_of(theme)
    grounds = palette.colours[:SHADES]
    shares = [strength * step / (STEPS - 1) for step in range(STEPS)]
    lit = [palette.nearest(mix(ground, colour, share)) for share in shares for ground in grounds]
    # Unlit shades keep their number, even if two shades have the same colour.
    lit[:SHADES] = range(SHADES)
    return lit + [0] * (SIZE - len(lit))


@PARTS.kept
def inked(theme: Theme, colour: Colour, ground: Colour, make: Callable[..., Image.Image], *args: Hashable) -> Sprite:
    """What `make(*args)` covers, in one colour on a plain ground. On the uneven cloth it is pasted with a mask."""
    cover = make(*args)
    numbers = through(cover, palette_of(theme).ramp(ground, colour))
    mask = some(cover) if ground == theme.cloth else None
    return Sprite(theme, lambda: soft(make(*args), ground, colour), mask, numbers)
