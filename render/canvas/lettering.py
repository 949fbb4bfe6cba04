"""Words on pictures: one family of letters, other scripts beside it, names made safe to draw, and runs of text kept
once drawn.

Hardly a text comes twice, but its letters do: each is drawn once in a size, and texts are set from them. What is in
another script is set word by word (`render/canvas/scripts.py`).
"""

import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from render.canvas import scripts
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, Sprite, inked, soft, some
from render.canvas.scripts import JOINERS, MOST_MARKS, NOWHERE, SHIPPED, Piece, Run, is_mark, may_break
from render.canvas.theme import Colour, Theme


class Style(Enum):
    """The two weights of Manrope that are shipped."""

    TEXT = "Manrope-SemiBold.ttf"
    LOUD = "Manrope-ExtraBold.ttf"

    # A part of most keys by which words are kept. `Enum` asks its name for it, in Python.
    __hash__ = object.__hash__


@lru_cache(maxsize=48)
def font(style: Style, size: int) -> ImageFont.FreeTypeFont:
    """The letters of one weight and size (pixels an em); each takes some 160 kB."""
    # The basic layout gives the same pixels wherever Pillow was built.
    return ImageFont.truetype(SHIPPED / style.value, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _drawable(letter: str) -> bool:
    letters = font(Style.TEXT, 24)
    shown, missing = letters.getmask(letter), letters.getmask(NOWHERE)
    return (shown.size, bytes(shown)) != (missing.size, bytes(missing))


@lru_cache(maxsize=4096)
def readable(text: str, otherwise: str = "") -> str:
    """`text` with only what can be drawn.

    Ornamental alphabets become ordinary letters; control and direction marks and piled-up accents go; a run of letters
    that no font has becomes one `·`. When nothing readable is left, the answer is `otherwise`.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFKC", text):
        kind = unicodedata.category(letter)
        goes_along = kind[0] == "M" or letter in JOINERS
        marks = marks + 1 if goes_along else 0
        if kind[0] == "Z" or letter in "\t\n\r":
            kept.append(" ")
        elif goes_along:
            # Marks of a script belong to its letters; on Latin ones everything that has a place is one letter by now.
            if kept and marks <= MOST_MARKS and _takes_marks(kept[-1]):
                kept.append(letter)
        elif kind[0] == "C":
            continue
        elif _drawable(letter) or scripts.font_of(letter) is not None:
            kept.append(letter)
        elif kind[0] in "LN" and kept[-1:] != ["·"]:
            kept.append("·")
    clean = " ".join("".join(kept).split()).rstrip("\u200c\u200d")
    shown = any(letter.isalnum() or (not _drawable(letter) and letter not in JOINERS) for letter in clean)
    return clean if shown or not otherwise else otherwise


def _takes_marks(letter: str) -> bool:
    return is_mark(letter) or letter in JOINERS or (not _drawable(letter) and scripts.font_of(letter) is not None)


def cut(text: str, most: int) -> str:
    """The text with at most so many letters, its end an ellipsis where it is longer; no sign is cut in two."""
    if len(text) <= most:
        return text
    end = next((end for end in range(most - 1, 0, -1) if may_break(text, end)), 0)
    return text[:end].rstrip() + "…"


@lru_cache(maxsize=2048)
def _letter(letter: str, style: Style, size: int) -> Piece:
    """One letter of a size. How far it is to the next is the same whatever that is: Manrope has no pairs of its own."""
    letters = font(style, size)
    left, top, right, bottom = (int(edge) for edge in letters.getbbox(letter, anchor="ls"))
    cover = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(cover).text((-left, -top), letter, fill=255, font=letters, anchor="ls")
    return Piece(cover, (left, top, right, bottom), round(letters.getlength(letter)))


def _runs(text: str) -> tuple[Run, ...]:
    """The parts of a text as they stand on the line; most texts are one."""
    return (Run(text, None),) if text.isascii() else _mixed(text)


@lru_cache(maxsize=4096)
def _mixed(text: str) -> tuple[Run, ...]:
    usual = [_drawable(letter) for letter in text]
    return (Run(text, None),) if all(usual) else tuple(scripts.runs(text, usual))


def _set(text: str, style: Style, size: int) -> Iterator[tuple[int, Piece]]:
    """The letters and words of a text, each with where it begins."""
    x = 0
    for run in _runs(text):
        if run.font is not None:
            piece = scripts.word(run, size)
            yield x, piece
            x += piece.advance
            continue
        for letter in run.text:
            piece = _letter(letter, style, size)
            yield x, piece
            x += piece.advance


@lru_cache(maxsize=4096)
def length(text: str, style: Style, size: int) -> int:
    """How wide the text is, in pixels."""
    return sum(piece.advance for _, piece in _set(text, style, size))


@lru_cache(maxsize=2048)
def fitted(text: str, style: Style, size: int, width: int) -> str:
    """`text`, cut with an ellipsis when it is wider than `width` pixels."""
    if length(text, style, size) <= width:
        return text
    for end in (end for end in range(len(text) - 1, 0, -1) if may_break(text, end)):
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
    for x, piece in _set(text, style, size):
        sheet.paste(255, (x + piece.box[0] - left, piece.box[1] - top), piece.cover)
    return sheet


@PARTS.kept
def _painted(theme: Theme, text: str, style: Style, size: int, colour: Colour, ground: Colour) -> Sprite:
    """A text in which something has colours of its own."""
    left, top, _, _ = box(text, style, size)
    whole = cover(text, style, size)
    picture = soft(whole, ground, colour)
    for x, piece in _set(text, style, size):
        if piece.paint is not None:
            at = (x + piece.box[0] - left, piece.box[1] - top)
            picture.paste(ground, at, Image.new("L", piece.paint.size, 255))
            picture.paste(piece.paint, at, piece.paint)
    return Sprite(theme, picture, some(whole))


@lru_cache(maxsize=4096)
def _has_colours(text: str) -> bool:
    return any(run.font is not None and run.font.strike for run in _runs(text))


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
    if _has_colours(text):
        written = _painted(canvas.theme, text, style, size, colour, ground)
    else:
        written = inked(canvas.theme, colour, ground, cover, text, style, size)
    canvas.stamp(written, start + left, base + top)
    return wide
