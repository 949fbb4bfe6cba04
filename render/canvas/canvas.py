"""The surface that pictures are drawn on, in palette numbers; for comparisons also in true colour."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from io import BytesIO

from PIL import Image, ImageDraw

from render.canvas.cache import PART_CACHE, count_bytes
from render.canvas.cell_outline import ClickAreas
from render.canvas.palette import SHADES, SIZE, get_palette
from render.canvas.pieces import BAND_ROWS, CutBox, Patch, Pieces, compute_cuts
from render.canvas.pieces import cut_picture as cut_up
from render.canvas.png import DEFLATE, Deflate, PngBuffer
from render.canvas.theme import DARK, Colour, Theme, mix

OVERSAMPLING = 4  # Pillow draws without smooth edges, so shapes are drawn enlarged and reduced

SPLIT_PIXELS = 16_000  # a sprite with more pixels is cut into pieces

COVERAGE_STEP = 255 / 16
_COVERAGE_LEVELS = [round(COVERAGE_STEP * round(cover / COVERAGE_STEP)) for cover in range(256)]

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels


def render_shape(width: int, height: int, draw: Callable[[ImageDraw.ImageDraw, int], None]) -> Image.Image:
    """The coverage (mode "L") of a shape with smooth edges; `draw` gets the enlarged surface and its scale."""
    large = Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING), 0)
    draw(ImageDraw.Draw(large), OVERSAMPLING)
    return downsample(large)


def downsample(large: Image.Image) -> Image.Image:
    """Reduce an enlarged coverage. More levels than parts of an enlarged pixel would only make files larger."""
    box = large.getbbox()
    if box is None:
        return Image.new("L", (large.width // OVERSAMPLING, large.height // OVERSAMPLING))
    # Most sheets are as large as a tile, with only one sign.
    left, top = box[0] // OVERSAMPLING, box[1] // OVERSAMPLING
    right, bottom = -(-box[2] // OVERSAMPLING) * OVERSAMPLING, -(-box[3] // OVERSAMPLING) * OVERSAMPLING
    part = large.reduce(OVERSAMPLING, (left * OVERSAMPLING, top * OVERSAMPLING, right, bottom))
    small = Image.new("L", (large.width // OVERSAMPLING, large.height // OVERSAMPLING))
    small.paste(map_pixels(part, _COVERAGE_LEVELS), (left, top))
    return small


def map_pixels(image: Image.Image, table: Sequence[int]) -> Image.Image:
    """Map each number by a table. Faster than `Image.point`, which rounds the whole table first."""
    found: Image.Image = image._new(image.im.point(table, None))
    return found


class Sprite:
    """A small opaque picture in palette numbers that is pasted often. `mask` selects its pixels."""

    def __init__(
        self,
        theme: Theme,
        source: Image.Image | Callable[[], Image.Image],
        mask: Image.Image | None = None,
        index_image: Image.Image | None = None,
        cuts: tuple[CutBox, ...] | None = None,
    ) -> None:
        """`cuts` are those of the mask, for sprites that share one."""
        self.theme = theme
        self._source = source
        self.mask = mask
        self._cuts = cuts
        if index_image is not None:
            self.index_image = index_image

    @property
    def rgb_image(self) -> Image.Image:
        return self._source if isinstance(self._source, Image.Image) else self._source()

    @cached_property
    def index_image(self) -> Image.Image:
        """The picture in palette numbers, computed when first pasted."""
        return get_palette(self.theme).to_index_image(self.rgb_image)

    @cached_property
    def pieces(self) -> Pieces:
        """The parts to paste. A large sprite is cut into pieces, most of which need no mask."""
        width, height = self.size
        if self.mask is None:
            return Pieces((Patch(0, 0, width, height, self.index_image.im),), ())
        if width * height < SPLIT_PIXELS or height < BAND_ROWS:
            return Pieces((), (Patch(0, 0, width, height, self.index_image.im, self.mask.im),))
        return cut_up(self.index_image, self.cuts, self.mask)

    @cached_property
    def cuts(self) -> tuple[CutBox, ...]:
        return self._cuts or (() if self.mask is None else compute_cuts(self.mask, self.mask))

    @cached_property
    def size(self) -> tuple[int, int]:
        return self.index_image.size

    @property
    def width(self) -> int:
        return self.size[0]

    @property
    def height(self) -> int:
        return self.size[1]

    @property
    def bytes(self) -> int:
        """The memory of its pixels. Shared masks count where they are cached."""
        return count_bytes((self.index_image, self._source))

    def blend(self, over: Colour, share: float) -> "Sprite":
        """The same shape blended with the colour `over`."""

        def paint() -> Image.Image:
            rgb = self.rgb_image
            return Image.blend(rgb, Image.new("RGB", rgb.size, over), share)

        index_image = map_pixels(self.index_image, get_palette(self.theme).build_blend_table(over, share))
        return Sprite(self.theme, paint, self.mask, index_image, self._cuts)


def threshold(mask: Image.Image, minimum: int = 24) -> Image.Image:
    """The pixels with at least this coverage, as a paste mask (mode "1")."""
    return map_pixels(mask, _build_threshold_table(minimum)).convert("1")


@cache
def _build_threshold_table(minimum: int) -> list[int]:
    return [255 * (coverage >= minimum) for coverage in range(256)]


@dataclass(frozen=True)
class Light:
    """The light around something that lies on the cloth."""

    coverage: Image.Image  # strength (mode "L")
    steps: Pieces
    """The strength in steps that can be added to a shade; 0 where something covers the light."""

    @property
    def bytes(self) -> int:
        return count_bytes(self.coverage) + self.steps.bytes


class Canvas:
    """A picture in progress. `is_true_colour` draws in 24-bit colour, which is slower and only for tests."""

    def __init__(
        self,
        width: int,
        height: int,
        theme: Theme = DARK,
        *,
        true_colour: bool = False,
        buffer: PngBuffer | None = None,
    ) -> None:
        """`buffer` is the memory to draw on, by default a new one."""
        self.width, self.height, self.theme = width, height, theme
        self._buffer = None if true_colour else buffer or PngBuffer(width, height)
        self.image = self._buffer.image if self._buffer else Image.new("RGB", (width, height), theme.cloth)

    @cached_property
    def click_areas(self) -> ClickAreas:
        return ClickAreas()

    @property
    def is_true_colour(self) -> bool:
        return self._buffer is None

    def paste_sprite(self, sprite: Sprite, x: int, y: int) -> None:
        """Paste a sprite with its top left corner here."""
        if self.is_true_colour:
            self.image.paste(sprite.rgb_image, (x, y), sprite.mask)
            return
        paste, pieces = self.image.im.paste, sprite.pieces
        for left, top, width, height, part, _ in pieces.opaque:
            paste(part, (x + left, y + top, x + left + width, y + top + height))
        for left, top, width, height, part, mask in pieces.masked:
            paste(part, (x + left, y + top, x + left + width, y + top + height), mask)

    def create_part(self, box: Box) -> "Canvas":
        """A canvas for the part in a box, to be `merge_part`ed later. In palette numbers it shares the memory."""
        width, height = box[2] - box[0], box[3] - box[1]
        buffer = None if self._buffer is None else self._buffer.create_part(box)
        return Canvas(width, height, self.theme, true_colour=self.is_true_colour, buffer=buffer)

    def merge_part(self, part: "Canvas", x: int, y: int) -> None:
        """Copy back what was drawn on a part whose top left corner is here."""
        if self.is_true_colour:
            self.paste_canvas(part, x, y)

    def paste_canvas(self, canvas: "Canvas", x: int, y: int) -> None:
        """Paste a finished canvas with its top left corner here."""
        self.image.paste(canvas.image, (x, y))

    def paste_shades(self, shades: Image.Image, box: Box, mask: Image.Image | None = None) -> None:
        """Fill a box, or the pixels of a mask, with shades of the cloth."""
        if self.is_true_colour:
            shades = get_palette(self.theme).to_palette_image(shades).convert("RGB")
        self.image.paste(shades, box, mask)

    def fill_pixel(self, pixel: Sprite, box: Box) -> None:
        """Fill a box with the colour of a one-pixel sprite."""
        self.image.paste((pixel.rgb_image if self.is_true_colour else pixel.index_image).getpixel((0, 0)), box)  # type: ignore[arg-type]

    def paint_shape(self, colour: Colour, x: int, y: int, make: Callable[..., Image.Image], *args: Hashable) -> None:
        """Draw a colour over everything that `make(*args)` covers."""
        cover = make(*args)
        if self.is_true_colour:
            self.image.paste(colour, (x, y), cover)
            return
        box = self._clip_box(x, y, cover)
        if box[0] >= box[2] or box[1] >= box[3]:
            return
        at = (box[0] - x, box[1] - y, box[2] - x, box[3] - y)
        mask = render_mask(make, *args).crop(at)
        under = Image.new("L", mask.size)
        under.paste(self.image.crop(box), mask=mask)
        # Most of a board does not change with a move, so this is cached.
        self.image.paste(_blend_colour(self.theme, under.tobytes(), at, colour, make, *args), box, mask)

    def paint_light(self, colour: Colour, strength: float, x: int, y: int, light: Light) -> None:
        """Draw light of this strength, 0 to 1, on the empty cloth and its shadows; in true colour on everything."""
        if self.is_true_colour:
            self.image.paste(colour, (x, y), light.coverage.point([round(level * strength) for level in range(256)]))
            return
        image, lit = self.image.im, _build_light_table(self.theme, colour, strength)
        for left, top, width, height, steps, _ in light.steps.masked:
            box = (x + left, y + top, x + left + width, y + top + height)
            under = image.crop(box)
            # A shade plus a step fits into a byte. `add` divides every sum and takes eight times as long.
            shown = under.point(_LIGHT_SHADE_OF, None).chop_add_modulo(steps).point(lit, None)
            image.paste(shown, box, under.point(_IS_CLOTH, None).chop_darker(steps.point(_HAS_LIGHT, None)))

    def paint_shadow(self, sprite: Sprite, x: int, y: int) -> None:
        """Draw a shadow or objects with shadows on the cloth, but not (in palette numbers) on other objects.

        Where two shadows meet, the deeper one stays.
        """
        shadow = sprite.rgb_image if self.is_true_colour else sprite.index_image
        box = self._clip_box(x, y, shadow)
        if (box[2] - box[0], box[3] - box[1]) != shadow.size:
            shadow = shadow.crop((box[0] - x, box[1] - y, box[2] - x, box[3] - y))
        # Core images, because there are as many small shadows as tiles.
        under = self.image.im.crop(box)
        self.image.im.paste(under.chop_darker(shadow.im) if self.is_true_colour else under.chop_lighter(shadow.im), box)

    def paste_pieces(self, pieces: Pieces, x: int, y: int) -> None:
        """Put an object with its shadow on the cloth, where deeper shadows stay. All of it must be on the canvas."""
        image = self.image.im
        for left, top, width, height, part, _ in pieces.opaque:
            image.paste(part, (x + left, y + top, x + left + width, y + top + height))
        for left, top, width, height, part, _ in pieces.masked:
            box = (x + left, y + top, x + left + width, y + top + height)
            image.paste(image.crop(box).chop_lighter(part), box)

    def _clip_box(self, x: int, y: int, piece: Image.Image) -> Box:
        return (max(0, x), max(0, y), min(self.width, x + piece.width), min(self.height, y + piece.height))

    def to_png(self, deflate: Deflate = DEFLATE) -> bytes:
        """The finished picture as a PNG file. Compression releases the GIL."""
        if self._buffer is not None:
            return self._buffer.to_png(get_palette(self.theme).bytes, deflate)
        file = BytesIO()
        self.image.save(file, "PNG")
        return file.getvalue()


def draw_sprite(
    theme: Theme,
    size: tuple[int, int],
    draw: Callable[[Canvas], None],
    mask: Image.Image | None = None,
    cuts: tuple[CutBox, ...] | None = None,
) -> Sprite:
    """A sprite that is drawn on a canvas of its own."""

    def render(*, true_colour: bool) -> Image.Image:
        canvas = Canvas(*size, theme, true_colour=true_colour)
        draw(canvas)
        return canvas.image.copy()

    return Sprite(theme, lambda: render(true_colour=True), mask, render(true_colour=False), cuts)


def colourise(cover: Image.Image, ground: Colour, ink: Colour) -> Image.Image:
    """A coverage as a true-colour picture on a plain ground."""
    picture = Image.new("RGB", cover.size, ground)
    picture.paste(ink, (0, 0), cover)
    return picture


@PART_CACHE.memoize
def render_mask(make: Callable[..., Image.Image], *args: Hashable) -> Image.Image:
    """The pixels that `make(*args)` covers, as a paste mask."""
    return threshold(make(*args), 1)


@PART_CACHE.memoize
def _blend_colour(
    theme: Theme, under: bytes, at: Box, colour: Colour, make: Callable[..., Image.Image], *args: Hashable
) -> Image.Image:
    """Palette numbers with a colour drawn over them; `at` is the box of the cover above them."""
    cover = make(*args).crop(at)
    palette = get_palette(theme)
    part = palette.to_palette_image(Image.frombytes("L", cover.size, under)).convert("RGB")
    part.paste(colour, (0, 0), cover)
    return palette.to_index_image(part)


_IS_CLOTH = [255 * (number < SHADES) for number in range(SIZE)]
"""For each number, whether light falls on it: the cloth or a shadow on it."""
LIGHT_SHADES, LIGHT_STEPS = 20, 12  # shades and steps of light that fit into one byte together
_LIGHT_SHADE_OF = [min(round(number * LIGHT_SHADES / SHADES), LIGHT_SHADES - 1) for number in range(SIZE)]
_HAS_LIGHT = [255 * (step >= LIGHT_SHADES) for step in range(SIZE)]
_STEP_OF = [LIGHT_SHADES * round(cover * (LIGHT_STEPS - 1) / 255) for cover in range(256)]


def build_light(cover: Image.Image, inner_mask: Image.Image, at: tuple[int, int]) -> Light:
    """Light with this coverage. `inner_mask` is the mask of what covers it, with its top left corner at `at`."""
    steps = map_pixels(cover, _STEP_OF)
    around = steps.copy()
    around.paste(0, at, inner_mask)
    return Light(cover, cut_up(steps, compute_cuts(around, Image.new("1", steps.size))))


@lru_cache(maxsize=8)
def _build_light_table(theme: Theme, colour: Colour, strength: float) -> list[int]:
    """For each step of light and each shade, the palette number to use."""
    palette = get_palette(theme)
    numbers = [shade * SHADES // LIGHT_SHADES for shade in range(LIGHT_SHADES)]
    grounds = [palette.colours[number] for number in numbers]
    shares = [strength * step / (LIGHT_STEPS - 1) for step in range(LIGHT_STEPS)]
    lit = [palette.find_nearest(mix(ground, colour, share)) for share in shares for ground in grounds]
    return [*numbers, *lit[LIGHT_SHADES:], *[0] * (SIZE - len(lit))]


@PART_CACHE.memoize
def render_sprite(
    theme: Theme, colour: Colour, ground: Colour, make: Callable[..., Image.Image], *args: Hashable
) -> Sprite:
    """What `make(*args)` covers, in one colour on a plain ground. On the uneven cloth it is pasted with a mask."""
    cover = make(*args)
    index_image = map_pixels(cover, get_palette(theme).build_ramp(ground, colour))
    mask = threshold(cover) if ground == theme.cloth else None
    return Sprite(theme, lambda: colourise(make(*args), ground, colour), mask, index_image)
