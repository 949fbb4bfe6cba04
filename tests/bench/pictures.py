"""Pictures: what one costs beside writing its file, and beside the same picture drawn by others."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from typing import Any

from PIL import Image

from engine.seen import Seen, see
from render import blank, cards, hand_picture, marks, open_places, rings, seat_line, table_picture, tile
from render import canvas as paper
from render.faces import layers, signs
from render.laid import DRAWINGS
from render.png import LEVEL, palette_png
from tests.bench.boards import NAMES, captions, course, fullest
from tests.bench.measure import Effort, Work, ratio
from tests.bench.rows import Missing, row, work
from tests.bench.yardsticks.scene import scene
from tests.bench.yardsticks.svg import svg

SIZED = (blank, cards, layers, marks, open_places, paper, rings, seat_line, signs, tile)
"""The modules that keep what they have drawn in some size."""


def board(seen: Seen) -> bytes:
    """The public picture."""
    return table_picture(seen, NAMES, captions(seen)).png


def hand(seen: Seen) -> bytes:
    """The next player's own picture."""
    return hand_picture(seen, NAMES, captions(seen)).png


def numbers(png: bytes) -> Image.Image:
    """The pixels of a file, with its palette."""
    image = Image.open(BytesIO(png))
    image.load()
    return image


def bare(images: Sequence[Image.Image]) -> Work:
    """Nothing but writing these pixels as palette PNG files: by Pillow, as hard as the project presses its own."""

    def do() -> None:
        for image in images:
            image.save(BytesIO(), "PNG", compress_level=LEVEL)

    return Work(do, units=len(images))


@lru_cache(maxsize=8)
def pixels(game: str, *, own: bool = False) -> tuple[Image.Image, ...]:
    """The pictures of a round as they come out of the files."""
    return tuple(numbers(hand(mine) if own else board(seen)) for seen, mine in course(game))


@work("a board, a move after the last one")
def following() -> Work:
    """A round, move by move: every picture is drawn with what was kept of those before it."""
    seen = [public for public, _ in course()]
    return Work(lambda: [board(one) for one in seen], units=len(seen), before=DRAWINGS.clear)


@work("a board, with nothing known of the table")
def anew() -> Work:
    """The same pictures, each by itself; the tiles have been drawn in this size before."""
    seen = [public for public, _ in course()]

    def do() -> None:
        for one in seen:
            DRAWINGS.clear()
            board(one)

    return Work(do, units=len(seen))


@work("the next player's hand, after the board")
def hands() -> Work:
    """The same round from the chair of whoever is next."""
    seen = [mine for _, mine in course()]
    return Work(lambda: [hand(one) for one in seen], units=len(seen), before=DRAWINGS.clear)


@work("the bare file of a board")
def files() -> Work:
    """What every picture costs at least."""
    return bare(pixels("triominoes"))


@row("the same file, by Pillow / by render.png")
def pressed(effort: Effort) -> float:
    """Only the writing of what has been drawn."""
    drawn = [(Image.frombytes("L", image.size, image.tobytes()), image.palette) for image in pixels("triominoes")]
    rows = [(image, bytes(palette.palette)) for image, palette in drawn if palette is not None]
    return ratio(files(), Work(lambda: [palette_png(image, colours) for image, colours in rows], len(rows)), effort)


@row("board after a move / its bare file", goal=1.4, better="less", cheap=True)
def incremental(effort: Effort) -> float:
    """Warm and incremental."""
    return ratio(following(), files(), effort)


@row("board from scratch / its bare file", goal=1.8, better="less", cheap=True)
def from_scratch(effort: Effort) -> float:
    """Warm, with no picture of the table before it."""
    return ratio(anew(), files(), effort)


@row("hand / board", goal=1.3, better="less", cheap=True)
def own(effort: Effort) -> float:
    """The picture of one's hand with the board above it."""
    return ratio(hands(), following(), effort)


@row("first board of a new size / its bare file", goal=30, better="less")
def cold(effort: Effort) -> float:
    """Everything that has a size is drawn anew; fonts and the palette are there."""
    seen = see(fullest("triominoes"), None)
    return ratio(Work(lambda: board(seen), before=forget_sizes), bare([numbers(board(seen))]), effort)


def forget_sizes() -> None:
    """Let go of everything that was drawn in some size."""
    DRAWINGS.clear()
    for module in SIZED:
        for kept in (*vars(module).values(), cards.Card.drawn, seat_line.Panel.drawn):
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


@row("the fullest board of Triominoes", goal=80, better="less", unit="kB")
def triangles(_: Effort) -> float:
    """56 tiles, and every board on the way to it."""
    return max(map(len, (board(see(fullest("triominoes"), None)), *(board(seen) for seen, _ in course())))) / 1000


@row("a board of 125 squares", goal=150, better="less", unit="kB")
def squares(_: Effort) -> float:
    """All tiles of Quad-Ominos."""
    return len(board(see(fullest("quad-ominos"), None))) / 1000


@row("cairosvg / the fullest board", goal=20)
def cairosvg(effort: Effort) -> float:
    """The same picture as SVG. Making the text of the SVG is not counted."""
    library, seen = _library("cairosvg"), see(fullest("triominoes"), None)
    text = svg(scene(seen, NAMES, captions(seen))).encode()
    return ratio(Work(lambda: library.svg2png(text)), _last_of_all(seen), effort)


@row("skia-python / the fullest board", goal=6)
def skia(effort: Effort) -> float:
    """The same picture by a graphics library that is written for speed; its fonts and paints are kept."""
    _library("skia")
    drawing, seen = import_module("tests.bench.yardsticks.skia_drawing"), see(fullest("triominoes"), None)
    shapes = scene(seen, NAMES, captions(seen))
    return ratio(Work(lambda: drawing.drawn(shapes)), _last_of_all(seen), effort)


def _last_of_all(seen: Seen) -> Work:
    """The last of 56 tiles is played."""
    before = replace(seen, tiles=seen.tiles[:-1])

    def one_less() -> None:
        DRAWINGS.clear()
        board(before)

    return Work(lambda: board(seen), before=one_less)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Missing(f"{name} is not installed: it is in the group `bench`") from None
