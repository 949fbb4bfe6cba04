"""The 256 colours of all pictures of a theme.

A palette picture has a third of the size of a true-colour one and is encoded several times faster. The palette is
fixed, so small pictures are converted once and pasted as they are. It contains each colour of the theme, and steps
between pairs that meet along a smooth edge.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

from PIL import Image

from render.canvas.theme import Colour, Theme, mix

SIZE = 256
SHADES = 40
"""The first colours run from the plain cloth (0) to the deepest shadow. Of two that meet, the greater number stays.

All objects on the cloth have greater numbers still, so a shadow never falls on them, whatever is drawn first.
"""
DISABLED_OPACITY = 0.42  # opacity of the ground over disabled tiles and resigned seats
COMMON_VALUES = 7  # values from here on occur in few sets and get fewer steps
UNPLAYABLE_OPACITY = 0.55  # opacity of the wood over a tile of a hand that fits nowhere
PREVIEW_OPACITY = 0.86  # opacity of a tile that is chosen but not played


UNUSED: Colour = (255, 0, 255)  # a colour that no picture comes near


def _find_cell(colour: Colour) -> Colour:
    """The step of a colour. Pillow finds the nearest in steps of four, so two within one step would be confused."""
    return colour[0] >> 2, colour[1] >> 2, colour[2] >> 2


class Palette:
    """The colours of a theme by number, and conversions to such numbers."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        chosen: list[Colour] = []
        cells: set[Colour] = set()
        for colour in _iterate_colours(theme):
            if len(chosen) < SHADES:
                chosen.append(colour)
            elif (cell := _find_cell(colour)) not in cells:
                cells.add(cell)
                chosen.append(colour)
        self.colours: tuple[Colour, ...] = tuple(chosen[:SIZE])  # by number
        self.bytes = b"".join(bytes(colour) for colour in self.colours)  # in Pillow's and PNG's format
        # Colours that are converted meet every third shade only, and none that is too close to another colour.
        for shade in range(SHADES):
            near = (
                max(abs(a - b) for a, b in zip(_find_cell(chosen[shade]), cell, strict=True)) <= 1 for cell in cells
            )
            if shade % 3 or any(near):
                chosen[shade] = UNUSED
        self._palette_image = Image.new("P", (1, 1))
        self._palette_image.putpalette(b"".join(bytes(colour) for colour in chosen[:SIZE]))
        # Load the palette now: Pillow does it at the first use, which is not thread-safe (it reads freed memory).
        self._palette_image.load()
        self.find_nearest = lru_cache(maxsize=4096)(self._find_nearest)  # the number of the closest colour
        self.build_ramp = lru_cache(maxsize=512)(self._build_ramp)
        """For each coverage 0 to 255 of ink on a plain ground, the palette number."""
        self.build_blend_table = lru_cache(maxsize=64)(self._build_blend_table)
        """For each palette number, the number of its blend with a colour."""

    def _find_nearest(self, colour: Colour) -> int:
        red, green, blue = colour
        distances = [(r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2 for r, g, b in self.colours]
        return distances.index(min(distances))

    def _build_ramp(self, ground: Colour, ink: Colour) -> tuple[int, ...]:
        # Reduced shapes have about 17 steps of coverage, and the palette has fewer between two colours.
        steps = [self.find_nearest(mix(ground, ink, step / 16)) for step in range(17)]
        return tuple(steps[round(cover * 16 / 255)] for cover in range(256))

    def _build_blend_table(self, over: Colour, share: float) -> tuple[int, ...]:
        blended = [self.find_nearest(mix(colour, over, share)) for colour in self.colours]
        return (*blended, *[0] * (SIZE - len(blended)))

    def to_index_image(self, rgb_image: Image.Image) -> Image.Image:
        """A true-colour picture as palette numbers. Mode "L" pastes without a palette lookup."""
        found = rgb_image.quantize(palette=self._palette_image, dither=Image.Dither.NONE)
        return Image.frombytes("L", found.size, found.tobytes())

    def to_palette_image(self, index_image: Image.Image) -> Image.Image:
        """Palette numbers as a palette picture (mode "P")."""
        picture = index_image.copy()
        picture.putpalette(self.bytes)
        return picture


@cache
def get_palette(theme: Theme) -> Palette:
    """The only palette of a theme."""
    return Palette(theme)


def compute_shade(theme: Theme, number: int) -> Colour:
    """One of the `SHADES` from the plain cloth to the deepest shadow."""
    return mix(theme.deep, theme.cloth, (SHADES - 1 - number) / (SHADES - 1))


def _iterate_colours(t: Theme) -> Iterator[Colour]:
    """All useful colours, the most important first. Those without room are dropped."""
    common, rare = t.values[:COMMON_VALUES], t.values[COMMON_VALUES:]
    yield from (compute_shade(t, number) for number in range(SHADES))
    yield from (t.slot, t.slot_edge, t.groove, t.faint, t.text, t.quiet, t.accent, t.gain, t.loss)
    yield from (t.plate, t.ink, t.ink_quiet, t.plate_groove)
    yield from (t.ivory, t.ivory_edge, t.ivory_low, t.lip, t.lit, t.lit_edge, t.lit_low, t.lit_lip)
    yield from (t.ebony, t.ebony_edge, t.brass, t.brass_light, t.brass_dark, t.copper, t.copper_dark)
    yield from (t.walnut, t.walnut_edge, t.light_digit, t.dark_digit, *t.values, *t.seats)
    yield from (*_iterate_steps(t.ivory, t.ivory_low, 4), *_iterate_steps(t.lit, t.lit_low, 3))
    yield from (*_iterate_steps(t.ivory_low, t.lip, 2), *_iterate_steps(t.lit_low, t.lit_lip, 2))
    # Smooth edges of tiles on the cloth and in shadow.
    for shade in (0, SHADES // 2, SHADES - 4):
        for rim in (t.ivory, t.ivory_low, t.lip):
            yield from _iterate_steps(compute_shade(t, shade), rim, 3)
    yield from (compute_rim_colour(value) for value in common)
    # Dim tiles that do not fit, and the pale tile that is not yet played.
    for colour in (t.ivory, t.ivory_low, *common):
        yield mix(colour, t.walnut, UNPLAYABLE_OPACITY)
        yield mix(t.cloth, t.lit if colour == t.ivory else colour, PREVIEW_OPACITY)
    # The glow fades out slowly, so most of its steps are close to the ground colour.
    for share in (0.03, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.43, 0.5, 0.6, 0.76):
        yield mix(t.cloth, t.brass, share)
    yield from _iterate_steps(t.ink, t.ivory, 3)
    for number, value in enumerate(common):
        yield from _iterate_steps(value, t.ivory, 2)
        yield from _iterate_steps(value, t.get_digit_colour(number), 2)
    yield from (*_iterate_steps(t.cloth, t.text, 4), *_iterate_steps(t.slot, t.text, 4))
    yield from (*_iterate_steps(t.cloth, t.quiet, 3), *_iterate_steps(t.slot, t.quiet, 3))
    yield from (*_iterate_steps(t.cloth, t.accent, 3), *_iterate_steps(t.plate, t.ink, 4))
    yield from (
        *_iterate_steps(t.lip, t.ivory, 1),
        *_iterate_steps(t.deep, t.lip, 2),
        *_iterate_steps(t.deep, t.ivory, 3),
    )
    for ink in (t.accent, t.gain, t.loss):
        yield from _iterate_steps(t.slot, ink, 2)
    yield from _iterate_steps(t.plate, t.ink_quiet, 2)
    for value in common:
        yield from _iterate_steps(value, t.lit, 2)
    yield from _iterate_steps(t.brass_dark, t.brass, 1)
    yield from _iterate_steps(t.brass, t.brass_light, 1)
    yield from _iterate_steps(t.cloth, t.slot_edge, 1)
    yield from _iterate_steps(t.cloth, t.faint, 1)
    for seat in t.seats:
        yield from _iterate_steps(t.slot, seat, 1)
    for number, value in enumerate(common):
        yield from _iterate_steps(
            mix(value, t.walnut, UNPLAYABLE_OPACITY), mix(t.get_digit_colour(number), t.walnut, UNPLAYABLE_OPACITY), 1
        )
    for number, value in enumerate(rare, COMMON_VALUES):
        yield from _iterate_steps(value, t.ivory, 1)
        yield from _iterate_steps(value, t.get_digit_colour(number), 2)
    for value in common:
        yield from _iterate_steps(compute_rim_colour(value), t.ivory, 2)
    yield from _iterate_steps(t.copper_dark, t.copper, 2)
    yield from _iterate_steps(t.walnut, t.light_digit, 3)
    yield from _iterate_steps(t.walnut, t.brass, 2)
    yield from _iterate_steps(t.ebony, t.brass, 2)


def compute_rim_colour(value: Colour) -> Colour:
    """The edge colour of an inlay, in the shade of the ivory around it."""
    return mix(value, (0, 0, 0), 0.38)


def _iterate_steps(one: Colour, other: Colour, steps: int) -> Iterator[Colour]:
    yield from (mix(one, other, step / (steps + 1)) for step in range(1, steps + 1))
