"""The worked examples of RULES 8.1, read from the copy that the tests keep."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from data.rulebook import rules
from engine.rules import Rules

FILE = Path(__file__).with_name("rules-examples.json")

NAMED_OTHERWISE = {"tile_values=0-6": "tile_set=trio84"}
"""T61 speaks of the numbers on the tiles, where RULES §3.1 names the set that has them."""


class Example(NamedTuple):
    """One row of the table, as written."""

    id: str
    position: str
    move: str
    expected: str

    @property
    def option(self) -> str | None:
        """`name=value` where the row is about another reading than the default, by the name of RULES §3.1."""
        found = re.search(r"\[(.+=.+)\]", self.move)
        return NAMED_OTHERWISE.get(found[1], found[1]) if found else None

    @property
    def rules(self) -> Rules:
        """What the row is played by."""
        default = rules("triominoes")
        return default.with_option(*self.option.split("=")) if self.option else default

    @property
    def hands(self) -> list[str]:
        """The hands of an opening: `A:{5-5-5, 0-1-2} / B:{4-4-4}`."""
        return [hand.replace(",", " ") for hand in re.findall(r"\{(.*?)\}", self.position)]

    @property
    def placed(self) -> str:
        """The placement alone: `U0,0=113` of `U0,0=113, after drawing 2` or of `U0,0=113 [bridge_extension=none]`."""
        return self.move.split(", ")[0].partition(" [")[0]

    @property
    def drawn(self) -> int:
        """Tiles drawn before the placement."""
        found = re.search(r"after drawing (\d)", self.move)
        return int(found[1]) if found else 0

    @property
    def points(self) -> int | None:
        """What a legal placement scores; None when it is refused."""
        found = re.fullmatch(r"legal, ([+-]\d+)", self.expected)
        return int(found[1]) if found else None

    @property
    def why(self) -> str | None:
        """The code of a refusal."""
        found = re.fullmatch(r"illegal `(\w+)`", self.expected)
        return found[1] if found else None


TRIOMINOES = [
    Example(row["id"], row["position"], row["move"], row["expected"])
    for row in json.loads(FILE.read_text(encoding="utf-8"))
    if row["id"].startswith("T")
]

OPENINGS = [example for example in TRIOMINOES if re.match(r"opening( \[|$)", example.move)]
PLACEMENTS = [
    example
    for example in TRIOMINOES
    if re.fullmatch(r"([UD]\S+=\d{3} ?)+", example.position) and re.match(r"[UD]\S+=\d{3}(, after| \[|$)", example.move)
]
