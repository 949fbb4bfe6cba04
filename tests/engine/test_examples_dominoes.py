"""The worked examples of RULES §8.3 (Triangular Dominoes), played by real decisions."""

import pytest

from engine.match.actions import Pass
from engine.match.decide import start
from engine.match.errors import OptionError, OptionFault, RuleError
from engine.match.events import Dealt, MatchEnded
from engine.match.rules import Rules
from tests.engine.examples import DOMINO_PLACEMENTS, DOMINOES, Example, covers_all, covers_examples
from tests.engine.readings import build_rules
from tests.engine.tables import SECRET, act, build_match, build_play, build_tile, build_tiles, list_totals

POINTS = build_rules("points")
WITH_BOSS = build_rules("points", "boss=in")


def test_all_domino_examples_except_six_are_placements():
    assert len(DOMINO_PLACEMENTS) == 29
    assert {example.id for example in DOMINOES} - {example.id for example in DOMINO_PLACEMENTS} == {
        "D01",
        "D02",
        "D03",
        "D11",
        "D12",
        "D34",
    }
    rules_by_id = {example.id: example.rules for example in DOMINO_PLACEMENTS}
    assert rules_by_id["D04"] == POINTS
    assert rules_by_id["D09"] == build_rules("points", "tile_set=td56")
    assert rules_by_id["D14"] == build_rules("muggins")
    assert rules_by_id["D30"] == build_rules("muggins", "tile_set=td56 boss=in")
    assert rules_by_id["D20"] == build_rules("star")
    assert rules_by_id["D33"] == build_rules("star", "layout=open")
    assert rules_by_id["D35"] == build_rules("points", "tile_set=mac24")


@covers_all(DOMINO_PLACEMENTS)
@pytest.mark.parametrize("example", DOMINO_PLACEMENTS, ids=lambda example: example.id)
def test_placement_verdict_matches_example(example: Example):
    rules = example.rules
    table = build_match(["0-0-1", "1-1-2"], position=example.layout_text, rules=rules)
    move = build_play(0, example.placement, rules)
    table.seats[0].hand.append(move.tile)

    try:
        (placed,) = act(table, move)
        verdict = placed.points, table.further and table.turn == 0, None
    except RuleError as broken:
        verdict = None, False, broken.why.value

    assert verdict == (example.points, "extra turn" in example.expected, example.violation)


@covers_examples("D34")
def test_rules_without_any_matching_requirement_are_refused():
    (example,) = [example for example in DOMINOES if example.id == "D34"]

    with pytest.raises(OptionError) as excinfo:
        example.rules.require_playable(2)

    error = excinfo.value
    assert (error.why, error.name, error.allowed) == (OptionFault.NOTHING_TO_MATCH, "side_contact", ("all",))


def deal_round(rules: Rules, seats: int) -> Dealt:
    _, dealt = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
    return dealt


@covers_examples("D01")
def test_remainder_of_even_deal_is_set_aside():
    found = deal_round(POINTS, 2)

    assert [len(hand) for hand in found.hands] == [17, 17]
    assert (len(found.aside), found.boneyard) == (1, ())


@covers_examples("D02")
def test_boss_is_dealt_like_any_tile():
    found = deal_round(WITH_BOSS, 4)

    assert [len(hand) for hand in found.hands] == [9] * 4
    assert (found.aside, found.boneyard) == ((), ())
    assert build_tile("BOSS", WITH_BOSS) in {tile for hand in found.hands for tile in hand}


@covers_examples("D03")
def test_highest_triple_opens_and_boss_is_no_triple():
    hands = [build_tiles("444 012", WITH_BOSS), build_tiles("333 BOSS", WITH_BOSS)]

    assert WITH_BOSS.find_opening(hands) == (0, build_tiles("444", WITH_BOSS))
    assert WITH_BOSS.find_opening(hands[::-1]) == (1, build_tiles("444", WITH_BOSS))


@covers_examples("D11")
def test_going_out_earns_pips_of_others_and_boss_has_none():
    table = build_match(["013", "012", "444 BOSS"], position="U0,0=333", rules=WITH_BOSS)

    placed, over, end = act(table, build_play(0, "D0,0=013", WITH_BOSS))

    assert (placed.points, over.out, over.awards) == (0, 0, (15, 0, 0))
    assert end == MatchEnded((15, 0, 0), (1, 2, 2), end.secret)
    assert list_totals(table) == [15, 0, 0]


@covers_examples("D12")
def test_lowest_hand_of_blocked_deal_earns_differences():
    hands = ["124", "444", "334 244"]
    table = build_match(hands, position="U0,0=000", rules=POINTS, turn=2, failed=[0, 1])

    passed, over, end = act(table, Pass(2))

    assert [sum(map(sum, hand)) for hand in over.hands] == [7, 12, 20]
    assert (passed.points, over.out, over.awards) == (0, None, (18, 0, 0))
    assert end == MatchEnded((18, 0, 0), (1, 2, 2), end.secret)
