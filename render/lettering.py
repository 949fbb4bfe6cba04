"""Words on pictures: one family of letters, names made safe to draw, and runs of text kept once drawn.

Hardly a text comes twice, but its letters do: each is drawn once in a size, and texts are set from them.
"""

import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from render.canvas import Box, Canvas, inked
from render.theme import Colour

_FONTS = Path(__file__).parent / "fonts"
_NOWHERE = "\U0010ffff"
"""A character that no font has; it shows what a missing one looks like."""


class Style(Enum):
    """The two weights of Manrope that are shipped."""

    TEXT = "Manrope-SemiBold.ttf"
    LOUD = "Manrope-ExtraBold.ttf"


@lru_cache(maxsize=48)
def font(style: Style, size: int) -> ImageFont.FreeTypeFont:
    """The letters of one weight and size (pixels an em); each takes some 160 kB."""
    # The basic layout gives the same pixels wherever Pillow was built.
    return ImageFont.truetype(_FONTS / style.value, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _drawable(letter: str) -> bool:
    letters = font(Style.TEXT, 24)
    shown, missing = letters.getmask(letter), letters.getmask(_NOWHERE)
    return (shown.size, bytes(shown)) != (missing.size, bytes(missing))


@lru_cache(maxsize=4096)
def readable(text: str, otherwise: str = "") -> str:
    """`text` with only what the letters can show.

    Ornamental alphabets become ordinary letters; emoji, control and direction marks and piled-up accents go; a run of
    letters of another script becomes one `·`. When nothing readable is left, the answer is `otherwise`.
    """
    kept: list[str] = []
    for letter in unicodedata.normalize("NFKC", text):
        kind = unicodedata.category(letter)
        if kind[0] == "Z" or letter in "\t\n\r":
            kept.append(" ")
        elif kind[0] in "CM":
            continue
        elif _drawable(letter):
            kept.append(letter)
        elif kind[0] in "LN" and kept[-1:] != ["·"]:
            kept.append("·")
    clean = " ".join("".join(kept).split())
    return clean if any(letter.isalnum() for letter in clean) or not otherwise else otherwise


class _Letter(NamedTuple):
    """One letter of a size."""

    cover: Image.Image
    """Its coverage (mode "L"), as large as its ink."""
    box: Box
    """Its ink, seen from where it begins on the base line."""
    advance: int
    """How far it is to the next letter, which is the same whatever that is: Manrope has no pairs of its own."""


@lru_cache(maxsize=2048)
def _letter(letter: str, style: Style, size: int) -> _Letter:
    letters = font(style, size)
    left, top, right, bottom = (int(edge) for edge in letters.getbbox(letter, anchor="ls"))
    cover = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(cover).text((-left, -top), letter, fill=255, font=letters, anchor="ls")
    return _Letter(cover, (left, top, right, bottom), round(letters.getlength(letter)))


def _set(text: str, style: Style, size: int) -> Iterator[tuple[int, _Letter]]:
    """The letters of a text, each with where it begins."""
    x = 0
    for letter in text:
        drawn = _letter(letter, style, size)
        yield x, drawn
        x += drawn.advance


@lru_cache(maxsize=4096)
def length(text: str, style: Style, size: int) -> int:
    """How wide the text is, in pixels."""
    return sum(_letter(letter, style, size).advance for letter in text)


@lru_cache(maxsize=2048)
def fitted(text: str, style: Style, size: int, width: int) -> str:
    """`text`, cut with an ellipsis when it is wider than `width` pixels."""
    if length(text, style, size) <= width:
        return text
    for end in range(len(text) - 1, 0, -1):
        shorter = text[:end].rstrip() + "…"
        if length(shorter, style, size) <= width:
            return shorter
    return "…"


def wrapped(text: str, style: Style, size: int, width: int) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces; a word that is wider is cut."""
    lines: list[str] = []
    for word in readable(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and length(longer, style, size) <= width:
            lines[-1] = longer
        else:
            lines.append(fitted(word, style, size, width))
    return lines


@lru_cache(maxsize=2048)
def box(text: str, style: Style, size: int) -> Box:
    """Left, top, right, bottom of the ink of a text that is not empty, seen from the start of the base line."""
    boxes = [(x + one.box[0], one.box[1], x + one.box[2], one.box[3]) for x, one in _set(text, style, size)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def cover(text: str, style: Style, size: int) -> Image.Image:
    """The coverage of a text, as large as its ink."""
    left, top, right, bottom = box(text, style, size)
    sheet = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    for x, letter in _set(text, style, size):
        sheet.paste(255, (x + letter.box[0] - left, letter.box[1] - top), letter.cover)
    return sheet


def draw_text(
    canvas: Canvas,
    text: str,
    x: int,
    base: int,
    *,
    style: Style,
    size: int,
    colour: Colour,
    ground: Colour,
    side: str = "left",
) -> int:
    """Write on a plain ground with the base line at `base`; `side` of the text is at `x`. Returns its width."""
    if not text:
        return 0
    wide = length(text, style, size)
    left, top, _, _ = box(text, style, size)
    start = {"left": x, "right": x - wide, "middle": x - wide // 2}[side]
    canvas.stamp(inked(colour, ground, cover, text, style, size), start + left, base + top)
    return wide
