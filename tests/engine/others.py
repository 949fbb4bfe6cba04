"""Tables of the games beside Triominoes, under options that change how a turn goes, and matches on them."""

from collections import Counter
from random import Random
from typing import Final

from engine.match import Match
from engine.rules import Rules
from tests.engine.readings import read
from tests.engine.tables import Playout

QUADS: Final = {
    options or "quads": read("quad-ominos", options)
    for options in (
        "target=150",
        "target=150 deal=half bonus_chain=on",
        "target=150 deal=half partial_bonus=on quad_arrangement=free",
        "target=100 target_check=round_end blocked_award=differences well_exhausted_penalty=none",
    )
}
DOMINOES: Final = {
    f"{game} {options}".strip(): read(game, options)
    for game, options in (
        ("points", ""),
        ("points", "boss=in tile_set=td56"),
        ("muggins", "boss=in remainder=boneyard"),
        ("muggins", "target=40"),
        ("star", ""),
        ("star", "tile_set=td56 extra_turn=forced star_out_bonus=on"),
        ("star", "star_corner_order=mirror star_sum=all_touching target=60"),
    )
}
TRIOKER: Final = {
    f"trioker {options}".strip(): read("trioker", options)
    for options in ("", "trioker_joker=on trioker_board=hexagon", "trioker_values=5 target=30", "trioker_bonuses=on")
}
PIPS = {"quad125": 1249, "td35": 210, "td56": 420, 4: 108, 5: 270, 6: 570}
"""RULES §1, by the name of the set or by how many numbers it has."""


def playout(rng: Random, rules: Rules, *, resigning: float = 0.0) -> Playout:
    """As many seats as may play, which place anywhere."""
    return Playout(rng, rng.randint(rules.min_seats, rules.max_seats), resigning=resigning, rules=rules)


def everything(table: Match) -> Counter[tuple[int, ...]]:
    """All the tiles, wherever they are."""
    lying = [lies.tile for lies in table.board.placed.values()]
    return Counter([*lying, *(tile for seat in table.seats for tile in seat.hand), *table.boneyard, *table.aside])
