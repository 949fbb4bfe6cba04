"""Options for rules on which the sources differ: each option of RULES §3.1 on a table where its values differ.

This file tests tiles, opening and turn of Triominoes, and how an option of any game is set. Hexagons and bridges are in
`test_options_games` with the other games, the ends of rounds and matches in `test_options_endings`.
`test_cross_check` also compares options that only change the score of a placement with a second implementation.
"""

from dataclasses import replace

import pytest

from data.rulebook import list_games, load_rules
from engine.board.tiles import format_tile_notation
from engine.match.actions import Action, Draw, Pass
from engine.match.decide import decide, find_forced_action, start
from engine.match.errors import OptionError, OptionFault, RuleError, Violation
from engine.match.events import Passed
from engine.match.rules import Rules
from engine.match.state import Match
from tests.engine.option_differences import find_violation, parametrize_option
from tests.engine.readings import CHOICE_OPTIONS, RULES_BY_NAME, build_triominoes_rules
from tests.engine.tables import SECRET, act, build_match, build_placement, build_play, build_tiles, list_totals

FIVES = "U0,0=555"
OPTIONS = build_triominoes_rules().list_options()
NO_TILE = Violation.NO_SUCH_TILE
ACCEPTED = (
    *("trio56", "trio84", "trio120", "trio165", "trio220"),
    *("mac45", "mac76", "mac119", "mac176", "mac249", "mac340"),
)
EVERY_OPTION = [(game, option) for game in list_games() for option in load_rules(game).list_options()]


def build_free_draw_match(boneyard: str = "", **facts: str) -> Match:
    rules = build_triominoes_rules("voluntary_draw=on")
    return build_match(["1-2-3 0-0-0", "4-4-4"], boneyard=boneyard, rules=rules, **{"position": "U0,0=135", **facts})


def find_refusal(table: Match, action: Action) -> Violation | None:
    try:
        decide(table, action, SECRET)
    except RuleError as broken:
        return broken.why
    return None


def test_rules_of_tests_cover_every_option_value():
    for name, values in CHOICE_OPTIONS.items():
        assert {getattr(rules, name) for rules in RULES_BY_NAME.values()} == set(values), name
    assert {rules.draw_limit for rules in RULES_BY_NAME.values()} == {3, "unlimited"}
    assert {rules.empty_boneyard_penalty for rules in RULES_BY_NAME.values()} == {10, 0}
    others = ("target", "rounds", "head_start", "hand_size", "zero_opening_score")
    assert set(OPTIONS) == {*CHOICE_OPTIONS, *others, "draw_limit", "empty_boneyard_penalty"}


def test_first_value_of_every_option_is_default_with_two_exceptions():
    others = {
        (game, name): getattr(load_rules(game), name)
        for game in list_games()
        for name, values in load_rules(game).get_readings().items()
        if getattr(load_rules(game), name) != values[0]
    }

    assert others == {("muggins", "pairing"): "fives", ("star", "boss"): "in"}


@pytest.mark.parametrize(("game", "name"), EVERY_OPTION)
def test_setting_option_from_text_changes_only_that_option(game: str, name: str):
    usual = load_rules(game)
    for value in usual.get_readings().get(name, ("6",)):
        changed = usual.with_option(name, value)
        assert str(getattr(changed, name)) == value
        assert changed.with_option(name, str(getattr(usual, name))) == usual


@pytest.mark.parametrize(
    ("game", "name", "value", "why", "allowed"),
    [
        *(("triominoes", name, "50", OptionFault.NO_SUCH_OPTION, OPTIONS) for name in ("bridge", "game", "")),
        *(
            ("triominoes", "target", text, OptionFault.NO_SUCH_VALUE, ("1-100000",))
            for text in ("unlimited", "٤٠٠", "0")
        ),
        ("triominoes", "bridge_extension", "some", OptionFault.NO_SUCH_VALUE, CHOICE_OPTIONS["bridge_extension"]),
        *(
            ("triominoes", "head_start", text, OptionFault.NO_SUCH_VALUE, ("0", "50/0/20"))
            for text in ("", "x", "50/", "-5", "1/2/x", "123456")
        ),
        ("triominoes", "voluntary_draw", "True", OptionFault.NO_SUCH_VALUE, ("off", "on")),
        ("triominoes", "draw_limit", "two", OptionFault.NO_SUCH_VALUE, ("0-100", "unlimited")),
        ("triominoes", "draw_limit", "101", OptionFault.NO_SUCH_VALUE, ("0-100", "unlimited")),
        ("triominoes", "tile_set", "trio57", OptionFault.NO_SUCH_VALUE, ACCEPTED),
        ("triominoes", "tile_set", "quad126", OptionFault.NO_SUCH_VALUE, ACCEPTED),
        *(
            ("triominoes", "tile_set", name, OptionFault.TOO_FEW_TILES, ACCEPTED)
            for name in ("trio4", "trio35", "mac24")
        ),
        *(("triominoes", "tile_set", name, OptionFault.UNPLAYABLE, ACCEPTED) for name in ("quad125", "td56")),
        ("star", "target", "x", OptionFault.NO_SUCH_VALUE, ("0", "1-100000")),
        ("trioker", "trioker_values", "7", OptionFault.NO_SUCH_VALUE, ("4-6",)),
    ],
)
def test_refused_option_has_code_name_and_allowed_values(
    game: str, name: str, value: str, why: OptionFault, allowed: tuple[str, ...]
):
    with pytest.raises(OptionError) as excinfo:
        load_rules(game).with_option(name, value)

    assert (excinfo.value.why, excinfo.value.name, excinfo.value.allowed) == (why, name, allowed)


@pytest.mark.parametrize(
    ("reading", "accepted"),
    [
        (build_triominoes_rules("blocked_bonus=lose_own"), "trio56 trio84 mac45 mac76"),
        (load_rules("quad-ominos"), "quad125"),
        (load_rules("quad-ominos").with_option("quad_arrangement", "free"), "quad125 quad209 quad329 quad494 quad714"),
        (
            load_rules("points"),
            "td10 td20 td35 td56 td84 td120 td165 td220 mac11 mac24 mac45 mac76 mac119 mac176 mac249 mac340",
        ),
    ],
)
def test_refusal_of_tile_set_lists_all_that_are_accepted(reading: Rules, accepted: str):
    with pytest.raises(OptionError) as excinfo:
        reading.with_option("tile_set", "many")

    assert " ".join(excinfo.value.allowed) == accepted
    assert str(excinfo.value) == f"tile_set is {', '.join(accepted.split())}; 'many' is unknown"
    for name in excinfo.value.allowed:
        reading.with_option("tile_set", name).require_playable()


def test_value_conflicting_with_other_rules_is_refused_as_unplayable():
    # Four tiles and the boss are enough for five hands of one tile; without the boss one tile is missing.
    few = replace(load_rules("star"), tile_set="td4", max_seats=5)

    with pytest.raises(OptionError) as excinfo:
        few.with_option("boss", "out")

    assert (excinfo.value.why, excinfo.value.allowed) == (OptionFault.UNPLAYABLE, ("out", "in"))


@parametrize_option(
    "triominoes",
    "tile_set",
    {"trio56": [None, NO_TILE, NO_TILE], "trio84": [None, None, NO_TILE], "mac76": [None, NO_TILE, None]},
)
def test_tile_set_option_determines_existing_tiles(rules: Rules) -> object:
    return [find_violation(rules, "", f"U0,0={shown}") for shown in ("013", "666", "031")]


def read_opening(rules: Rules, *hands: str) -> tuple[int, str]:
    found = rules.find_opening([build_tiles(hand) for hand in hands])
    return found.seat, " ".join(map(format_tile_notation, found.tiles))


@parametrize_option(
    "triominoes",
    "zero_opening",
    {
        "only_if_top": [(0, "1-1-1"), (1, "2-2-2"), (0, "0-0-0")],
        "holder_may_choose": [(0, "0-0-0 1-1-1"), (1, "2-2-2"), (0, "0-0-0")],
    },
)
def test_zeros_open_as_only_triple_or_by_choice_of_holder(rules: Rules) -> object:
    return [
        read_opening(rules, "0-0-0 1-1-1", "4-5-5"),
        read_opening(rules, "0-0-0 1-2-2", "2-2-2"),
        read_opening(rules, "0-0-0 1-2-2", "2-4-4"),
    ]


def test_opening_with_zeros_by_choice_scores_forty():
    rules = build_triominoes_rules("zero_opening=holder_may_choose")
    table = build_match(["0-0-0 1-1-1", "4-5-5"], choices="0-0-0 1-1-1", rules=rules)
    assert find_forced_action(table) is None

    act(table, build_play(0, "U0,0=000"))

    assert list_totals(table) == [40, 0]


@parametrize_option(
    "triominoes",
    "opening_tie",
    {
        "next_tile": [(1, "4-4-5"), (1, "4-4-5"), (0, "3-5-5 4-4-5"), (0, "3-5-5")],
        "next_unique_sum": [(1, "0-4-5"), (2, "2-5-5"), (0, "3-5-5 4-4-5"), (0, "3-5-5")],
    },
)
def test_opening_tie_is_broken_by_next_tile_or_unique_sum(rules: Rules) -> object:
    return [
        # 13 ties with 13; the next tiles are 6 and 9. Under both values B opens: with its highest tile, or with the 9
        # that only B holds.
        read_opening(rules, "3-5-5 1-2-3", "4-4-5 0-4-5"),
        # Only C holds a 12, the highest sum of a single player, although C was not in the tie.
        read_opening(rules, "3-5-5 1-2-3", "4-4-5 0-4-5", "2-5-5 0-0-1"),
        # Two tiles of one player are no tie.
        read_opening(rules, "3-5-5 4-4-5", "3-4-5 2-5-5"),
        # All sums are equal, so the lowest seat opens.
        read_opening(rules, "3-5-5 1-2-3", "4-4-5 0-2-4"),
    ]


def test_opener_is_chosen_by_rule_or_by_lot():
    by_lot, by_rule = build_triominoes_rules("opening_choice=any_tile"), build_triominoes_rules()
    openers = set()
    for number in range(60):
        secret = bytes([number]) * 32
        _, lot = start(by_lot, seats=3, computers=(), by_hand=True, secret=secret)
        _, rule = start(by_rule, seats=3, computers=(), by_hand=True, secret=secret)
        assert (lot.hands, lot.boneyard) == (rule.hands, rule.boneyard)
        assert lot.choices == tuple(sorted(lot.hands[lot.opener]))
        assert (rule.opener, rule.choices) == by_rule.find_opening(rule.hands)
        assert start(by_lot, seats=3, computers=(), by_hand=True, secret=secret)[1] == lot
        openers.add(lot.opener)
    assert openers == {0, 1, 2}


@parametrize_option("triominoes", "opening_choice", {"rule": [25, 40, 12], "any_tile": [15, 0, 12]})
def test_opening_bonus_is_paid_except_with_any_tile(rules: Rules) -> object:
    return [
        rules.score_placement(rules.build_board(), build_placement(f"U0,0={text}")).points
        for text in ("555", "000", "345")
    ]


@parametrize_option(
    "triominoes",
    "voluntary_draw",
    {"off": (Violation.MUST_PLAY, Violation.MUST_PLAY), "on": (None, Violation.MUST_DRAW)},
)
def test_draw_with_legal_placement_requires_voluntary_draw_option(rules: Rules) -> object:
    table = build_match(["1-2-3 0-0-0", "4-4-4"], position="U0,0=135", boneyard="0-0-1 0-0-2", rules=rules)
    return find_refusal(table, Draw(0)), find_refusal(table, Pass(0))


def test_voluntary_draw_requires_placement_or_drawing_to_limit():
    table = build_free_draw_match("0-0-1 0-0-2 0-0-3 0-0-4")
    act(table, Draw(0))
    assert find_refusal(table, Pass(0)) is Violation.MUST_DRAW
    (placed,) = act(table.copy(), build_play(0, "D-1,0=231"))
    assert placed.points == 6 - 5
    act(table, Draw(0), Draw(0))
    assert find_refusal(table, Draw(0)) is Violation.DRAW_LIMIT
    (passed,) = act(table, Pass(0))

    assert passed == Passed(0, 3, -25)
    assert table.turn == 1


def test_voluntary_draw_with_empty_boneyard_still_requires_placement():
    assert find_refusal(build_free_draw_match(), Pass(0)) is Violation.MUST_PLAY
    one_left = build_free_draw_match("0-0-1")
    act(one_left, Draw(0), Pass(0))
    assert one_left.turn == 1


def test_draw_before_opening_is_refused():
    table = build_free_draw_match("0-0-1", choices="0-0-0", position="")

    assert find_refusal(table, Draw(0)) is Violation.MUST_PLAY
    assert find_refusal(table, Pass(0)) is Violation.MUST_PLAY


NO_FIVES = "0-0-1 0-0-2 0-0-3 0-0-4 1-1-2"


def play_failed_turn(rules: Rules, boneyard: str) -> tuple[int, int]:
    table = build_match(["0-1-2 0-1-3", "4-5-5"], position=FIVES, boneyard=boneyard, rules=rules)
    while table.can_draw():
        act(table, Draw(0))
    assert find_refusal(table, Draw(0)) is (Violation.DRAW_LIMIT if table.boneyard else Violation.BONEYARD_EMPTY)
    (passed,) = act(table, Pass(0))
    return passed.drawn, passed.points


@parametrize_option("triominoes", "draw_limit", {"3": (3, -25), "unlimited": (5, -35), "1": (1, -15), "0": (0, -10)})
def test_failed_turn_draws_up_to_draw_limit(rules: Rules) -> object:
    return play_failed_turn(rules, NO_FIVES)


@parametrize_option(
    "triominoes", "empty_boneyard_penalty", {"10": [(0, -10), (2, -20), (3, -25)], "0": [(0, 0), (2, -10), (3, -25)]}
)
def test_turn_that_failed_on_empty_boneyard_has_its_own_penalty(rules: Rules) -> object:
    return [play_failed_turn(rules, boneyard) for boneyard in ("", "0-0-1 0-0-2", NO_FIVES)]


@parametrize_option(
    "triominoes",
    "draws_spent_penalty",
    {"once": [(3, -25), (3, -25), (2, -20), (0, -10)], "additional": [(3, -25), (3, -35), (2, -20), (0, -10)]},
)
def test_failed_turn_that_empties_boneyard_costs_one_penalty_or_both(rules: Rules) -> object:
    return [play_failed_turn(rules, boneyard) for boneyard in (NO_FIVES, "0-0-1 0-0-2 0-0-3", "0-0-1 0-0-2", "")]


@parametrize_option(
    "triominoes", "empty_boneyard_penalty", {"10": (5, -35), "0": (5, -25)}, other_options="draw_limit=unlimited"
)
def test_failed_turn_without_draw_limit_uses_empty_boneyard_penalty(rules: Rules) -> object:
    return play_failed_turn(rules, NO_FIVES)
