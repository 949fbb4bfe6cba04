"""The worked examples of RULES §8.3 (Triangular Dominoes), played by real decisions."""

import pytest

from engine.match.actions import Pass
from engine.match.decide import start
from engine.match.errors import OptionError, OptionFault, RuleError
from engine.match.events import Dealt, MatchEnded
from engine.match.rules import Rules
from tests.engine.examples import DOMINO_PLACEMENTS, DOMINOES, Example, reads, shows
from tests.engine.readings import read
from tests.engine.tables import SECRET, act, match, play, tile, tiles, totals

POINTS = read("points")
WITH_BOSS = read("points", "boss=in")


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
    played = {example.id: example.rules for example in DOMINO_PLACEMENTS}
    assert played["D04"] == POINTS
    assert played["D09"] == read("points", "tile_set=td56")
    assert played["D14"] == read("muggins")
    assert played["D30"] == read("muggins", "tile_set=td56 boss=in")
    assert played["D20"] == read("star")
    assert played["D33"] == read("star", "layout=open")
    assert played["D35"] == read("points", "tile_set=mac24")


@reads(DOMINO_PLACEMENTS)
@pytest.mark.parametrize("example", DOMINO_PLACEMENTS, ids=lambda example: example.id)
def test_placement_verdict_matches_example(example: Example):
    rules = example.rules
    table = match(["0-0-1", "1-1-2"], position=example.table, rules=rules)
    move = play(0, example.placed, rules)
    table.seats[0].hand.append(move.tile)

    try:
        (placed,) = act(table, move)
        verdict = placed.points, table.further and table.turn == 0, None
    except RuleError as broken:
        verdict = None, False, broken.why.value

    assert verdict == (example.points, example.extra_turn, example.why)


@shows("D34")
def test_rules_without_any_matching_requirement_are_refused():
    (example,) = [example for example in DOMINOES if example.id == "D34"]

    with pytest.raises(OptionError) as refused:
        example.rules.require_playable(2)

    assert (refused.value.why, refused.value.name, refused.value.allowed) == (
        OptionFault.NOTHING_TO_MATCH,
        "side_contact",
        ("all",),
    )


def dealt(rules: Rules, seats: int) -> Dealt:
    _, found = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
    assert isinstance(found, Dealt)
    return found


@shows("D01")
def test_remainder_of_even_deal_is_set_aside():
    found = dealt(POINTS, 2)

    assert [len(hand) for hand in found.hands] == [17, 17]
    assert (len(found.aside), found.boneyard) == (1, ())


@shows("D02")
def test_boss_is_dealt_like_any_tile():
    found = dealt(WITH_BOSS, 4)

    assert [len(hand) for hand in found.hands] == [9] * 4
    assert (found.aside, found.boneyard) == ((), ())
    assert tile("BOSS", WITH_BOSS) in {tile for hand in found.hands for tile in hand}


@shows("D03")
def test_highest_triple_leads_and_boss_is_none():
    hands = [tiles("444 012", WITH_BOSS), tiles("333 BOSS", WITH_BOSS)]

    assert WITH_BOSS.find_opening(hands) == (0, tiles("444", WITH_BOSS))
    assert WITH_BOSS.find_opening(hands[::-1]) == (1, tiles("444", WITH_BOSS))


@shows("D11")
def test_going_out_earns_pips_of_others_and_boss_has_none():
    table = match(["013", "012", "444 BOSS"], position="U0,0=333", rules=WITH_BOSS)

    placed, over, end = act(table, play(0, "D0,0=013", WITH_BOSS))

    assert (placed.points, over.out, over.awards) == (0, 0, (15, 0, 0))
    assert end == MatchEnded((15, 0, 0), (1, 2, 2), end.secret)
    assert totals(table) == [15, 0, 0]


@shows("D12")
def test_lowest_hand_of_blocked_deal_earns_differences():
    hands = ["124", "444", "334 244"]
    table = match(hands, position="U0,0=000", rules=POINTS, turn=2, failed=[0, 1])

    passed, over, end = act(table, Pass(2))

    assert [sum(map(sum, hand)) for hand in over.hands] == [7, 12, 20]
    assert (passed.points, over.out, over.awards) == (0, None, (18, 0, 0))
    assert end == MatchEnded((18, 0, 0), (1, 2, 2), end.secret)
