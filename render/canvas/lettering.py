"""Text on pictures: the Manrope font, fonts for other scripts, safe names, and cached drawings.

Texts rarely repeat, but letters do. So each letter is drawn once per size. Other scripts are drawn word by word
(`render/canvas/scripts.py`).
"""

import unicodedata
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from PIL import Image, ImageFont

from render.canvas import scripts
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Box, Canvas, Sprite, colourise, render_sprite, threshold
from render.canvas.scripts import FONT_FOLDER, JOINERS, MAX_MARKS, GlyphImage, TextRun, can_break, is_mark
from render.canvas.theme import Colour, Theme


class Style(Enum):
    """The two shipped weights of Manrope."""

    TEXT = "Manrope-SemiBold.ttf"
    LOUD = "Manrope-ExtraBold.ttf"

    # Most cache keys contain a style. `Enum` hashes its name in Python, which is slow.
    __hash__ = object.__hash__


@lru_cache(maxsize=48)
def load_manrope(style: Style, size: int) -> ImageFont.FreeTypeFont:
    """The font of one weight and size (pixels an em); each takes about 160 kB."""
    # The basic layout gives the same pixels with every build of Pillow.
    return ImageFont.truetype(FONT_FOLDER / style.value, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _is_in_manrope(letter: str) -> bool:
    return scripts.has_glyph(load_manrope(Style.TEXT, 24), letter)


@lru_cache(maxsize=4096)
def clean_text(text: str, fallback: str = "") -> str:
    """`text` reduced to characters that can be drawn.

    Ornamental alphabets become ordinary letters. Control and direction marks and stacked accents are removed. Letters
    without a font become one `·`. If nothing readable is left, returns `fallback`.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFKC", text):
        kind = unicodedata.category(letter)
        is_attached = kind[0] == "M" or letter in JOINERS
        marks = marks + 1 if is_attached else 0
        if kind[0] == "Z" or letter in "\t\n\r":
            kept.append(" ")
        elif is_attached:
            # Marks belong to letters of other scripts. For Latin letters, NFKC has already combined them.
            if kept and marks <= MAX_MARKS and _can_take_marks(kept[-1]):
                kept.append(letter)
        elif kind[0] == "C":
            continue
        elif _is_in_manrope(letter) or scripts.find_font(letter) is not None:
            kept.append(letter)
        elif kind[0] in "LN" and kept[-1:] != ["·"]:
            kept.append("·")
    clean = " ".join("".join(kept).split()).rstrip("\u200c\u200d")
    shown = any(letter.isalnum() or (not _is_in_manrope(letter) and letter not in JOINERS) for letter in clean)
    return clean if shown or not fallback else fallback


def _can_take_marks(letter: str) -> bool:
    return (
        is_mark(letter) or letter in JOINERS or (not _is_in_manrope(letter) and scripts.find_font(letter) is not None)
    )


def truncate(text: str, max_length: int) -> str:
    """Cut a text to at most `max_length` letters with an ellipsis, without splitting a character."""
    if len(text) <= max_length:
        return text
    end = next((end for end in range(max_length - 1, 0, -1) if can_break(text, end)), 0)
    return text[:end].rstrip() + "…"


@lru_cache(maxsize=2048)
def _render_letter(letter: str, style: Style, size: int) -> GlyphImage:
    """One letter of a size. Its advance does not depend on the next letter, because Manrope has no kerning."""
    return scripts.render_glyphs(load_manrope(style, size), letter)


@lru_cache(maxsize=4096)
def _split_runs(text: str) -> tuple[TextRun, ...]:
    """The runs of a text in display order; most texts have one."""
    in_manrope = [letter.isascii() or _is_in_manrope(letter) for letter in text]
    return (TextRun(text, None),) if all(in_manrope) else tuple(scripts.iterate_runs(text, in_manrope))


def _iterate_pieces(text: str, style: Style, size: int) -> Iterator[tuple[int, GlyphImage]]:
    """The letters and words of a text, each with its x position."""
    x = 0
    for run in _split_runs(text):
        if run.font is not None:
            piece = scripts.render_run(run, size)
            yield x, piece
            x += piece.advance
            continue
        for letter in run.text:
            piece = _render_letter(letter, style, size)
            yield x, piece
            x += piece.advance


@lru_cache(maxsize=4096)
def measure_text(text: str, style: Style, size: int) -> int:
    """The width of a text in pixels."""
    return sum(piece.advance for _, piece in _iterate_pieces(text, style, size))


@lru_cache(maxsize=2048)
def truncate_to_width(text: str, style: Style, size: int, width: int) -> str:
    """`text`, cut with an ellipsis if it is wider than `width` pixels."""
    if measure_text(text, style, size) <= width:
        return text
    for end in (end for end in range(len(text) - 1, 0, -1) if can_break(text, end)):
        shorter = text[:end].rstrip() + "…"
        if measure_text(shorter, style, size) <= width:
            return shorter
    return "…"


def choose_size(text: str, style: Style, sizes: Sequence[int], room: int) -> tuple[str, int]:
    """The largest of `sizes` in which a text fits, else the last one with the text cut to `room` pixels."""
    size = next((size for size in sizes if measure_text(text, style, size) <= room), sizes[-1])
    return truncate_to_width(text, style, size, room), size


def wrap_lines(text: str, style: Style, size: int, width: int) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces. A wider word is cut."""
    lines: list[str] = []
    for word in clean_text(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure_text(longer, style, size) <= width:
            lines[-1] = longer
        else:
            lines.append(truncate_to_width(word, style, size, width))
    return lines


@lru_cache(maxsize=2048)
def compute_ink_box(text: str, style: Style, size: int) -> Box:
    """The bounding box of the ink of a non-empty text, relative to the start of the base line."""
    boxes = [(x + one.box[0], one.box[1], x + one.box[2], one.box[3]) for x, one in _iterate_pieces(text, style, size)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def render_text(text: str, style: Style, size: int) -> Image.Image:
    """The coverage of a text, as large as its ink."""
    left, top, right, bottom = compute_ink_box(text, style, size)
    sheet = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    for x, piece in _iterate_pieces(text, style, size):
        sheet.paste(255, (x + piece.box[0] - left, piece.box[1] - top), piece.coverage)
    return sheet


@PART_CACHE.memoize
def _render_colour_text(theme: Theme, text: str, style: Style, size: int, colour: Colour, ground: Colour) -> Sprite:
    """A text that contains coloured glyphs."""
    left, top, _, _ = compute_ink_box(text, style, size)
    coverage = render_text(text, style, size)
    picture = colourise(coverage, ground, colour)
    for x, piece in _iterate_pieces(text, style, size):
        if piece.colours is not None:
            at = (x + piece.box[0] - left, piece.box[1] - top)
            picture.paste(ground, at, Image.new("L", piece.colours.size, 255))
            picture.paste(piece.colours, at, piece.colours)
    return Sprite(theme, picture, threshold(coverage))


@lru_cache(maxsize=4096)
def _has_colours(text: str) -> bool:
    return any(run.font is not None and run.font.bitmap_size for run in _split_runs(text))


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
    theme, width = canvas.theme, measure_text(text, style, size)
    ground = ground or theme.cloth
    left, top, _, _ = compute_ink_box(text, style, size)
    start = {"left": x, "right": x - width, "middle": x - width // 2}[side]
    if _has_colours(text):
        sprite = _render_colour_text(theme, text, style, size, colour, ground)
    else:
        sprite = render_sprite(theme, colour, ground, render_text, text, style, size)
    canvas.paste_sprite(sprite, start + left, base + top)
    return width


def draw_fitted_text(
    canvas: Canvas,
    text: str,
    x: int,
    base: int,
    style: Style,
    sizes: Sequence[int],
    room: int,
    colour: Colour,
    *,
    ground: Colour | None = None,
    side: str = "left",
) -> int:
    """The same in the largest of `sizes` in which the text fits into `room` pixels, else cut in the last one."""
    text, size = choose_size(text, style, sizes, room)
    return draw_text(canvas, text, x, base, style, size, colour, ground=ground, side=side)
