"""The surface that pictures are drawn on, in palette numbers; in true colour too, to compare with."""

from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw

from render.palette import coloured, nearest, numbered, ramp
from render.theme import THEME, Colour

SMOOTH = 4
"""Shapes are drawn this many times too large and reduced: Pillow draws without smooth edges."""

LEVEL = 3
"""How hard PNG files are pressed: a tenth smaller than with 1 in nearly the same time, and 6 takes twice as long."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""


def shape(width: int, height: int, draw: Callable[[ImageDraw.ImageDraw, int], None]) -> Image.Image:
    """The coverage (mode "L") of a shape with smooth edges; `draw` gets the enlarged surface and its scale."""
    large = Image.new("L", (width * SMOOTH, height * SMOOTH), 0)
    draw(ImageDraw.Draw(large), SMOOTH)
    return large.reduce(SMOOTH)


class Sprite:
    """A small opaque picture that is pasted again and again. `mask` says which of its pixels count."""

    def __init__(self, rgb: Image.Image, mask: Image.Image | None = None) -> None:
        self.rgb = rgb
        self.mask = mask

    @cached_property
    def numbers(self) -> Image.Image:
        """The picture in palette numbers, worked out when first pasted."""
        return numbered(self.rgb)

    def changed(self, table: Callable[[], tuple[int, ...]], over: Colour, share: float) -> "Sprite":
        """The same shape with `over` laid on it; `table` does the same to palette numbers."""
        sheet = Image.new("RGB", self.rgb.size, over)
        other = Sprite(Image.blend(self.rgb, sheet, share), self.mask)
        other.numbers = self.numbers.point(table())
        return other


def some(mask: Image.Image, least: int = 24) -> Image.Image:
    """The pixels with at least this coverage, as a paste mask (mode "1")."""
    return mask.point([255 * (cover >= least) for cover in range(256)]).convert("1")


class Canvas:
    """A picture in the making. `true` draws in 24-bit colour, which is slower and only the yardstick."""

    def __init__(self, width: int, height: int, *, true: bool = False) -> None:
        self.true = true
        self.width, self.height = width, height
        self.image = Image.new("RGB" if true else "L", (width, height), self._ink(THEME.ground))

    def _ink(self, colour: Colour) -> Colour | int:
        return colour if self.true else nearest(colour)

    def stamp(self, sprite: Sprite, x: int, y: int) -> None:
        """Paste a sprite with its top left corner here."""
        self.image.paste(sprite.rgb if self.true else sprite.numbers, (x, y), sprite.mask)

    def inset(self, part: "Canvas", x: int, y: int) -> None:
        """Paste a finished drawing of the same kind with its top left corner here."""
        self.image.paste(part.image, (x, y))

    def glaze(self, colour: Colour, x: int, y: int, make: Callable[..., Image.Image], *args: Hashable) -> None:
        """Lay colour over whatever is there, where `make(*args)` covers it."""
        cover = make(*args)
        if self.true:
            self.image.paste(colour, (x, y), cover)
            return
        box = self._clip(x, y, cover)
        if box[0] >= box[2] or box[1] >= box[3]:
            return
        part = self.image.crop(box)
        # Most of a board looks as it did a move ago, and so do the outlines on it.
        laid = _glazed(part.tobytes(), part.size, (box[0] - x, box[1] - y), colour, make, *args)
        self.image.paste(laid.numbers, box, laid.mask)

    def shade(self, sprite: Sprite, x: int, y: int) -> None:
        """Lay a shadow on the bare ground; where two meet, the deeper one stays."""
        box = self._clip(x, y, sprite.rgb)
        shadow = sprite.rgb if self.true else sprite.numbers
        if (box[2] - box[0], box[3] - box[1]) != shadow.size:
            shadow = shadow.crop((box[0] - x, box[1] - y, box[2] - x, box[3] - y))
        self.image.paste(ImageChops.darker(self.image.crop(box), shadow), box)

    def _clip(self, x: int, y: int, piece: Image.Image) -> Box:
        return (max(0, x), max(0, y), min(self.width, x + piece.width), min(self.height, y + piece.height))

    def png(self) -> bytes:
        """The finished picture. The lock of the interpreter is free while it is compressed."""
        file = BytesIO()
        finished = self.image if self.true else coloured(self.image)
        finished.save(file, "PNG", compress_level=LEVEL)
        return file.getvalue()


def soft(cover: Image.Image, ground: Colour, ink: Colour) -> Image.Image:
    """A coverage as a true-colour picture on a plain ground."""
    picture = Image.new("RGB", cover.size, ground)
    picture.paste(ink, (0, 0), cover)
    return picture


@lru_cache(maxsize=128)
def _glazed(
    numbers: bytes,
    size: tuple[int, int],
    at: tuple[int, int],
    colour: Colour,
    make: Callable[..., Image.Image],
    *args: Hashable,
) -> Sprite:
    """Part of a canvas with colour laid on it; `at` is where in the cover the part begins."""
    cover = make(*args).crop((*at, at[0] + size[0], at[1] + size[1]))
    part = coloured(Image.frombytes("L", size, numbers)).convert("RGB")
    part.paste(colour, (0, 0), cover)
    return Sprite(part, some(cover, 1))


@lru_cache(maxsize=2048)
def inked(colour: Colour, ground: Colour, make: Callable[..., Image.Image], *args: Hashable) -> Sprite:
    """What `make(*args)` covers, in a colour on a plain ground that is known: the fast way for text and cards."""
    cover = make(*args)
    sprite = Sprite(soft(cover, ground, colour))
    sprite.numbers = cover.point(ramp(ground, colour))
    return sprite
