"""The 256 colours that every picture is written in.

A picture of palette numbers is a third of the size of a true-colour one and is encoded several times faster. The
palette is fixed, so small pictures are turned into numbers once and pasted as they are ever after. It holds each
colour of the theme exactly, and steps between the pairs that meet along a smooth edge.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

from PIL import Image

from render.theme import THEME, Colour, mix

SIZE = 256
SHADES = 6
"""The first colours run from the deepest shadow to the bare ground, so the darker of two has the smaller number."""
DIM = 0.42
"""How far the tiles that cannot be played sink into the panel."""
USUAL = 7
"""Values from here on are in few sets, and make do with fewer steps."""
GHOST = 0.76
"""How solid a tile is that has been chosen but not played."""


def _wanted() -> Iterator[Colour]:
    """Colours in the order of how much they are missed; what finds no room is left out."""
    t = THEME
    common, rare = t.values[:USUAL], t.values[USUAL:]
    yield from (mix(t.shadow, t.ground, step / (SHADES - 1)) for step in range(SHADES))
    texts = (t.white, t.grey, t.gold, t.mint, t.coral)
    yield from (t.panel, t.panel_on, t.groove, t.badge, t.faint, *texts, t.pink)
    yield from (t.face, t.lip, t.gap, t.light_digit, t.dark_digit, *t.values, *t.seats)
    for colour in (t.face, *t.values):
        yield mix(colour, t.panel, DIM)
        yield mix(t.ground, colour, GHOST)
    # The glow fades out slowly, so most of its steps are near the ground.
    for share in (0.03, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.31, 0.38, 0.46, 0.55, 0.65, 0.76, 0.88):
        yield mix(t.ground, t.gold, share)
    pairs: list[tuple[Colour, Colour, int]] = []
    pairs += [(t.face, value, 4) for value in common]
    pairs += [(value, t.digit(number), 3) for number, value in enumerate(common)]
    pairs += [(t.gap, t.face, 4), (t.gap, t.lip, 3), (t.lip, t.face, 2)]
    pairs += [(t.ground, text, 4) for text in texts]
    pairs += [(t.panel, text, 4) for text in texts]
    pairs += [(t.panel_on, text, 3) for text in texts]
    pairs += [(t.gap, value, 2) for value in common]
    pairs += [(t.ground, t.groove, 2), (t.ground, t.faint, 2), (t.ground, t.panel, 1), (t.badge, t.white, 3)]
    pairs += [(t.face, line, 2) for line in (t.gold, t.mint, t.pink)]
    pairs += [(t.gap, line, 2) for line in (t.gold, t.mint, t.pink)]
    pairs += [(t.gold, t.dark_digit, 2)]
    pairs += [(t.face, value, 2) for value in rare]
    pairs += [(value, t.digit(number), 2) for number, value in enumerate(rare, USUAL)]
    pairs += [(t.panel, seat, 2) for seat in t.seats]
    pairs += [(mix(t.face, t.panel, DIM), mix(value, t.panel, DIM), 2) for value in common]
    pairs += [(mix(t.ground, t.face, GHOST), mix(t.ground, value, GHOST), 2) for value in common]
    for one, other, steps in pairs:
        yield from (mix(one, other, step / (steps + 1)) for step in range(1, steps + 1))


@cache
def colours() -> tuple[Colour, ...]:
    """The palette, by number."""
    chosen: list[Colour] = []
    cells: set[tuple[int, int, int]] = set()
    for colour in _wanted():
        # Pillow looks for the nearest colour in steps of four; two colours within one step would be confused.
        cell = (colour[0] >> 2, colour[1] >> 2, colour[2] >> 2)
        if len(chosen) < SHADES or cell not in cells:
            cells.add(cell)
            chosen.append(colour)
    return tuple(chosen[:SIZE])


@cache
def palette_bytes() -> bytes:
    """The palette as Pillow and PNG write it."""
    return b"".join(bytes(colour) for colour in colours())


@lru_cache(maxsize=4096)
def nearest(colour: Colour) -> int:
    """The number of the colour that is closest."""
    red, green, blue = colour
    return min(
        [((r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2, number) for number, (r, g, b) in enumerate(colours())]
    )[1]


@cache
def _paper() -> Image.Image:
    paper = Image.new("P", (1, 1))
    paper.putpalette(palette_bytes())
    return paper


def numbered(rgb: Image.Image) -> Image.Image:
    """A true-colour picture as palette numbers (mode "L": plain numbers paste without a look at the palette)."""
    found = rgb.quantize(palette=_paper(), dither=Image.Dither.NONE)
    return Image.frombytes("L", found.size, found.tobytes())


def coloured(numbers: Image.Image) -> Image.Image:
    """Palette numbers as a palette picture (mode "P")."""
    picture = numbers.copy()
    picture.putpalette(palette_bytes())
    return picture


@lru_cache(maxsize=512)
def ramp(ground: Colour, ink: Colour) -> tuple[int, ...]:
    """For each coverage 0 to 255 of ink on a plain ground, the palette number to use."""
    # Pillow reduces shapes to about seventeen steps of coverage, and the palette has fewer between two colours.
    steps = [nearest(mix(ground, ink, step / 16)) for step in range(17)]
    return tuple(steps[round(cover * 16 / 255)] for cover in range(256))


@lru_cache(maxsize=64)
def veil(over: Colour, share: float) -> tuple[int, ...]:
    """For each palette number, the one that looks like it with `over` laid on at this opacity."""
    return tuple(nearest(mix(colour, over, share)) for colour in colours()) + (0,) * (SIZE - len(colours()))
