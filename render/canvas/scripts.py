"""Scripts that Manrope lacks: which font draws them, word shaping, and text direction.

Small fonts for many scripts are shipped (`docs/reference/fonts.md` explains how they were made). Chinese, Japanese,
Korean and emoji would take tens of megabytes, so they use system fonts if installed. Fonts are opened when first
needed.
"""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont, features

FONT_FOLDER: Final = Path(__file__).parents[1] / "fonts"
MISSING_CHARACTER: Final = "\U0010ffff"  # a character without a glyph in any font, to compare with
JOINERS: Final = "\u200c\u200d\ufe0f"  # invisible characters that change how their neighbours are drawn
MAX_MARKS: Final = 3  # marks on one letter; more are ornament

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FallbackFont:
    """A font file for letters that Manrope lacks."""

    file: Path
    needs_shaping: bool = True  # whether letters change with their neighbours, which needs Raqm
    bitmap_size: int = 0  # the only size of a bitmap font; 0 for outlines


@dataclass(frozen=True, slots=True)
class TextRun:
    """Adjacent letters of one font. None is Manrope."""

    text: str
    font: FallbackFont | None
    is_rtl: bool = False  # whether it is read from right to left


class GlyphImage(NamedTuple):
    """A letter or word that is drawn at once."""

    coverage: Image.Image  # coverage (mode "L"), as large as the ink
    box: Box  # the ink, relative to the start on the base line
    advance: int  # distance to the next piece
    colours: Image.Image | None = None  # own colours (mode "RGBA") of emoji


_EUROPEAN_FONT: Final = FallbackFont(FONT_FOLDER / "NotoSans-Bold.ttf", needs_shaping=False)
_BLOCKS: Final = (
    (0x0080, 0x052F, _EUROPEAN_FONT),
    (0x1E00, 0x1FFF, _EUROPEAN_FONT),
    (0x0530, 0x058F, FallbackFont(FONT_FOLDER / "NotoSansArmenian-Bold.ttf", needs_shaping=False)),
    (0x0590, 0x05FF, FallbackFont(FONT_FOLDER / "NotoSansHebrew-Bold.ttf")),
    (0x0600, 0x077F, FallbackFont(FONT_FOLDER / "NotoSansArabic-Bold.ttf")),
    (0x0900, 0x097F, FallbackFont(FONT_FOLDER / "NotoSansDevanagari-Bold.ttf")),
    (0x0E00, 0x0E7F, FallbackFont(FONT_FOLDER / "NotoSansThai-Bold.ttf")),
    (0x10A0, 0x10FF, FallbackFont(FONT_FOLDER / "NotoSansGeorgian-Bold.ttf", needs_shaping=False)),
    (0x1C90, 0x1CBF, FallbackFont(FONT_FOLDER / "NotoSansGeorgian-Bold.ttf", needs_shaping=False)),
)

EAST_ASIAN_FONTS: Final = (
    *("NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "NotoSansCJKjp-Bold.otf", "NotoSansCJKjp-Regular.otf"),
    *("SourceHanSans-Bold.ttc", "SourceHanSans.ttc", "wqy-microhei.ttc", "wqy-zenhei.ttc", "DroidSansFallbackFull.ttf"),
    *("PingFang.ttc", "Hiragino Sans GB.ttc", "AppleSDGothicNeo.ttc"),
    *("msyhbd.ttc", "msyh.ttc", "YuGothB.ttc", "malgunbd.ttf", "malgun.ttf"),
)
"""System fonts with Chinese, Japanese or Korean, the best first."""
EMOJI_FONTS: Final = {"NotoColorEmoji.ttf": 109, "Apple Color Emoji.ttc": 160}
"""System fonts with emoji, and the size of their bitmaps."""
_EAST_ASIAN_NAMES: Final = (
    *("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH", "BOPOMOFO"),
)


def list_font_folders() -> tuple[Path, ...]:
    """The folders of system fonts. `BONEYARD_FONTS` replaces them, separated as in PATH."""
    chosen = os.environ.get("BONEYARD_FONTS")
    if chosen is not None:
        return tuple(Path(folder) for folder in chosen.split(os.pathsep) if folder)
    home = Path.home()
    if sys.platform == "darwin":
        return Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts",)
    return Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts", home / ".fonts"


@cache
def find_system_fonts() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in list_font_folders():
        for place, _, names in os.walk(folder):
            for name in names:
                if name.endswith((".ttf", ".ttc", ".otf")):
                    found.setdefault(name, Path(place) / name)
    return found


@cache
def can_shape_text() -> bool:
    """Whether words can be shaped. Pillow's wheels contain Raqm, which needs FriBiDi from the system."""
    return bool(features.check("raqm"))


@cache
def find_east_asian_font() -> FallbackFont | None:
    return _find_system_font(EAST_ASIAN_FONTS, needs_shaping=False)


@cache
def find_emoji_font() -> FallbackFont | None:
    return _find_system_font(EMOJI_FONTS)


@cache
def _find_script_font(script: str) -> FallbackFont | None:
    """A system font for a script without a shipped font. `script` is the first word of its letters' names."""
    return _find_system_font(f"NotoSans{script.title()}-{weight}.ttf" for weight in ("Bold", "Regular"))


def _find_system_font(names: Iterable[str], *, needs_shaping: bool = True) -> FallbackFont | None:
    file = next((find_system_fonts()[name] for name in names if name in find_system_fonts()), None)
    return None if file is None else FallbackFont(file, needs_shaping, EMOJI_FONTS.get(file.name, 0))


@lru_cache(maxsize=64)
def load_font(font: FallbackFont, size: int) -> ImageFont.FreeTypeFont:
    """The font at a size (pixels an em)."""
    layout = ImageFont.Layout.RAQM if can_shape_text() else ImageFont.Layout.BASIC
    return ImageFont.truetype(font.file, font.bitmap_size or size, layout_engine=layout)


@lru_cache(maxsize=4096)
def find_font(letter: str) -> FallbackFont | None:
    """The font that draws a letter which Manrope lacks; None if there is none."""
    code, words = ord(letter), unicodedata.name(letter, "").split()
    block = next((font for first, last, font in _BLOCKS if first <= code <= last), None)
    kind = unicodedata.category(letter)
    font: FallbackFont | None
    if block is not None:
        font = block
    elif words and words[0].startswith(_EAST_ASIAN_NAMES):
        font = find_east_asian_font()
    elif kind in ("So", "Sk", "Sm") or letter in JOINERS:
        font = find_emoji_font()
    else:
        font = _find_script_font(words[0]) if words and kind[0] in "LMN" else None
    if font is None or (font.needs_shaping and not can_shape_text()):
        return None
    return font if _has_letter(font, letter) else None


def _has_letter(font: FallbackFont, letter: str) -> bool:
    try:
        letters = load_font(font, 24)
    except OSError:
        return False  # an invalid system file
    return has_glyph(letters, letter)


def has_glyph(letters: ImageFont.FreeTypeFont, letter: str) -> bool:
    """Whether a letter looks different from a missing one."""
    shown, missing = letters.getmask(letter), letters.getmask(MISSING_CHARACTER)
    return (shown.size, bytes(shown)) != (missing.size, bytes(missing))


def is_mark(letter: str) -> bool:
    """Whether it combines with the letter before it."""
    return unicodedata.category(letter)[0] == "M"


def can_break(text: str, at: int) -> bool:
    """Whether a text may be cut there without splitting a character."""
    if not 0 < at < len(text):
        return True
    after, before = text[at], text[at - 1]
    return not (is_mark(after) or after in JOINERS or before == "\u200d" or unicodedata.category(after) == "Sk")


def iterate_runs(text: str, in_manrope: Sequence[bool]) -> Iterator[TextRun]:
    """The runs of a text in display order, left to right. `in_manrope` says of each letter whether Manrope has it."""
    fonts = _choose_fonts(text, in_manrope)
    at = 0
    while at < len(text):
        end = _find_rtl_end(text, at)
        if end == at:
            end = at + 1
            while end < len(text) and fonts[end] == fonts[at] and _find_rtl_end(text, end) == end:
                end += 1
            yield TextRun(text[at:end], fonts[at])
        else:
            parts = [(text[first:last], fonts[first]) for first, last in _iterate_font_spans(fonts, at, end)]
            yield from (TextRun(part, font, is_rtl=_is_rtl(part)) for part, font in reversed(parts))
        at = end


def _choose_fonts(text: str, in_manrope: Sequence[bool]) -> list[FallbackFont | None]:
    """The font of each letter. If a word needs another European font, all of its letters use that."""
    found: list[FallbackFont | None] = []
    for number, letter in enumerate(text):
        before = found[-1] if found else None
        is_attached = is_mark(letter) or letter in JOINERS
        found.append(
            before if is_attached and before is not None else None if in_manrope[number] else find_font(letter)
        )
    start = 0
    while start < len(text):
        end = start
        while end < len(text) and (text[end].isalpha() or is_mark(text[end])):
            end += 1
        if _EUROPEAN_FONT in found[start:end]:
            word_fonts = (
                font or (_EUROPEAN_FONT if _has_letter(_EUROPEAN_FONT, letter) else None)
                for font, letter in zip(found[start:end], text[start:end], strict=True)
            )
            found[start:end] = list(word_fonts)
        start = max(end, start + 1)
    # A space between two words of a font belongs to that font, so that they are shaped together.
    for number in range(1, len(text) - 1):
        if text[number] == " " and found[number - 1] is not None and found[number - 1] == found[number + 1]:
            found[number] = found[number - 1]
    return found


def _iterate_font_spans(fonts: Sequence[FallbackFont | None], start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        after = start + 1
        while after < end and fonts[after] == fonts[start]:
            after += 1
        yield start, after
        start = after


def _is_rtl(text: str) -> bool:
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)


def _find_rtl_end(text: str, start: int) -> int:
    """The end of the right-to-left text that starts here: its last such letter, or an ellipsis."""
    if unicodedata.bidirectional(text[start]) not in ("R", "AL"):
        return start
    end = start + 1
    for at in range(start + 1, len(text)):
        side = unicodedata.bidirectional(text[at])
        if side == "L":
            break
        if side in ("R", "AL", "AN") or (side == "NSM" and at == end) or (text[at] == "…" and at == end):
            end = at + 1
    return end


@lru_cache(maxsize=512)
def render_run(run: TextRun, size: int) -> GlyphImage:
    """Draw a run in its own font, at a size of Manrope."""
    assert run.font is not None
    if run.font.bitmap_size:
        return _render_emoji(run.text, run.font, size)
    letters = load_font(run.font, size)
    direction = ("rtl" if run.is_rtl else "ltr") if can_shape_text() else None
    return render_glyphs(letters, run.text, direction)


def render_glyphs(letters: ImageFont.FreeTypeFont, text: str, direction: str | None = None) -> GlyphImage:
    """Draw letters of one font in one piece."""
    left, top, right, bottom = (int(edge) for edge in letters.getbbox(text, anchor="ls", direction=direction))
    cover = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(cover).text((-left, -top), text, fill=255, font=letters, anchor="ls", direction=direction)
    return GlyphImage(cover, (left, top, right, bottom), round(letters.getlength(text, direction=direction)))


def _render_emoji(text: str, font: FallbackFont, size: int) -> GlyphImage:
    """Emoji, scaled to the size of the letters beside them."""
    letters = load_font(font, size)
    share = 1.12 * size / font.bitmap_size
    width, height = max(1, round(letters.getlength(text))), round(font.bitmap_size * 1.3)
    sheet = Image.new("RGBA", (width, height))
    ImageDraw.Draw(sheet).text((0, font.bitmap_size), text, font=letters, anchor="ls", embedded_color=True)
    ink_box = sheet.getbbox() or (0, 0, 1, 1)
    paint = sheet.crop(ink_box)
    reduced = max(1, round(paint.width * share)), max(1, round(paint.height * share))
    paint = paint.resize(reduced, Image.Resampling.BOX)
    # Emoji reach a little below the base line, like letters with descenders.
    bottom = round(0.14 * size)
    left = round(ink_box[0] * share)
    box = (left, bottom - paint.height, left + paint.width, bottom)
    return GlyphImage(paint.getchannel("A"), box, round(width * share), paint)
