"""Which rules a table can use: tiles must match something, and matches must end.

Impossible option sets are found by random play; `BONEYARD_DEPTH` tries more of them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from data.rulebook import list_games, list_presets, load_rules
from engine.board.tiles import BOSS
from engine.match.errors import OptionError, OptionFault
from engine.match.events import RoundEnded
from engine.match.options import MAX_TARGET
from engine.match.rules import Rules
from tests.depth import scale_count
from tests.engine.readings import build_rules
from tests.engine.tables import RULES, Playout

NUMBERS: Final = {
    "draw_limit": ("0", "1", "3", "10", "unlimited"),
    "empty_boneyard_penalty": ("0", "10", "100", "400"),
    "trioker_values": ("4", "5", "6"),
}
MAX_ROUNDS: Final = 12


def build_random_rules(game: str, rng: Random) -> Rules:
    found = load_rules(game)
    for name in rng.sample(found.list_options(), rng.randint(1, 8)):
        sets = found.accepted_sets if name == "tile_set" else ()
        values = sets or NUMBERS.get(name) or found.get_readings().get(name, ())
        if values:
            found = found.with_option(name, rng.choice(values))
    return found


def iterate_rounds(playout: Playout, max_rounds: int) -> Iterator[RoundEnded]:
    tiles, ended = len(playout.rules.tiles), 0
    for steps, (_, events) in enumerate(playout.iterate_steps()):
        assert steps < 4 * tiles * (ended + 1), "every turn places a tile, draws one or passes"
        for event in events:
            if isinstance(event, RoundEnded):
                ended += 1
                yield event
        if ended >= max_rounds:
            return


def compute_gain_per_round(reading: Rules, seats: int, rng: Random, max_rounds: int = MAX_ROUNDS) -> float:
    playout = Playout(rng, seats, rules=replace(reading, target=MAX_TARGET))
    ended = sum(1 for _ in iterate_rounds(playout, max_rounds))
    return max(seat.total for seat in playout.match.seats) / ended


def needs_matching(reading: Rules, rng: Random) -> bool:
    playout = Playout(rng, reading.min_seats, rules=replace(reading, target=MAX_TARGET))
    for number, _ in enumerate(playout.iterate_steps()):
        board = playout.match.board
        if number > 8 or playout.match.round > 1 or BOSS in board.tiles:
            # Every tile fits beside a boss that stays wild.
            break
        remaining = [tile for tile in reading.tiles if tile not in board.tiles]
        fits = {(move.tile, move.cell) for move in board.list_legal_moves(remaining)}
        if board.placed and len(remaining) in Counter(cell for _, cell in fits).values():
            return False
    return True


@pytest.mark.parametrize("game", list_games())
def test_random_playable_rules_require_matching_and_gain_points(game: str):
    rng, rule_count = Random(3), 0
    while rule_count < scale_count(3):
        reading = build_random_rules(game, rng)
        seats = rng.randint(reading.min_seats, reading.max_seats)
        try:
            reading.require_playable(seats)
        except OptionError:
            continue
        rule_count += 1
        option_values = {name: getattr(reading, name) for name in reading.list_options() if name != "target"}
        assert needs_matching(reading, rng), option_values
        assert compute_gain_per_round(reading, seats, rng) > 0, (seats, option_values)


@pytest.mark.parametrize("game", list_games())
def test_every_preset_is_playable_with_every_number_of_seats(game: str):
    refused = []
    for preset in list_presets(game):
        reading = load_rules(game, preset)
        for seats in range(reading.min_seats, reading.max_seats + 1):
            try:
                reading.require_playable(seats)
            except OptionError as error:
                refused.append((preset, seats, error.name))
    assert refused == []


def expect_refusal(reading: Rules, seats: int = 2) -> tuple[OptionFault, str, tuple[str, ...]]:
    with pytest.raises(OptionError) as found:
        reading.require_playable(seats)
    return found.value.why, found.value.name, found.value.allowed


@pytest.mark.parametrize("game", ["points", "muggins", "star"])
def test_open_layout_with_last_only_contact_is_refused(game: str):
    reading = build_rules(game, "layout=open side_contact=last_only")

    assert expect_refusal(reading) == (OptionFault.NOTHING_TO_MATCH, "side_contact", ("all",))
    assert not needs_matching(reading, Random(1))


NEVER_ENDS: Final = [
    ("triominoes", "blocked_bonus=lose_own draw_limit=0", 2, "blocked_bonus"),
    ("triominoes", "blocked_bonus=lose_own tile_set=trio220", 2, "blocked_bonus"),
    ("triominoes", "draw_limit=unlimited empty_boneyard_penalty=400", 6, "empty_boneyard_penalty"),
    ("quad-ominos", "tile_set=quad329", 2, "tile_set"),
]


@pytest.mark.parametrize(("game", "options", "seats", "name"), NEVER_ENDS)
def test_rules_with_negative_expected_round_gain_are_refused(game: str, options: str, seats: int, name: str):
    reading = build_rules(game, options)

    assert expect_refusal(reading, seats)[:2] == (OptionFault.NEVER_ENDS, name)
    assert compute_gain_per_round(reading, seats, Random(1), 3 if game == "quad-ominos" else MAX_ROUNDS) < 0


def test_allowed_values_of_refusal_are_playable():
    for game, options, seats, _ in NEVER_ENDS:
        reading = build_rules(game, options)
        _, name, allowed = expect_refusal(reading, seats)
        for value in allowed:
            reading.with_option(name, value.partition("-")[2] or value).require_playable(seats)


def test_hands_of_one_tile_are_refused():
    small = build_rules("star", "tile_set=td10 boss=out")

    assert expect_refusal(small, 6)[:2] == (OptionFault.UNPLAYABLE, "tile_set")
    small.require_playable(5)
    assert compute_gain_per_round(small, 6, Random(1)) == 0


def test_unplayable_rules_of_existing_match_can_be_read():
    assert build_rules("points", "layout=open side_contact=last_only").layout == "open"


QUAD, POINTS, STAR, TRIOKER = (
    build_rules("quad-ominos"),
    build_rules("points"),
    build_rules("star"),
    build_rules("trioker"),
)
WRONG: list[tuple[Rules, str, tuple[object, ...]]] = [
    (RULES, "lattice", ("cubes",)),
    (RULES, "tile_set", ("td35", "trio57")),
    (RULES, "min_seats", (0, 7)),
    (RULES, "deal", ((9, 7, 7, 6), (9, 7, 7, 6, 0), (9, 7, 7, 6, 10))),
    (RULES, "target", (0, 100_001)),
    (RULES, "hexagons", ((50, 100),)),
    (RULES, "hexagons_stepped", ((50,),)),
    (RULES, "draw_limit", (-1, 101, "none")),
    (RULES, "voluntary_draw", ("maybe",)),
    (RULES, "blocked_bonus", ("half",)),
    (QUAD, "target", (0,)),
    (QUAD, "tile_set", ("trio56",)),
    (QUAD, "hands", ((), (30, 0), (30, 20, 15, 12, 11))),
    (QUAD, "hands_half", ((63,),)),
    (QUAD, "matching", (0, 5)),
    (QUAD, "bonus_tiles", (0,)),
    (QUAD, "bonus_chain", ("maybe",)),
    (QUAD, "quad_arrangement", ("any",)),
    (POINTS, "target", (-1, 100_001)),
    (POINTS, "tile_set", ("trio56",)),
    (POINTS, "max_seats", (36,)),
    (POINTS, "boss", ("maybe",)),
    (STAR, "star_corner_order", ("straight",)),
    (TRIOKER, "target", (-1,)),
    (TRIOKER, "trioker_values", (3, 7)),
    (TRIOKER, "joker_corners", ((0, 4),)),
    (TRIOKER, "hexagons", ((50,),)),
]
NAMED = {
    (QUAD.game, "lattice", "triangles"): "tile_set",
    (QUAD.game, "max_seats", 13): "hands",
    (POINTS.game, "lattice", "squares"): "tile_set",
    (TRIOKER.game, "lattice", "squares"): "tile_set",
}
CASES = [(rules, name, value, name) for rules, name, values in WRONG for value in values]
CASES += [(build_rules(game), name, value, named) for (game, name, value), named in NAMED.items()]


@pytest.mark.parametrize(("rules", "name", "value", "named"), CASES, ids=lambda case: getattr(case, "game", str(case)))
def test_unplayable_number_is_refused_with_option_name(rules: Rules, name: str, value: Any, named: str):
    with pytest.raises(ValueError, match=f"^{named} must "):
        replace(rules, **{name: value})


def test_huge_tile_set_is_refused_before_it_is_built():
    with pytest.raises(OptionError) as excinfo:
        TRIOKER.with_option("trioker_values", "999999")  # 10^17 tiles

    assert (excinfo.value.why, excinfo.value.allowed) == (OptionFault.NO_SUCH_VALUE, ("4-6",))


def test_hand_size_for_one_remaining_seat_equals_two_seats():
    assert [RULES.compute_hand_size(seats) for seats in (1, 2, 3, 4, 5, 6)] == [9, 9, 7, 7, 6, 6]
