"""Scripts that Manrope lacks: which font draws them, word shaping, and text direction.

Small fonts for many scripts are shipped (`docs/reference/fonts.md` explains how they were made). Chinese, Japanese,
Korean and emoji would take tens of megabytes, so they use system fonts if installed. Fonts are opened when first
needed.
"""

import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont, features

SHIPPED: Final = Path(__file__).parents[1] / "fonts"
NOWHERE: Final = "\U0010ffff"  # a character without a glyph in any font, to compare with
JOINERS: Final = "\u200c\u200d\ufe0f"  # invisible characters that change how their neighbours are drawn
MOST_MARKS: Final = 3  # marks on one letter; more are ornament

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Font:
    """A font file for letters that Manrope lacks."""

    file: Path
    shaped: bool = True  # whether letters change with their neighbours, which needs Raqm
    strike: int = 0  # the only size of a bitmap font; 0 for outlines


@dataclass(frozen=True, slots=True)
class Run:
    """Adjacent letters of one font. None is Manrope."""

    text: str
    font: Font | None
    backwards: bool = False  # whether it is read from right to left


class Piece(NamedTuple):
    """A letter or word that is drawn at once."""

    cover: Image.Image  # coverage (mode "L"), as large as the ink
    box: Box  # the ink, relative to the start on the base line
    advance: int  # distance to the next piece
    paint: Image.Image | None = None  # own colours (mode "RGBA") of emoji


_EUROPE: Final = Font(SHIPPED / "NotoSans-Bold.ttf", shaped=False)
_BLOCKS: Final = (
    (0x0080, 0x052F, _EUROPE),
    (0x1E00, 0x1FFF, _EUROPE),
    (0x0530, 0x058F, Font(SHIPPED / "NotoSansArmenian-Bold.ttf", shaped=False)),
    (0x0590, 0x05FF, Font(SHIPPED / "NotoSansHebrew-Bold.ttf")),
    (0x0600, 0x077F, Font(SHIPPED / "NotoSansArabic-Bold.ttf")),
    (0x0900, 0x097F, Font(SHIPPED / "NotoSansDevanagari-Bold.ttf")),
    (0x0E00, 0x0E7F, Font(SHIPPED / "NotoSansThai-Bold.ttf")),
    (0x10A0, 0x10FF, Font(SHIPPED / "NotoSansGeorgian-Bold.ttf", shaped=False)),
    (0x1C90, 0x1CBF, Font(SHIPPED / "NotoSansGeorgian-Bold.ttf", shaped=False)),
)

EAST_ASIAN: Final = (
    *("NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "NotoSansCJKjp-Bold.otf", "NotoSansCJKjp-Regular.otf"),
    *("SourceHanSans-Bold.ttc", "SourceHanSans.ttc", "wqy-microhei.ttc", "wqy-zenhei.ttc", "DroidSansFallbackFull.ttf"),
    *("PingFang.ttc", "Hiragino Sans GB.ttc", "AppleSDGothicNeo.ttc"),
    *("msyhbd.ttc", "msyh.ttc", "YuGothB.ttc", "malgunbd.ttf", "malgun.ttf"),
)
"""System fonts with Chinese, Japanese or Korean, the best first."""
EMOJI: Final = {"NotoColorEmoji.ttf": 109, "Apple Color Emoji.ttc": 160}
"""System fonts with emoji, and the size of their bitmaps."""
_EAST: Final = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH", "BOPOMOFO")


def folders() -> tuple[Path, ...]:
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
def installed() -> dict[str, Path]:
    """The system's font files by name."""
    found: dict[str, Path] = {}
    for folder in folders():
        for place, _, names in os.walk(folder):
            for name in names:
                if name.endswith((".ttf", ".ttc", ".otf")):
                    found.setdefault(name, Path(place) / name)
    return found


@cache
def shapes() -> bool:
    """Whether words can be shaped. Pillow's wheels contain Raqm, which needs FriBiDi from the system."""
    return bool(features.check("raqm"))


@cache
def east_asian() -> Font | None:
    """The system font for Chinese, Japanese and Korean."""
    file = next((installed()[name] for name in EAST_ASIAN if name in installed()), None)
    return None if file is None else Font(file, shaped=False)


@cache
def emoji() -> Font | None:
    """The system font for emoji."""
    return next((Font(installed()[name], strike=size) for name, size in EMOJI.items() if name in installed()), None)


@cache
def _of_script(script: str) -> Font | None:
    """A system font for a script without a shipped font. `script` is the first word of its letters' names."""
    names = (f"NotoSans{script.title()}-{weight}.ttf" for weight in ("Bold", "Regular"))
    file = next((installed()[name] for name in names if name in installed()), None)
    return None if file is None else Font(file)


@lru_cache(maxsize=64)
def opened(font: Font, size: int) -> ImageFont.FreeTypeFont:
    """The font at a size (pixels an em)."""
    layout = ImageFont.Layout.RAQM if shapes() else ImageFont.Layout.BASIC
    return ImageFont.truetype(font.file, font.strike or size, layout_engine=layout)


@lru_cache(maxsize=4096)
def font_of(letter: str) -> Font | None:
    """The font that draws a letter which Manrope lacks; None if there is none."""
    code, words = ord(letter), unicodedata.name(letter, "").split()
    block = next((font for first, last, font in _BLOCKS if first <= code <= last), None)
    kind = unicodedata.category(letter)
    font: Font | None
    if block is not None:
        font = block
    elif words and words[0].startswith(_EAST):
        font = east_asian()
    elif kind in ("So", "Sk", "Sm") or letter in JOINERS:
        font = emoji()
    else:
        font = _of_script(words[0]) if words and kind[0] in "LMN" else None
    if font is None or (font.shaped and not shapes()):
        return None
    return font if _has(font, letter) else None


def _has(font: Font, letter: str) -> bool:
    try:
        letters = opened(font, 24)
    except OSError:
        return False  # an invalid system file
    return has_glyph(letters, letter)


def has_glyph(letters: ImageFont.FreeTypeFont, letter: str) -> bool:
    """Whether a letter looks different from a missing one."""
    shown, missing = letters.getmask(letter), letters.getmask(NOWHERE)
    return (shown.size, bytes(shown)) != (missing.size, bytes(missing))


def is_mark(letter: str) -> bool:
    """Whether it combines with the letter before it."""
    return unicodedata.category(letter)[0] == "M"


def may_break(text: str, at: int) -> bool:
    """Whether a text may be cut there without splitting a character."""
    if not 0 < at < len(text):
        return True
    after, before = text[at], text[at - 1]
    return not (is_mark(after) or after in JOINERS or before == "\u200d" or unicodedata.category(after) == "Sk")


def runs(text: str, usual: Sequence[bool]) -> Iterator[Run]:
    """The runs of a text in display order, left to right. `usual` says of each letter whether Manrope has it."""
    fonts = _fonts(text, usual)
    at = 0
    while at < len(text):
        end = _backwards_to(text, at)
        if end == at:
            end = at + 1
            while end < len(text) and fonts[end] == fonts[at] and _backwards_to(text, end) == end:
                end += 1
            yield Run(text[at:end], fonts[at])
        else:
            parts = [(text[first:last], fonts[first]) for first, last in _alike(fonts, at, end)]
            yield from (Run(part, font, backwards=_is_backwards(part)) for part, font in reversed(parts))
        at = end


def _fonts(text: str, usual: Sequence[bool]) -> list[Font | None]:
    """The font of each letter. If a word needs another European font, all of its letters use that."""
    found: list[Font | None] = []
    for number, letter in enumerate(text):
        before = found[-1] if found else None
        goes_along = is_mark(letter) or letter in JOINERS
        found.append(before if goes_along and before is not None else None if usual[number] else font_of(letter))
    start = 0
    while start < len(text):
        end = start
        while end < len(text) and (text[end].isalpha() or is_mark(text[end])):
            end += 1
        if _EUROPE in found[start:end]:
            with_it = (
                font or (_EUROPE if _has(_EUROPE, letter) else None)
                for font, letter in zip(found[start:end], text[start:end], strict=True)
            )
            found[start:end] = list(with_it)
        start = max(end, start + 1)
    # A space between two words of a font belongs to that font, so that they are shaped together.
    for number in range(1, len(text) - 1):
        if text[number] == " " and found[number - 1] is not None and found[number - 1] == found[number + 1]:
            found[number] = found[number - 1]
    return found


def _alike(fonts: Sequence[Font | None], start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        after = start + 1
        while after < end and fonts[after] == fonts[start]:
            after += 1
        yield start, after
        start = after


def _is_backwards(text: str) -> bool:
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)


def _backwards_to(text: str, start: int) -> int:
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
def word(run: Run, size: int) -> Piece:
    """Draw a run in its own font, at a size of Manrope."""
    assert run.font is not None
    if run.font.strike:
        return _emoji(run.text, run.font, size)
    letters = opened(run.font, size)
    direction = ("rtl" if run.backwards else "ltr") if shapes() else None
    left, top, right, bottom = (int(edge) for edge in letters.getbbox(run.text, anchor="ls", direction=direction))
    cover = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
    ImageDraw.Draw(cover).text((-left, -top), run.text, fill=255, font=letters, anchor="ls", direction=direction)
    return Piece(cover, (left, top, right, bottom), round(letters.getlength(run.text, direction=direction)))


def _emoji(text: str, font: Font, size: int) -> Piece:
    """Emoji, scaled to the size of the letters beside them."""
    letters = opened(font, size)
    share = 1.12 * size / font.strike
    wide, high = max(1, round(letters.getlength(text))), round(font.strike * 1.3)
    sheet = Image.new("RGBA", (wide, high))
    ImageDraw.Draw(sheet).text((0, font.strike), text, font=letters, anchor="ls", embedded_color=True)
    used = sheet.getbbox() or (0, 0, 1, 1)
    paint = sheet.crop(used)
    paint = paint.resize(
        (max(1, round(paint.width * share)), max(1, round(paint.height * share))), Image.Resampling.BOX
    )
    # Emoji reach a little below the base line, like letters with descenders.
    bottom = round(0.14 * size)
    left = round(used[0] * share)
    box = (left, bottom - paint.height, left + paint.width, bottom)
    return Piece(paint.getchannel("A"), box, round(wide * share), paint)
