"""One grammar for the ids of buttons and menus: `by:<verb>:<table>:<seq>:<argument>`.

Whatever stands in an id came from outside: it is parsed here and checked against the store like anything typed.
"""

import re
from dataclasses import dataclass

PREFIX = "by:"
PATTERN = re.compile(
    r"by:(?P<verb>[a-z]{1,12})(?::(?P<table>\d{1,12})(?::(?P<seq>\d{1,9}))?)?(?:\|(?P<argument>[\w,.@=-]{1,60}))?",
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

    def __str__(self) -> str:
        text = f"{PREFIX}{self.verb}"
        if self.table:
            text += f":{self.table}"
            if self.seq is not None:
                text += f":{self.seq}"
        return f"{text}|{self.argument}" if self.argument else text


def parse(custom_id: str) -> Press | None:
    """The press an id stands for, None for one that we never made."""
    match = PATTERN.fullmatch(custom_id)
    if match is None:
        return None
    seq = match["seq"]
    return Press(match["verb"], int(match["table"] or 0), None if seq is None else int(seq), match["argument"] or "")
