"""What people of the local Discord are called: whatever can be seen, joined emoji too, as long as Discord allows."""

import unicodedata
from typing import Final

LONGEST: Final = 32
"""The signs of a name."""

JOINER: Final = "\u200d"
"""Makes one emoji of several signs."""
JOINING: Final = "\u200c\u200d"
"""What is not seen itself, and belongs between signs."""


def chosen_name(typed: str) -> str:
    """The name that somebody typed, cut to the signs that there is room for; no sign and no joined emoji is cut in two.
    Empty where nobody could see it, or it holds what is no text.
    """
    name = typed.strip()
    if not all(sign.isprintable() or sign in JOINING for sign in name):
        return ""
    end = min(len(name), LONGEST)
    while end and end < len(name) and (_belongs_to_last(name[end]) or name[end - 1] == JOINER):
        end -= 1
    return name[:end].strip().strip(JOINING)


def _belongs_to_last(sign: str) -> bool:
    """Whether a sign only changes the one before it: an accent, a look, a colour of skin, a joiner."""
    return sign in JOINING or unicodedata.category(sign) in ("Mn", "Me") or "\U0001f3fb" <= sign <= "\U0001f3ff"
