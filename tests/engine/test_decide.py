"""Refused actions with their codes and facts, and rotations that are the same placement (RULES §2)."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.lattice import Cell
from engine.board.tiles import Tile, format_labels, rotate_tile
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, Undo
from engine.match.decide import decide, find_forced_action, start
from engine.match.errors import RuleError, Violation
from engine.match.events import Drew, Event
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, replay
from tests.depth import scale_count
from tests.engine.random_play import DOMINOES, QUADS, TRIOKER, build_playout
from tests.engine.readings import RULES_BY_NAME, build_rules
from tests.engine.tables import (
    RULES,
    SECRET,
    act,
    build_match,
    build_play,
    build_tile,
    build_tiles,
    capture_state,
    expect_refusal,
)

TWO = "U0,0=135 D0,0=355"


def build_table(hand: str = "1-3-3 2-2-2", *, position: str = TWO, boneyard: str = "0-0-0 0-0-1 0-0-2 0-0-3") -> Match:
    return build_match([hand, "4-4-4 4-4-5"], position=position, boneyard=boneyard)


def build_stuck_match(boneyard: str = "", drawn: int = 0) -> Match:
    found = build_table("2-2-2 2-2-4", boneyard=boneyard)
    found.drawn = drawn
    return found


def build_finished_match() -> Match:
    found = build_table()
    act(found, Resign(1))
    return found


def build_resigned_match() -> Match:
    found = build_match(["1-3-3", "4-4-4", "2-2-2"], position=TWO)
    act(found, Resign(0))
    return found


def build_opening_match() -> Match:
    return build_match(["0-0-1 5-5-5 4-5-5", "4-4-4"], choices="5-5-5")


ONE_MISMATCH = {"cell": Cell("D", -1, 0), "tile": (2, 3, 3), "place": 2, "needs": 1, "shows": 2}


POINTS, STAR, QUAD = build_rules("points"), build_rules("star"), build_rules("quad-ominos")
PUZZLE = build_rules("trioker", "trioker_board=hexagon")
EDGE = "U0,0=000 D0,0=010 U1,0=012"


def build_domino_match(hand: str, rules: Rules = POINTS) -> Match:
    return build_match([hand, "222"], position="U0,0=444 D0,0=134", rules=rules)


def build_bonus_match() -> Match:
    found = build_match(["1244 0000 0001", "3333"], position="0,0=4455 1,0=4445 1,1=2244", rules=QUAD)
    act(found, build_play(0, "0,1=1244", QUAD))
    return found


def build_answered_match() -> Match:
    found = build_match(["3-5-5 0-0-0", "1-3-3 1-1-1"], position="U0,0=135")
    act(found, build_play(0, "D0,0=355"), build_play(1, "D-1,0=331"))
    return found


REFUSALS: list[tuple[Violation, Callable[[], Match], Action, dict[str, object]]] = [
    (Violation.MATCH_OVER, build_finished_match, build_play(0, "D-1,0=331"), {}),
    (Violation.MATCH_OVER, build_finished_match, Resign(0), {}),
    (Violation.RESIGNED, build_resigned_match, Draw(0), {}),
    (Violation.RESIGNED, build_resigned_match, Resign(0), {}),
    (Violation.NOT_YOUR_TURN, build_table, Draw(1), {"turn": 0}),
    (Violation.NOT_YOUR_TURN, build_table, Pass(1), {"turn": 0}),
    (Violation.NOT_YOUR_TURN, build_table, build_play(1, "D-1,0=331"), {"turn": 0}),
    (
        Violation.NO_SUCH_TILE,
        build_table,
        build_play(0, "D-1,0=031"),
        {"tile": (0, 3, 1), "shown": (0, 3, 1), "exists": (0, 1, 3)},
    ),
    (
        Violation.NO_SUCH_TILE,
        build_table,
        build_play(0, "D-1,0=931"),
        {"tile": (1, 9, 3), "shown": (9, 3, 1), "exists": None},
    ),
    (Violation.OCCUPIED, build_table, build_play(0, "D0,0=133"), {"cell": Cell("D", 0, 0), "by": (3, 5, 5)}),
    (Violation.TILE_ALREADY_PLAYED, build_table, build_play(0, "D-1,0=535"), {"tile": (3, 5, 5)}),
    (Violation.NOT_IN_HAND, build_table, build_play(0, "D-1,0=131"), {"tile": (1, 1, 3)}),
    (Violation.NO_SIDE_CONTACT, build_table, build_play(0, "D1,-1=133"), {"cell": Cell("D", 1, -1)}),
    (
        Violation.NO_SIDE_CONTACT,
        build_table,
        build_play(0, "U999999,-999999=133"),
        {"cell": Cell("U", 999999, -999999)},
    ),
    (Violation.CORNER_MISMATCH, lambda: build_table("2-3-3"), build_play(0, "D-1,0=332"), ONE_MISMATCH),
    (
        Violation.WRONG_OPENING,
        build_opening_match,
        build_play(0, "U0,0=455"),
        {"tile": (4, 5, 5), "choices": ((5, 5, 5),)},
    ),
    (
        Violation.WRONG_OPENING,
        build_opening_match,
        build_play(0, "D0,0=555"),
        {"tile": (5, 5, 5), "choices": ((5, 5, 5),)},
    ),
    (Violation.NOT_IN_HAND, build_opening_match, build_play(0, "U0,0=444"), {"tile": (4, 4, 4)}),
    (Violation.MUST_DRAW, lambda: build_stuck_match("0-0-0"), Pass(0), {"drawn": 0, "limit": 3}),
    (Violation.BONEYARD_EMPTY, build_stuck_match, Draw(0), {}),
    (Violation.DRAW_LIMIT, lambda: build_stuck_match("0-0-0", drawn=3), Draw(0), {"limit": 3}),
    (Violation.NOTHING_TO_CHOOSE, build_table, Choose(0, "points"), {}),
    (
        Violation.NOT_NEXT_TO_LAST,
        lambda: build_domino_match("344"),
        build_play(0, "D-1,0=344", POINTS),
        {"cell": Cell("D", -1, 0)},
    ),
    (
        Violation.SIDE_MISMATCH,
        lambda: build_domino_match("333 011"),
        build_play(0, "U1,0=011", POINTS),
        {"cell": Cell("U", 1, 0), "tile": (0, 1, 1), "place": 0, "needs": 3, "shows": 0},
    ),
    (Violation.BONEYARD_EMPTY, lambda: build_domino_match("000"), Draw(0), {}),
    (
        Violation.CORNER_MISMATCH,
        lambda: build_match(["133 344 000", "222"], position="U0,0=233", rules=STAR),
        build_play(0, "D1,-1=331", STAR),
        {"cell": Cell("D", 1, -1), "tile": (1, 3, 3), "place": 0, "needs": (3, 3), "shows": (1, 3)},
    ),
    (
        Violation.OFF_THE_BOARD,
        lambda: build_match(["132 000", "333"], position=EDGE, rules=PUZZLE),
        build_play(0, "D1,0=132", PUZZLE),
        {"cell": Cell("D", 1, 0)},
    ),
    (Violation.MUST_CHOOSE, build_bonus_match, Draw(0), {"options": ("points",)}),
    (Violation.BONUS_TILES_IMPOSSIBLE, build_bonus_match, Choose(0, "tiles"), {"points": 25, "tiles": 2}),
    (Violation.NOTHING_TO_TAKE_BACK, build_opening_match, Undo(0), {}),
    (Violation.NOTHING_TO_TAKE_BACK, build_opening_match, Undo(0, agreed=True), {}),
    (Violation.TOO_LATE_TO_TAKE_BACK, build_answered_match, Undo(0), {"tile": (3, 5, 5)}),
    (Violation.MATCH_OVER, build_finished_match, Undo(0), {}),
]


@pytest.mark.parametrize(
    ("why", "made", "action", "facts"), REFUSALS, ids=[f"{row[0]}-{number}" for number, row in enumerate(REFUSALS)]
)
def test_refusal_has_its_code_and_facts_and_changes_nothing(
    why: Violation, made: Callable[[], Match], action: Action, facts: dict[str, object]
):
    error = expect_refusal(made(), action)

    assert error.why is why
    assert error.facts == facts


@pytest.mark.parametrize("action", [Draw(0), Pass(0)])
@pytest.mark.parametrize(("made", "move"), [(build_table, "D-1,0=331"), (build_opening_match, "U0,0=555")])
def test_refused_draw_or_pass_lists_the_legal_moves(made: Callable[[], Match], move: str, action: Action):
    error = expect_refusal(made(), action)

    assert error.why is Violation.MUST_PLAY
    assert [str(one) for one in error.facts["moves"]] == [move]


def test_every_refusal_code_is_tested():
    assert {row[0] for row in REFUSALS} == set(Violation) - {Violation.MUST_PLAY, Violation.SEAT_COUNT}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("D0,0=031", Violation.NO_SUCH_TILE),
        ("D0,0=355", Violation.OCCUPIED),
        ("D0,0=111", Violation.OCCUPIED),
        ("D5,5=355", Violation.TILE_ALREADY_PLAYED),
        ("D5,5=111", Violation.NOT_IN_HAND),
        ("D5,5=222", Violation.NO_SIDE_CONTACT),
        ("D-1,0=222", Violation.CORNER_MISMATCH),
        ("points D0,0=143", Violation.NO_SUCH_TILE),
        ("points D0,0=134", Violation.OCCUPIED),
        ("points D5,5=134", Violation.TILE_ALREADY_PLAYED),
        ("points D5,5=111", Violation.NOT_IN_HAND),
        ("points D-1,0=000", Violation.NOT_NEXT_TO_LAST),
        ("points U1,0=000", Violation.SIDE_MISMATCH),
    ],
)
def test_refusal_gives_first_reason_in_order_of_rules(text: str, why: Violation):
    *other, move = text.split()
    match, rules = (build_domino_match("000"), POINTS) if other else (build_table(), RULES)

    assert expect_refusal(match, build_play(0, move, rules)).why is why


@pytest.mark.parametrize("seat", [-1, 2])
def test_missing_seat_raises_value_error(seat: int):
    with pytest.raises(ValueError, match="has no seat"):
        decide(build_table(), Resign(seat), SECRET)


@pytest.mark.parametrize("rotation", [-4, -1, 0, 1, 2, 3, 4, 5, 1_000_000])
def test_rotation_beyond_full_turn_is_normalized(rotation: int):
    # 1-3-3 lies on D-1,0 as 3-3-1 only: after one turn.
    move = Play(0, build_tile("1-3-3"), Cell("D", -1, 0), rotation)
    if rotation % 3 != 1:
        assert expect_refusal(build_table(), move).why is Violation.CORNER_MISMATCH
        return

    found = build_table()
    (placed,) = act(found, move)

    assert placed.rotation == 1
    assert found.board.placed[move.cell].shown_labels == (3, 3, 1)


def test_boneyard_is_drawn_in_order_it_was_dealt():
    found = build_stuck_match("0-0-0 0-0-1 0-0-2")

    drawn = act(found, Draw(0), Draw(0), Draw(0))

    assert drawn == [Drew(0, (0, 0, 0)), Drew(0, (0, 0, 1)), Drew(0, (0, 0, 2))]


def test_fitting_drawn_tile_must_be_placed_minus_draw_penalties():
    found = build_stuck_match("0-0-0 1-3-3 0-0-1")
    act(found, Draw(0), Draw(0))

    for action in (Draw(0), Pass(0)):
        assert expect_refusal(found, action).why is Violation.MUST_PLAY
    act(found, build_play(0, "D-1,0=331"))

    assert found.seats[0].total == 7 - 10
    assert (found.turn, found.drawn) == (1, 0)
    assert sorted(found.seats[0].hand) == sorted(build_tiles("2-2-2 2-2-4 0-0-0"))


def test_forced_actions_are_single_opening_draw_and_pass():
    assert find_forced_action(build_opening_match()) == Play(0, (5, 5, 5), Cell("U", 0, 0), 0)
    assert find_forced_action(build_match(["3-5-5 4-4-5", "0-0-1"], choices="3-5-5 4-4-5")) is None
    assert find_forced_action(build_stuck_match("0-0-0")) == Draw(0)
    assert find_forced_action(build_stuck_match()) == Pass(0)
    assert find_forced_action(build_stuck_match("0-0-0", drawn=3)) == Pass(0)
    assert find_forced_action(build_table()) is None
    assert find_forced_action(build_finished_match()) is None


def test_log_that_does_not_begin_with_its_start_is_refused():
    started, dealt = start(RULES, seats=2, computers=(), by_hand=False, secret=SECRET)

    for log in ([], [dealt], [dealt, started]):
        with pytest.raises(ValueError, match="begins with Started"):
            replay(log)
    with pytest.raises(ValueError, match="starts once"):
        replay([started, started])


@pytest.mark.parametrize("drawn", [None, (5, 5, 5)])
def test_log_that_draws_another_tile_than_next_is_refused(drawn: tuple[int, ...] | None):
    found = build_stuck_match("0-0-0")
    before = capture_state(found)

    with pytest.raises(ValueError, match="not next"):
        apply_event(found, Drew(0, drawn))

    assert capture_state(found) == before


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
        # Every tile with this number twice fits beside the quad of that number.
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
