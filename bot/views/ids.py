"""One grammar for the ids of buttons and menus: `by:<verb>:<table>:<seq>|<argument>~<mark>`.

Whatever stands in an id came from outside: it is parsed here and checked against the store like anything typed.
"""

import re
from dataclasses import dataclass

PREFIX = "by:"
PATTERN = re.compile(
    r"by:(?P<verb>[a-z]{1,12})(?::(?P<table>\d{1,12})(?::(?P<seq>\d{1,9}))?)?(?:\|(?P<argument>[\w,.@=-]{1,60}))?"
    r"(?:~(?P<mark>[a-p]{1,20}))?",
    re.ASCII,  # digits of other scripts, and superscripts, are no numbers of ours
)


@dataclass(frozen=True, slots=True)
class Press:
    """What a pressed button or opened menu stands for."""

    verb: str
    table: int = 0
    seq: int | None = None
    """The move the button belongs to, where a later one makes it stale."""
    argument: str = ""
    mark: str = ""
    """By which the message that carries the button is found again (`bot.views.marks`). It changes nothing."""

    def __str__(self) -> str:
        text = f"{PREFIX}{self.verb}"
        if self.table:
            text += f":{self.table}"
            if self.seq is not None:
                text += f":{self.seq}"
        text += f"|{self.argument}" if self.argument else ""
        return f"{text}~{self.mark}" if self.mark else text


def parse(custom_id: str) -> Press | None:
    """The press an id stands for, None for one that we never made."""
    match = PATTERN.fullmatch(custom_id)
    if match is None:
        return None
    seq = match["seq"]
    return Press(
        verb=match["verb"],
        table=int(match["table"] or 0),
        seq=None if seq is None else int(seq),
        argument=match["argument"] or "",
        mark=match["mark"] or "",
    )
