"""The tiles of a guided game, laid out so that all there is to learn comes up in one short round.

Nobody has shuffled them, which is said wherever deals are spoken of, and nothing that comes of them counts.
"""

from typing import Final

from engine.events import Dealt
from engine.rules import Rules
from engine.tiles import Tile, parse_labels

LEARNER: Final = "113 235 224 244 445 125"
"""The hand of seat 0, who learns."""
COMPUTER: Final = "124 444 114 111 001 014"
"""The hand of seat 1. It has the highest triple, so it opens: whoever learns finds a tile to play at."""
BONEYARD: Final = "134 225 011 045"
"""What can be drawn, first to last. With so few tiles nobody has many turns to take, however they play."""


def laid_out(rules: Rules) -> Dealt:
    """The one round of a guided game; what is in no hand and cannot be drawn is set aside."""
    hands, boneyard = (_tiles(LEARNER), _tiles(COMPUTER)), _tiles(BONEYARD)
    used = {tile for group in (*hands, boneyard) for tile in group}
    opener, choices = rules.opening(hands)
    aside = tuple(tile for tile in rules.tiles if tile not in used)
    return Dealt(1, hands, boneyard, opener, choices, aside)


def _tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_labels(labels, 3) for labels in text.split())
