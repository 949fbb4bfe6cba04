"""Pictures: what one costs beside writing its file, and beside the same picture drawn by others."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib import import_module
from io import BytesIO
from typing import Any

from PIL import Image

from engine.seen import Seen, see
from render import hand_picture, lettering, table_picture
from render.kept import PARTS, PIECES
from render.laid import DRAWINGS
from render.palette import palette_of
from render.png import DEFLATE, ZLIB, Sheet
from render.theme import DARK
from tests.bench.boards import NAMES, captions, course, fullest, people
from tests.bench.measure import Effort, Work, ratio
from tests.bench.rows import Missing, row, work
from tests.bench.yardsticks import fastest
from tests.bench.yardsticks.scene import scene
from tests.bench.yardsticks.svg import svg

PALETTE = palette_of(DARK).bytes
GAMES = ("triominoes", "quad-ominos", "muggins")


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
    """Nothing but writing these pixels as palette PNG files: by Pillow, as hard as the project presses with zlib."""

    def save(image: Image.Image) -> None:
        image.save(BytesIO(), "PNG", compress_level=ZLIB.level)

    return Work.of(partial(save, image) for image in images)


@lru_cache(maxsize=8)
def pixels(game: str, *, own: bool = False) -> tuple[Image.Image, ...]:
    """The pictures of a round as they come out of the files."""
    return tuple(numbers(hand(mine) if own else board(seen)) for seen, mine in course(game))


@work("a board, a move after the last one")
def following() -> Work:
    """A round, move by move: every picture is drawn with what was kept of those before it."""
    seen = [public for public, _ in course()]
    return Work.of((partial(board, one) for one in seen), before=DRAWINGS.clear)


@work("a board, with nothing known of the table")
def anew() -> Work:
    """The same pictures, each by itself; the tiles have been drawn in this size before."""
    seen = [public for public, _ in course()]

    def draw(one: Seen) -> None:
        DRAWINGS.clear()
        board(one)

    return Work.of(partial(draw, one) for one in seen)


@work("the next player's hand, after the board")
def hands() -> Work:
    """The same round from the chair of whoever is next."""
    seen = [mine for _, mine in course()]
    return Work.of((partial(hand, one) for one in seen), before=DRAWINGS.clear)


@work("Pillow's bare file of a board")
def files() -> Work:
    """The same pixels, as Pillow writes them."""
    return bare(pixels("triominoes"))


@work("the fastest file of a board")
def fastest_files() -> Work:
    """What every picture costs at least."""
    return fastest.files(pixels("triominoes"))


@row("picture: board after a move / fastest file", goal=2.2, better="less", cheap=True, held=2.4)
def incremental(effort: Effort) -> float:
    """Warm and incremental."""
    return ratio(following(), fastest_files(), effort)


@row("picture: board from scratch / fastest file", goal=3, better="less", cheap=True)
def from_scratch(effort: Effort) -> float:
    """Warm, with no picture of the table before it."""
    return ratio(anew(), fastest_files(), effort)


@row("picture: hand / fastest file", goal=2.4, better="less", cheap=True)
def own(effort: Effort) -> float:
    """The picture of one's hand with the board above it."""
    return ratio(hands(), fastest.files(pixels("triominoes", own=True)), effort)


@row("picture: board after a move / Pillow's bare file", goal=0.6, better="less")
def beside_pillow(effort: Effort) -> float:
    """The picture drawn and written in a part of the time that the library takes to write it."""
    return ratio(following(), files(), effort)


@row("picture: the same file, by Pillow / by render.png")
def pressed(effort: Effort) -> float:
    """Only the writing of what has been drawn."""
    return ratio(files(), Work(lambda: [sheet.file(PALETTE) for sheet in sheets()], len(sheets())), effort)


@row("picture: the same file, by zlib / by ISA-L", better="more")
def without(effort: Effort) -> float:
    """What a machine without ISA-L pays, of the writing alone."""
    if DEFLATE == ZLIB:
        raise Missing("isal is not installed: there is no wheel of it for this machine")
    by_zlib, by_isal = (
        Work(lambda way=way: [sheet.file(PALETTE, way) for sheet in sheets()], len(sheets())) for way in (ZLIB, DEFLATE)
    )
    return ratio(by_zlib, by_isal, effort)


@cache
def sheets() -> tuple[Sheet, ...]:
    """The boards of a round where they were drawn."""
    drawn = []
    for image in pixels("triominoes"):
        drawn.append(Sheet(*image.size))
        drawn[-1].image.paste(Image.frombytes("L", image.size, image.tobytes()))
    return tuple(drawn)


@row("picture: first board of a new size / Pillow's bare file", goal=30, better="less")
def cold(effort: Effort) -> float:
    """Everything is drawn anew, words included; fonts and the palette are there."""
    seen = see(fullest("triominoes"), None)
    return ratio(Work(lambda: board(seen), before=forget_sizes), bare([numbers(board(seen))]), effort)


@row("picture: boards of an evening that begins / fastest file", better="less")
def evening(effort: Effort) -> float:
    """Ten tables in turn, three games and forty people of whom nothing was drawn before: words, tiles, sizes."""
    tables = [(people(number), course(GAMES[number % 3], number)[:8]) for number in range(10)]
    boards = [(seen[move][0], names) for move in range(8) for names, seen in tables if move < len(seen)]

    def draw() -> list[bytes]:
        return [table_picture(seen, names, captions(seen, names)).png for seen, names in boards]

    def forget() -> None:
        forget_sizes()
        for kept in (lettering._letter, lettering.length, lettering.box, lettering.fitted):
            kept.cache_clear()

    return ratio(Work(draw, len(boards), forget), fastest.files([numbers(png) for png in draw()]), effort)


def forget_sizes() -> None:
    """Let go of everything that was drawn in some size."""
    for kept in (DRAWINGS, PARTS, PIECES):
        kept.clear()


@row("picture: the fullest board of Triominoes", goal=150, better="less", unit="kB")
def triangles(_: Effort) -> float:
    """56 tiles, and every board on the way to it."""
    return max(map(len, (board(see(fullest("triominoes"), None)), *(board(seen) for seen, _ in course())))) / 1000


@row("picture: a board of 125 squares", goal=150, better="less", unit="kB")
def squares(_: Effort) -> float:
    """All tiles of Quad-Ominos."""
    return len(board(see(fullest("quad-ominos"), None))) / 1000


@row("picture: cairosvg / the fullest board", goal=60)
def cairosvg(effort: Effort) -> float:
    """The same picture as SVG. Making the text of the SVG is not counted."""
    library, seen = _library("cairosvg"), see(fullest("triominoes"), None)
    text = svg(scene(seen, NAMES, captions(seen))).encode()
    return ratio(Work(lambda: library.svg2png(text)), _last_of_all(seen), effort)


@row("picture: skia-python / the fullest board", goal=24)
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
