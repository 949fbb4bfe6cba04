"""Sanitizing user text, to one line without links, mentions, invisible characters or changes of direction."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

JOINERS: Final = "\u200c\u200d"  # join emoji sequences and letters of Persian and Indic scripts
FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs without a glyph
MOST_ACCENTS: Final = 4  # for each letter; written languages use up to three
UNSAID: Final = "…"  # replaces an invisible reason
BREAKS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")  # controls that separate words or lines
FLAG: Final = "\U0001f3f4"
TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))  # invisible letters after a black flag, such as for Wales
ISOLATE: Final = "\u2068"
ISOLATED: Final = "\u2069"  # text between these has no effect on the direction of its neighbours
FROM_RIGHT: Final = frozenset({"R", "AL", "AN"})  # bidirectional classes that affect neighbours
# What Discord needs for a link or an invitation, escaped or not.
LINKING: Final = re.compile(r"://|(?<=discord\.gg)/|(?<=discord\.com)/|(?<=discordapp\.com)/", re.IGNORECASE)
# What Discord needs for a mass mention, escaped or not.
CALLING: Final = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
KNOWN: Final = 4_096  # cached texts: each move shows a name a dozen times
# Markdown characters; some have a meaning only at the start of a line.
MARKS: Final = re.compile(r"[\\`*_~|<>\[\]()#@:]|^[-+]|^\d+\.")


@lru_cache(KNOWN)
def harmless(text: str) -> str:
    """Return the text for places without Markdown: alt texts, pictures, thread names; maybe empty."""
    line = LINKING.sub(lambda found: ": " if found[0] == "://" else " ", _visible(text))
    line = CALLING.sub("\N{FULLWIDTH COMMERCIAL AT}", " ".join(line.split()))
    return isolated(line)


def isolated(line: str) -> str:
    """Return the line, in an isolate if it has right-to-left text; it must contain no isolate."""
    turned = any(unicodedata.bidirectional(sign) in FROM_RIGHT for sign in line)
    return f"{ISOLATE}{line}{ISOLATED}" if turned else line


@lru_cache(KNOWN)
def safe(text: str) -> str:
    """Return the text for messages, with all Markdown escaped."""
    line = harmless(text)
    if line.startswith(ISOLATE):
        return f"{ISOLATE}{_escaped(line[1:-1])}{ISOLATED}"
    return _escaped(line)


def _escaped(line: str) -> str:
    return MARKS.sub(lambda mark: f"{mark[0][:-1]}\\{mark[0][-1]}", line)


def _visible(text: str) -> str:
    """Remove controls, direction marks, invisible letters and excess accents."""
    kept: list[str] = []
    accents = 0
    for at, sign in enumerate(text):
        kind, before = unicodedata.category(sign), kept[-1] if kept else " "
        if kind[0] == "Z" or sign in FILLERS or sign in BREAKS:
            kept.append(" ")
        elif sign in JOINERS:
            # Only between two characters that it may join.
            if _joins(before) and _joins(text[at + 1 : at + 2]):
                kept.append(sign)
            continue
        elif sign in TAGS:
            if before == FLAG or before in TAGS:
                kept.append(sign)
            continue
        elif kind in ("Mn", "Me"):
            accents += 1
            if accents <= MOST_ACCENTS and before != " ":
                kept.append(sign)
            continue
        elif kind not in ("Cc", "Cf", "Cs"):
            kept.append(sign)
        else:
            continue
        accents = 0
    return "".join(kept)


def _joins(sign: str) -> bool:
    return sign > "\u0600" and sign not in JOINERS and unicodedata.category(sign)[0] in "LMSN"
