"""Two placements are the same when they show the same, by whatever rotation they are written (RULES §2)."""

from dataclasses import replace
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.lattice import Cell
from engine.board.tiles import Tile, format_labels, rotate_tile
from engine.match.actions import Play
from engine.match.decide import decide
from engine.match.errors import RuleError
from engine.match.events import Event
from engine.match.rules import Rules
from engine.match.state import Match
from tests.depth import scale_count
from tests.engine.random_play import DOMINOES, QUADS, TRIOKER, build_playout
from tests.engine.readings import RULES_BY_NAME, build_rules
from tests.engine.tables import SECRET, act, build_match, build_play

ARRANGEMENTS: Final = ("clockwise", "counter_clockwise", "free")
TABLES: Final = {
    **QUADS,
    **DOMINOES,
    **TRIOKER,
    "triominoes": RULES_BY_NAME["default"],
    "mac76": RULES_BY_NAME["mac76"],
}


def decide_all_rotations(table: Match, tile: Tile, cell: Cell, shown: Tile) -> list[list[Event] | str]:
    seat, size = table.turn, len(tile)
    orders = 6 if table.rules.fit.free_order else 1
    found: list[list[Event] | str] = []
    for rotation in range(-size, size * (orders + 1)):
        if rotate_tile(tile, rotation if table.rules.fit.free_order else rotation % size) == shown:
            try:
                found.append(decide(table, Play(seat, tile, cell, rotation), SECRET))
            except RuleError as broken:
                found.append(str(broken))
    return found


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_first_bonus_tile_is_same_for_equivalent_rotations(arrangement: str):
    rules = build_rules("quad-ominos", f"quad_arrangement={arrangement}")
    repeating = [tile for tile in rules.tiles if len({*tile}) < 4]
    assert len(repeating) == 111
    for tile in repeating:
        # Beside four of its number goes whatever has this number twice.
        number = max(tile, key=tile.count)
        four, three, two = (next(one for one in rules.tiles if one.count(number) == many) for many in (4, 3, 2))
        placed_tile, other = (four, three) if tile != four else (three, two)
        other = other if other != tile else two
        hand = f"{format_labels(tile)} {format_labels(other)}"
        table = build_match([hand, "1345"], position=f"0,0={format_labels(placed_tile)}", rules=rules)
        table.bonus_tiles = 2
        moves = [move for move in table.list_legal_moves(0) if move.tile == tile]
        assert moves
        for move in moves:
            first, *rest = decide_all_rotations(table, move.tile, move.cell, move.shown_labels)
            assert isinstance(first, list)
            assert rest
            assert rest == [first] * len(rest)


@pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
@settings(max_examples=scale_count(2))
@given(rng=st.randoms(use_true_random=False))
def test_equivalent_rotations_give_the_same_events(rules: Rules, rng: Random):
    playout = build_playout(rng, rules)
    for turn, _ in enumerate(playout.iterate_steps()):
        table = playout.match
        if turn > 25 or table.ended:
            break
        if table.choosing:
            continue
        for move in rng.sample(legal := table.list_legal_moves(table.turn), min(3, len(legal))):
            first, *rest = decide_all_rotations(table, move.tile, move.cell, move.shown_labels)
            assert isinstance(first, list)
            assert rest == [first] * len(rest)


def test_placement_event_stores_lowest_equivalent_rotation():
    table = build_match(["1-1-3 3-3-3", "4-4-4"], position="U0,0=133")

    (placed,) = act(table, replace(build_play(0, "D0,0=333"), rotation=2))

    assert placed.rotation == 0
