"""Trioker's options (RULES §6), each on a table where its readings part."""

from engine.decide import start
from engine.errors import Why
from engine.rules import Rules
from tests.engine.partings import parts, verdict
from tests.engine.tables import SECRET, act, match, play


@parts("trioker", "trioker_values", {"4": (24, 108), "5": (45, 270), "6": (76, 570)})
def test_the_numbers_run_to_three_four_or_five(rules: Rules) -> object:
    return len(rules.tiles), sum(map(sum, rules.tiles))


@parts("trioker", "trioker_values", {"4": [12, 8, 6], "5": [22, 15, 11], "6": [38, 25, 19]})
def test_all_tiles_are_dealt_evenly_and_nothing_can_be_drawn(rules: Rules) -> object:
    sizes = []
    for seats in (2, 3, 4):
        _, dealt = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
        assert dealt.boneyard == ()
        assert len(dealt.aside) == len(rules.tiles) - sum(map(len, dealt.hands))
        sizes.append(len(dealt.hands[0]))
    return sizes


@parts("trioker", "trioker_joker", {"off": (24, Why.NO_SUCH_TILE), "on": (25, None)})
def test_the_joker_plays_or_not(rules: Rules) -> object:
    # Its wild corner meets the 3.
    return len(rules.tiles), verdict(rules, "U0,0=003", "D0,0=00J")


@parts("trioker", "trioker_bonuses", {"off": (1, 2), "on": (2, 1)}, under="trioker_values=6")
def test_who_goes_out_wins_unless_other_points_are_scored_too(rules: Rules) -> object:
    table = match(["333", "012"], position="U0,0=033", totals=[0, 100], rules=rules)
    act(table, play(0, "D0,0=333", rules))
    assert table.ended is not None
    return table.ended.places


@parts("trioker", "trioker_board", {"unbounded": None, "hexagon": Why.OFF_THE_BOARD})
def test_the_table_has_an_edge_or_not(rules: Rules) -> object:
    return verdict(rules, "U0,0=000 D0,0=010 U1,0=012", "D1,0=132")


@parts("trioker", "target", {"0": "MatchEnded", "100": "Dealt"})
def test_one_deal_decides_unless_points_are_played_to(rules: Rules) -> object:
    table = match(["333", "012"], position="U0,0=033", rules=rules)
    return type(act(table, play(0, "D0,0=333", rules))[-1]).__name__
