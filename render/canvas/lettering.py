"""Text on pictures: the Manrope font, fonts for other scripts, safe names, and cached drawings.

Texts rarely repeat, but letters do. So each letter is drawn once per size. Other scripts are drawn word by word
(`render/canvas/scripts.py`).
"""

import unicodedata
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from render.canvas import scripts
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, Sprite, inked, soft, some
from render.canvas.scripts import JOINERS, MOST_MARKS, SHIPPED, Piece, Run, is_mark, may_break
from render.canvas.theme import Colour, Theme


class Style(Enum):
    """The two shipped weights of Manrope."""

    TEXT = "Manrope-SemiBold.ttf"
    LOUD = "Manrope-ExtraBold.ttf"

    # Most cache keys contain a style. `Enum` hashes its name in Python, which is slow.
    __hash__ = object.__hash__


@lru_cache(maxsize=48)
def font(style: Style, size: int) -> ImageFont.FreeTypeFont:
    """The font of one weight and size (pixels an em); each takes about 160 kB."""
    # The basic layout gives the same pixels with every build of Pillow.
    return ImageFont.truetype(SHIPPED / style.value, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _drawable(letter: str) -> bool:
    return scripts.has_glyph(font(Style.TEXT, 24), letter)


@lru_cache(maxsize=4096)
def readable(text: str, otherwise: str = "") -> str:
    """`text` reduced to characters that can be drawn.

    Ornamental alphabets become ordinary letters. Control and direction marks and stacked accents are removed. Letters
    without a font become one `·`. If nothing readable is left, returns `otherwise`.
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
            # Marks belong to letters of other scripts. For Latin letters, NFKC has already combined them.
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
    """Cut a text to at most `most` letters with an ellipsis, without splitting a character."""
    if len(text) <= most:
        return text
    end = next((end for end in range(most - 1, 0, -1) if may_break(text, end)), 0)
    return text[:end].rstrip() + "…"


@lru_cache(maxsize=2048)
def _letter(letter: str, style: Style, size: int) -> Piece:
    """One letter of a size. Its advance does not depend on the next letter, because Manrope has no kerning."""
    letters = font(style, size)
    left, top, right, bottom = (int(edge) for edge in letters.getbbox(letter, anchor="ls"))
    cover = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(cover).text((-left, -top), letter, fill=255, font=letters, anchor="ls")
    return Piece(cover, (left, top, right, bottom), round(letters.getlength(letter)))


def _runs(text: str) -> tuple[Run, ...]:
    """The runs of a text in display order; most texts have one."""
    return (Run(text, None),) if text.isascii() else _mixed(text)


@lru_cache(maxsize=4096)
def _mixed(text: str) -> tuple[Run, ...]:
    usual = [_drawable(letter) for letter in text]
    return (Run(text, None),) if all(usual) else tuple(scripts.runs(text, usual))


def _set(text: str, style: Style, size: int) -> Iterator[tuple[int, Piece]]:
    """The letters and words of a text, each with its x position."""
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
    """The width of a text in pixels."""
    return sum(piece.advance for _, piece in _set(text, style, size))


@lru_cache(maxsize=2048)
def fitted(text: str, style: Style, size: int, width: int) -> str:
    """`text`, cut with an ellipsis if it is wider than `width` pixels."""
    if length(text, style, size) <= width:
        return text
    for end in (end for end in range(len(text) - 1, 0, -1) if may_break(text, end)):
        shorter = text[:end].rstrip() + "…"
        if length(shorter, style, size) <= width:
            return shorter
    return "…"


def fit(text: str, style: Style, sizes: Sequence[int], room: int) -> tuple[str, int]:
    """The largest of `sizes` in which a text fits, else the last one with the text cut to `room` pixels."""
    size = next((size for size in sizes if length(text, style, size) <= room), sizes[-1])
    return fitted(text, style, size, room), size


def wrapped(text: str, style: Style, size: int, width: int) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces. A wider word is cut."""
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
    """The bounding box of the ink of a non-empty text, relative to the start of the base line."""
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
    """A text that contains coloured glyphs."""
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
    style: Style,
    size: int,
    colour: Colour,
    *,
    ground: Colour | None = None,
    side: str = "left",
) -> int:
    """Draw a text with its `side` at `x` and its base line at `base`, by default on the cloth. Return its width."""
    if not text:
        return 0
    theme, wide = canvas.theme, length(text, style, size)
    ground = ground or theme.cloth
    left, top, _, _ = box(text, style, size)
    start = {"left": x, "right": x - wide, "middle": x - wide // 2}[side]
    if _has_colours(text):
        written = _painted(theme, text, style, size, colour, ground)
    else:
        written = inked(theme, colour, ground, cover, text, style, size)
    canvas.stamp(written, start + left, base + top)
    return wide
