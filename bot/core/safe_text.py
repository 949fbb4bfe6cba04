"""Text that people wrote - names, a moderator's reasons - made harmless before it is said to others.

Everything that shows such a text goes through here. It comes out as one line in which nothing links, calls somebody,
is hidden, or turns what stands beside it round.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

JOINERS: Final = "\u200c\u200d"
"""What holds emoji of several signs together, and is part of how Persian and the scripts of India are written."""

FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""

MOST_ACCENTS: Final = 4
"""On one letter. Written languages pile up three."""

UNSAID: Final = "…"
"""In the place of a reason that nobody could read."""

BREAKS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
"""Controls that separate words or lines."""

FLAG: Final = "\U0001f3f4"
TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))
"""Invisible letters, which turn the flag before them into that of a country, such as Wales."""

ISOLATE: Final = "\u2068"
ISOLATED: Final = "\u2069"
"""Text between these has a direction of its own: neither does it turn its neighbours round nor they it."""

FROM_RIGHT: Final = frozenset({"R", "AL", "AN"})
"""The directions of signs that turn what stands beside them."""

LINKING: Final = re.compile(r"://|(?<=discord\.gg)/|(?<=discord\.com)/|(?<=discordapp\.com)/", re.IGNORECASE)
"""What Discord needs to see to make a link or an invitation of what is around it, escaped or not."""

CALLING: Final = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
"""What Discord needs to see to call everybody, escaped or not."""

KNOWN: Final = 4_096
"""So many texts are remembered as they came out: a name is said a dozen times with every move."""

MARKS: Final = re.compile(r"[\\`*_~|<>\[\]()#@:]|^[-+]|^\d+\.")
"""What means something in Discord's Markdown; some of it only where a line begins, as a name may."""


@lru_cache(KNOWN)
def harmless(text: str) -> str:
    """What to show where there is no Markdown: alt texts, pictures, names of threads. Empty where nothing can be seen.

    Emoji of several signs, accents and all scripts stay; one that is written from the right stands in an isolate.
    """
    line = LINKING.sub(lambda found: ": " if found[0] == "://" else " ", _visible(text))
    line = CALLING.sub("\N{FULLWIDTH COMMERCIAL AT}", " ".join(line.split()))
    return isolated(line)


def isolated(line: str) -> str:
    """The line, in an isolate where something in it is written from the right; it holds no such signs itself."""
    turned = any(unicodedata.bidirectional(sign) in FROM_RIGHT for sign in line)
    return f"{ISOLATE}{line}{ISOLATED}" if turned else line


@lru_cache(KNOWN)
def safe(text: str) -> str:
    """The same for messages: with a backslash before every mark, so that it is read as it was written."""
    line = harmless(text)
    if line.startswith(ISOLATE):
        return f"{ISOLATE}{_escaped(line[1:-1])}{ISOLATED}"
    return _escaped(line)


def _escaped(line: str) -> str:
    return MARKS.sub(lambda mark: f"{mark[0][:-1]}\\{mark[0][-1]}", line)


def _visible(text: str) -> str:
    """The text without controls, signs of direction, invisible letters and heaps of accents."""
    kept: list[str] = []
    accents = 0
    for at, sign in enumerate(text):
        kind, before = unicodedata.category(sign), kept[-1] if kept else " "
        if kind[0] == "Z" or sign in FILLERS or sign in BREAKS:
            kept.append(" ")
        elif sign in JOINERS:
            # Only between two signs that it may join.
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
