"""Sanitizing user text, to one line without links, mentions, invisible characters or changes of direction."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

JOINERS: Final = "\u200c\u200d"  # join emoji sequences and letters of Persian and Indic scripts
FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs without a glyph
MAX_ACCENTS: Final = 4  # for each letter; written languages use up to three
EMPTY_REASON: Final = "…"  # replaces an invisible reason
BREAK_CONTROLS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")  # controls that separate words or lines
FLAG: Final = "\U0001f3f4"
TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))  # invisible letters after a black flag, such as for Wales
ISOLATE_START: Final = "\u2068"
ISOLATE_END: Final = "\u2069"  # text between these has no effect on the direction of its neighbours
RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})  # bidirectional classes that affect neighbours
# What Discord needs for a link or an invitation, escaped or not.
LINK_PATTERN: Final = re.compile(r"://|(?<=discord\.gg)/|(?<=discord\.com)/|(?<=discordapp\.com)/", re.IGNORECASE)
# What Discord needs for a mass mention, escaped or not.
MASS_MENTION: Final = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
CACHE_SIZE: Final = 4_096  # cached texts: each move shows a name a dozen times
# Markdown characters; some have a meaning only at the start of a line.
MARKDOWN: Final = re.compile(r"[\\`*_~|<>\[\]()#@:]|^[-+]|^\d+\.")


@lru_cache(CACHE_SIZE)
def sanitize_text(text: str) -> str:
    """Return the text for places without Markdown: alt texts, pictures, thread names; maybe empty."""
    line = LINK_PATTERN.sub(lambda found: ": " if found[0] == "://" else " ", _remove_invisible(text))
    line = MASS_MENTION.sub("\N{FULLWIDTH COMMERCIAL AT}", " ".join(line.split()))
    return isolate_text(line)


def isolate_text(line: str) -> str:
    """Return the line, in an isolate if it has right-to-left text; it must contain no isolate."""
    has_right_to_left = any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in line)
    return f"{ISOLATE_START}{line}{ISOLATE_END}" if has_right_to_left else line


def count_columns(text: str) -> int:
    """Return the width of sanitized text in a monospaced font."""
    return sum(
        0 if unicodedata.category(letter) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def shorten_text(text: str, columns: int, ending: str = "") -> str:
    """Return sanitized text as code of at most this width, with `…` where it is cut, and the ending."""
    bare = text.strip(ISOLATE_START + ISOLATE_END).replace("`", "'")
    short = bare
    while short and count_columns(short) + (short != bare) + len(ending) > columns:
        short = short[:-1].rstrip(f" {JOINERS}")
    return isolate_text(f"{short}…" if short != bare and not ending else short) + ending


@lru_cache(CACHE_SIZE)
def escape_text(text: str) -> str:
    """Return the text for messages, with all Markdown escaped."""
    line = sanitize_text(text)
    if line.startswith(ISOLATE_START):
        return f"{ISOLATE_START}{_escape_line(line[1:-1])}{ISOLATE_END}"
    return _escape_line(line)


def _escape_line(line: str) -> str:
    return MARKDOWN.sub(lambda mark: f"{mark[0][:-1]}\\{mark[0][-1]}", line)


def _remove_invisible(text: str) -> str:
    """Remove controls, direction marks, invisible letters and excess accents."""
    characters: list[str] = []
    accents = 0
    for at, character in enumerate(text):
        kind, before = unicodedata.category(character), characters[-1] if characters else " "
        if kind[0] == "Z" or character in FILLERS or character in BREAK_CONTROLS:
            characters.append(" ")
        elif character in JOINERS:
            # Only between two characters that it may join.
            if _can_join(before) and _can_join(text[at + 1 : at + 2]):
                characters.append(character)
            continue
        elif character in TAGS:
            if before == FLAG or before in TAGS:
                characters.append(character)
            continue
        elif kind in ("Mn", "Me"):
            accents += 1
            if accents <= MAX_ACCENTS and before != " ":
                characters.append(character)
            continue
        elif kind not in ("Cc", "Cf", "Cs"):
            characters.append(character)
        else:
            continue
        accents = 0
    return "".join(characters)


def _can_join(sign: str) -> bool:
    return sign > "\u0600" and sign not in JOINERS and unicodedata.category(sign)[0] in "LMSN"
