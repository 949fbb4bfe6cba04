"""Words on pictures: one family of letters, names made safe to draw, and runs of text kept once drawn."""

import unicodedata
from enum import Enum
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from render.canvas import Canvas, inked
from render.theme import Colour

_FONTS = Path(__file__).parent / "fonts"
_NOWHERE = "\U0010ffff"
"""A character that no font has; it shows what a missing one looks like."""


class Style(Enum):
    """The two weights of Manrope that are shipped."""

    TEXT = "Manrope-SemiBold.ttf"
    LOUD = "Manrope-ExtraBold.ttf"


@lru_cache(maxsize=128)
def font(style: Style, size: int) -> ImageFont.FreeTypeFont:
    """The letters of one weight and size (pixels an em)."""
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


@lru_cache(maxsize=4096)
def length(text: str, style: Style, size: int) -> int:
    """How wide the text is, in pixels."""
    return round(font(style, size).getlength(text))


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
def box(text: str, style: Style, size: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the ink, seen from the start of the base line."""
    left, top, right, bottom = (int(edge) for edge in font(style, size).getbbox(text, anchor="ls"))
    return left, top, right, bottom


def cover(text: str, style: Style, size: int) -> Image.Image:
    """The coverage of a text, as large as its ink."""
    left, top, right, bottom = box(text, style, size)
    sheet = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(sheet).text((-left, -top), text, fill=255, font=font(style, size), anchor="ls")
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
