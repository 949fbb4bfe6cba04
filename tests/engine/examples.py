"""The worked examples of RULES §8, read from the docs, and the tests that cover them."""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from data.rulebook import load_rules
from engine.match.rules import Rules

EXAMPLES_FILE = Path(__file__).with_name("rules-examples.json")

OPTION_ALIASES = {"tile_values=0-6": "tile_set=trio84"}
"""T61 names the numbers on the tiles instead of the tile set of RULES §3.1."""

GAMES: Final = {"T": "triominoes", "Q": "quad-ominos", "D": "points"}
"""By the first letter of an id: the game of a row without a game name."""


GAME_PREFIX: Final = re.compile(r"(points|muggins|star)\b( \[.+?\])?(: )?")


class Example(NamedTuple):
    id: str
    position: str
    move: str
    expected: str

    @property
    def game(self) -> str:
        """The game of the row. Rows of Triangular Dominoes begin with it: `muggins: U0,0=444`, `points
        [tile_set=mac24]: U0,0=132`.
        """
        prefix = GAME_PREFIX.match(self.position)
        return prefix[1] if prefix else GAMES[self.id[0]]

    @property
    def layout_text(self) -> str:
        return GAME_PREFIX.sub("", self.position)

    @property
    def option(self) -> str | None:
        """The options of the row that differ from the default, as `name=value` with the names of RULES §3.1, separated
        by commas.
        """
        found = re.search(r"\[(.+?=.+?)\]", f"{self.position} {self.move}")
        return OPTION_ALIASES.get(found[1], found[1]) if found else None

    @property
    def rules(self) -> Rules:
        """The rules of the row. In Triangular Dominoes the tile set follows from the tiles."""
        found = load_rules(self.game)
        for option in self.option.split(", ") if self.option else ():
            found = found.with_option(*option.split("="))
        if self.id[0] == "D":
            label_texts = re.findall(r"=(\w+)", f"{self.position} {self.move}")
            if any("5" in labels for labels in label_texts):
                found = found.with_option("tile_set", "td56")
            if "BOSS" in label_texts:
                found = found.with_option("boss", "in")
        return found

    @property
    def hands(self) -> list[str]:
        """The hands of an opening: `A:{5-5-5, 0-1-2} / B:{4-4-4}`."""
        return [hand.replace(",", " ") for hand in re.findall(r"\{(.*?)\}", self.position)]

    @property
    def placement(self) -> str:
        """The placement without further facts: `U0,0=113` from `U0,0=113, after drawing 2` or of `U0,0=113
        [bridge_extension=none]`.
        """
        return self.move.split(", ")[0].partition(" [")[0]

    @property
    def draw_count(self) -> int:
        found = re.search(r"after drawing (\d)", self.move)
        return int(found[1]) if found else 0

    @property
    def points(self) -> int | None:
        """The points of a legal placement; empty if the row names no score, None if the placement is refused."""
        found = re.match(r"legal(?:, ([+-]?\d+))?(?:,|$)", self.expected)
        return int(found[1] or 0) if found else None

    @property
    def violation(self) -> str | None:
        found = re.fullmatch(r"illegal `(\w+)`", self.expected)
        return found[1] if found else None

    @property
    def has_bonus_choice(self) -> bool:
        return bool(re.search(r"(, one|,) bonus|two tiles", self.expected))


EXAMPLES = [
    Example(row["id"], row["position"], row["move"], row["expected"])
    for row in json.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
]
TRIOMINOES = [example for example in EXAMPLES if example.id[0] == "T"]
QUADS = [example for example in EXAMPLES if example.id[0] == "Q"]
DOMINOES = [example for example in EXAMPLES if example.id[0] == "D"]

PLACEMENT_PATTERN = r"[UD]?-?\d+,-?\d+=(\d{3,4}|BOSS)"


def _is_opening(example: Example) -> bool:
    return re.match(r"opening( \[|$)", example.move) is not None


def _is_placement(example: Example) -> bool:
    return bool(
        re.fullmatch(rf"({PLACEMENT_PATTERN} ?)+", example.layout_text)
        and re.fullmatch(rf"{PLACEMENT_PATTERN}(, after drawing \d| \[.+\])?", example.move)
    )


OPENINGS = [example for example in TRIOMINOES if _is_opening(example)]
PLACEMENTS = [example for example in TRIOMINOES if _is_placement(example)]
QUAD_OPENINGS = [example for example in QUADS if _is_opening(example)]
QUAD_PLACEMENTS = [example for example in QUADS if _is_placement(example)]
DOMINO_PLACEMENTS = [example for example in DOMINOES if _is_placement(example)]


COVERING_TESTS: Final[defaultdict[str, set[str]]] = defaultdict(set)
"""The tests that play each example, by their file and name."""


def covers_examples(*example_ids: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def mark(test: Callable[..., None]) -> Callable[..., None]:
        for example in example_ids:
            COVERING_TESTS[example].add(f"{Path(test.__code__.co_filename).name}: {test.__name__}")
        return test

    return mark


def covers_all(examples: list[Example]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return covers_examples(*(example.id for example in examples))
