"""Options that printed sheets and rule pages have (docs/reference/rules.md §3.2): examples calculated by hand."""

from random import Random

import pytest

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.board.tiles import is_triple
from engine.match.actions import Draw, Pass
from engine.match.decide import decide, start
from engine.match.errors import OptionError, OptionFault
from engine.match.events import Dealt, MatchEnded
from engine.match.player_view import view_for
from engine.match.rounds import deal_in_order
from engine.match.rules import Rules
from engine.match.state import apply_event, replay
from engine.players.evaluation_weights import NO_WEIGHTS
from engine.players.levels import build_player
from engine.record import read, rerun, write
from tests.engine.examples import TRIOMINOES
from tests.engine.option_differences import parametrize_option
from tests.engine.readings import build_rules, build_triominoes_rules
from tests.engine.tables import (
    SECRET,
    Playout,
    act,
    build_board,
    build_match,
    build_placement,
    build_play,
    build_tiles,
    capture_state,
    list_totals,
)

FIVES = "U0,0=555"


def score_examples(rules: Rules, *names: str) -> list[int]:
    rows = [row for row in TRIOMINOES if row.id in names]
    return [rules.score_placement(build_board(row.position), build_placement(row.placement)).points for row in rows]


@parametrize_option(
    "triominoes",
    "scoring",
    {"usual": [60, 110, 160, 47, 25, 41, -25, [4, -10]], "children": [2, 3, 4, 2, 1, 6, 0, [0, 0]]},
)
def test_childrens_scoring_counts_tiles_figures_and_going_out(rules: Rules) -> object:
    """Goliath XXL, page 16: 1 a tile, 1 more for a bridge, 1, 2, 3 for hexagons, 5 for going out, no minus points."""
    out = build_match(["2-5-5", "0-0-4"], position=FIVES, rules=rules)
    act(out, build_play(0, "D0,0=525"))
    failed = build_match(["0-1-2", "4-5-5"], position=FIVES, boneyard="0-0-1 0-0-2 0-0-3 0-0-4", rules=rules)
    act(failed, Draw(0), Draw(0), Draw(0), Pass(0))
    blocked = build_match(["0-0-1", "0-1-4"], position=FIVES, turn=1, failed=[0], rules=rules)
    act(blocked, Pass(1))
    opening = rules.score_placement(rules.build_board(), build_placement(FIVES)).points
    scores = score_examples(rules, "T25", "T26", "T28", "T30")
    return [*scores, opening, list_totals(out)[0], list_totals(failed)[0], list_totals(blocked)]


@parametrize_option("triominoes", "zero_opening_score", {"40": 40, "30": 30})
def test_opening_with_zeros_scores_forty_or_thirty(rules: Rules) -> object:
    return rules.score_placement(rules.build_board(), build_placement("U0,0=000")).points


@parametrize_option("triominoes", "hand_size", {"0": [9, 7, 6], "7": [7, 7, 7], "9": [9, 9, 9]})
def test_hand_size_depends_on_players_or_is_fixed(rules: Rules) -> object:
    return [
        len(start(rules, seats=seats, computers=(), by_hand=True, secret=SECRET)[1].hands[0]) for seats in (2, 4, 6)
    ]


@parametrize_option(
    "triominoes",
    "opening_no_triple",
    {"highest_sum": (1, [2, 2], "4-5-5"), "draw_until_triple": (0, [4, 3], "2-2-2")},
    other_options="hand_size=2",
)
def test_without_triple_highest_sum_opens_or_players_draw(rules: Rules) -> object:
    """htfbw.com: if no player drew a triple, each draws until one is found. A draws 0-1-1, B 0-1-3, A 2-2-2."""
    order = build_tiles("0-0-1 0-0-2 4-5-5 0-0-3 0-1-1 0-1-3 2-2-2 3-3-3")
    dealt = deal_in_order(rules, (0, 1), 2, 1, order, 0)
    assert (*dealt.hands[0], *dealt.hands[1], *dealt.boneyard)[-1] == (3, 3, 3)
    return dealt.opener, [len(hand) for hand in dealt.hands], "-".join(map(str, *dealt.choices))


def test_winner_of_blocked_round_takes_all_that_others_hold():
    # A review of 1997: hands of 23, 15 and 27 points with 2, 3 and 4 tiles give 42, 0, 0; by points, 0, 50, 0.
    rules = build_triominoes_rules("blocked_bonus=others_all")
    assert rules.compute_block_awards([23, 15, 27], [2, 3, 4]) == [0, 50, 0]
    fewest = rules.with_option("blocked_winner", "fewest_tiles")
    assert fewest.compute_block_awards([23, 15, 27], [2, 3, 4]) == [42, 0, 0]


@parametrize_option("triominoes", "rounds", {"0": (False, None), "1": (True, (2, 1)), "2": (False, None)})
def test_match_ends_after_its_rounds_or_at_its_target(rules: Rules) -> object:
    table = build_match(["2-5-5", "0-0-4"], position=FIVES, totals=[0, 399 + rules.rounds], rules=rules)
    act(table, build_play(0, "D0,0=525"))
    return table.ended is not None, table.ended and table.ended.places


@parametrize_option(dict.fromkeys(list_games(), "target=1"), "rounds", {"1": 1, "3": 3})
def test_every_game_can_be_played_over_fixed_number_of_rounds(rules: Rules) -> object:
    # The target of 1 would end the match earlier.
    playout = Playout(Random(rules.game), 2, rules=rules)
    playout.play()
    totals = playout.match.ended.totals
    assert rules.is_one_deal or playout.match.ended.places == tuple(
        1 + sum(other > total for other in totals) for total in totals
    )
    return sum(isinstance(event, Dealt) for event in playout.log)


@parametrize_option(" ".join(list_games()), "head_start", {"0": [0, 0, 0], "0/700": [0, 700, 0]})
def test_head_start_counts_from_first_deal_to_result(rules: Rules) -> object:
    playout = Playout(Random(4), 3, rules=rules)
    before = list_totals(playout.match)
    playout.play()
    gained = [total - start for total, start in zip(list_totals(playout.match), before, strict=True)]
    # No game gives as much in a deal, so whoever went out does not win.
    assert max(gained) > 700 or playout.match.ended.places[1] == 1 or not any(before)
    return before


@pytest.mark.parametrize(
    ("options", "seats", "why", "name"),
    [
        ("head_start=50/0/20", 2, OptionFault.UNPLAYABLE, "head_start"),
        ("head_start=0/400", 2, OptionFault.UNPLAYABLE, "head_start"),
        ("hand_size=10", 6, OptionFault.TOO_FEW_TILES, "hand_size"),
        ("hand_size=1", 2, OptionFault.UNPLAYABLE, "hand_size"),
    ],
)
def test_options_that_fit_no_table_are_refused(options: str, seats: int, why: OptionFault, name: str):
    rules = build_triominoes_rules(options)
    with pytest.raises(OptionError) as refused:
        rules.require_playable(seats)
    assert (refused.value.why, refused.value.name) == (why, name)
    build_triominoes_rules(f"{options} rounds=3").with_option(name, refused.value.allowed[0]).require_playable(seats)


PLAYED = [
    ("triominoes", "rounds=2"),
    ("triominoes", "hand_size=5 target=60"),
    ("triominoes", "blocked_bonus=others_all blocked_winner=fewest_tiles hand_size=9 target=60"),
    ("triominoes", "opening_no_triple=draw_until_triple hand_size=3 rounds=4"),
    ("triominoes", "scoring=children rounds=2"),
    ("triominoes", "zero_opening_score=30 hexagon_scale=flat target=60"),
    ("triominoes", "head_start=30/0/20 target=90"),
    ("quad-ominos", "rounds=1 head_start=0/40"),
    ("star", "rounds=2 head_start=5"),
]


@pytest.mark.parametrize(("game", "options"), PLAYED)
def test_match_of_computers_is_replayed_from_its_record(game: str, options: str):
    rules, secret, rng = build_rules(game, options), Random(options).randbytes(32), Random(options)
    log = start(rules, seats=3, computers=(0, 1, 2), by_hand=False, secret=secret)
    match, players = (
        replay(log),
        [build_player(name, rules, load_weights(rules)) for name in ("easy", "medium", "hard")],
    )
    while not match.ended:
        action = players[match.turn].choose(view_for(match, match.turn), rng)
        for event in decide(match, action, secret):
            apply_event(match, event)
            log.append(event)

    text = write(log, load_rules(game))
    hidden = "\n".join(line for line in text.split("\n") if not line.startswith(("secret:", "commitment:")))
    checked, unproved = (rerun(read(one, load_rules)) for one in (text, hidden))

    assert (checked.faults, checked.is_proved, unproved.faults) == ([], True, [])
    assert checked.log == log
    assert isinstance(log[-1], MatchEnded)
    assert capture_state(checked.match) == capture_state(match)
    if "draw_until" in options:
        deals = [event for event in log if isinstance(event, Dealt)]
        assert any(len(event.hands[0]) > 3 for event in deals)
        assert all(is_triple(event.choices[0]) for event in deals)
    assert (load_weights(rules) == NO_WEIGHTS) == ("children" in options)
