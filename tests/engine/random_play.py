"""Tables of all games under random or chosen options, and random turns of matches on them."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

from data.rulebook import load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.decide import decide, list_options
from engine.match.errors import RuleError
from engine.match.player_view import PlayerView, list_legal_actions, view_for
from engine.match.rules import Rules
from engine.match.state import Match
from tests.engine.readings import build_rules
from tests.engine.tables import SECRET, Playout

NUMBERS = {"target": ("0", "1", "50", "150"), "draw_limit": ("0", "1", "3", "unlimited"), "trioker_values": ("4", "5")}
MAX_ACTIONS = 300
"""Actions after which a test leaves a match: under some options a match takes very long."""
WITH_BONUSES = {
    "trioker": load_rules("trioker").with_option("trioker_bonuses", "on"),
    "quad-ominos": load_rules("quad-ominos").with_option("bonus_chain", "on"),
}
"""Rules under which moves have more kinds of reasons than under the default preset."""


def randomize_options(rules: Rules, rng: Random) -> Rules:
    """Return the rules of a game with about a third of its options set at random."""
    found = rules
    for name in rules.list_options():
        values = NUMBERS.get(name) or rules.get_readings().get(name) or ("0", "5", "40")
        if rng.random() < 1 / 3:
            try:
                found = found.with_option(name, rng.choice(values))
            except ValueError:
                continue
    return found


def list_accepted_actions(table: Match) -> set[Action]:
    """Return the actions of the seat to move that `decide` accepts."""
    seat, found = table.turn, set[Action]()
    candidates: list[Action] = [Draw(seat), Pass(seat), *(Choose(seat, option) for option in list_options(table))]
    for action in (*candidates, *(Play(seat, *placement) for placement in table.list_legal_moves(seat))):
        try:
            decide(table, action, SECRET)
        except RuleError:
            continue
        found.add(action)
    return found


def iterate_positions(game: str, count: int, max_seats: int = 0) -> Iterator[tuple[PlayerView, Action, Match]]:
    """Yield turns of random matches: the view of the seat to move, a legal action, and the match."""
    rng, found = Random(5), 0
    rules = WITH_BONUSES.get(game, load_rules(game))
    while found < count:
        seats = rng.randint(max(2, rules.min_seats), max_seats or min(4, rules.max_seats))
        playout = Playout(rng, seats, frozenset(range(seats)), rules=rules)
        for _ in playout.iterate_steps():
            view = view_for(playout.match, playout.match.turn)
            allowed = list_legal_actions(view)
            # Forced actions have short reasons and are rarely used; good moves have the most reasons.
            if len(allowed) > 1 or (allowed and rng.random() < 0.1):
                yield view, allowed[0] if rng.random() < 0.7 else rng.choice(allowed), playout.match
                found += 1
                if found == count:
                    return


QUADS: Final = {
    options or "quads": build_rules("quad-ominos", options)
    for options in (
        "target=150",
        "target=150 deal=half bonus_chain=on",
        "target=150 deal=half partial_bonus=on quad_arrangement=free",
        "target=100 target_check=round_end blocked_award=differences well_exhausted_penalty=none",
    )
}
DOMINOES: Final = {
    f"{game} {options}".strip(): build_rules(game, options)
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
    f"trioker {options}".strip(): build_rules("trioker", options)
    for options in ("", "trioker_joker=on trioker_board=hexagon", "trioker_values=5 target=30", "trioker_bonuses=on")
}


def build_playout(rng: Random, rules: Rules, *, resigning: float = 0.0) -> Playout:
    """Return a playout with a random number of seats that place at random."""
    return Playout(rng, rng.randint(rules.min_seats, rules.max_seats), resign_chance=resigning, rules=rules)


def count_tiles(table: Match) -> Counter[tuple[int, ...]]:
    placed = [placement.tile for placement in table.board.placed.values()]
    return Counter([*placed, *(tile for seat in table.seats for tile in seat.hand), *table.boneyard, *table.aside])
