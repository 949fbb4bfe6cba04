"""The invariants of RULES §9 for matches of any game, on whole matches with random shuffles and choices:

* a round ends with the award of its game, and the seat with the most points, or the winner of the only round, wins;
* Quad-Ominos: points come as sums 0 to 20 and as 25, and are lost in twenties; with `bonus_chain` off a turn has two
  bonus tiles at most, which are offered exactly when they can be placed; no seat has the target when a turn begins;
* dominoes: in Star all points are multiples of five, in Points and Muggins only the end of a round scores; hands differ
  by one tile, by what was passed or drawn and by what further turns placed;
* Trioker: only the end of a round scores, unless bonuses do.

Those of Triominoes are in `test_reading_properties`. That no tile and no point is lost, and that a log replays, is in
`test_matches`; what a seat may do in its turn is in `test_simulation`.
"""

from collections import Counter
from random import Random

import pytest

from engine.board.tiles import count_pips
from engine.families import DominoRules, QuadRules, TriokerRules
from engine.match.decide import list_options
from engine.match.events import Chose, Dealt, Drew, Passed, Placed, RoundEnded
from engine.match.rules import Rules
from engine.match.turns import can_place_another
from tests.engine import naive_squares
from tests.engine.random_layouts import grow_layout, place_layout, to_naive, to_naive_layout
from tests.engine.random_play import DOMINOES, QUADS, TRIOKER, build_playout
from tests.engine.readings import given_rules, rngs
from tests.engine.tables import list_totals

ALL_TABLES = {**QUADS, **DOMINOES, **TRIOKER}


@given_rules(ALL_TABLES, 4, rng=rngs)
def test_round_ends_with_award_of_its_game(rules: Rules, rng: Random):
    playout = build_playout(rng, rules)
    for event in playout.iterate_events():
        if not isinstance(event, RoundEnded):
            continue
        held = [sum(count_pips(tile) for tile in hand) for hand in event.hands]
        assert list(event.awards) == (
            compute_blocked_awards(rules, event) if event.out is None else compute_out_awards(rules, event, held)
        )


def compute_out_awards(rules: Rules, event: RoundEnded, weights: list[int]) -> list[int]:
    assert not event.hands[event.out]
    has_out_award = rules.family != "star" or rules.star_out_bonus == "on"
    return [sum(weights) if has_out_award and seat == event.out else 0 for seat in range(len(weights))]


def compute_blocked_awards(rules: Rules, event: RoundEnded) -> list[int]:
    weights = [sum(count_pips(tile) for tile in hand) for hand in event.hands]
    if rules.family == "star" or (rules.family == "quads" and rules.blocked_award == "none"):
        return [0] * len(weights)
    lightest = list_lightest_hands(rules, event)
    return [
        sum(max(0, other - own) for other in weights) if seat in lightest else 0 for seat, own in enumerate(weights)
    ]


def list_lightest_hands(rules: Rules, event: RoundEnded) -> list[int]:
    weights = [(len(hand) * (rules.family == "trioker"), sum(map(count_pips, hand))) for hand in event.hands]
    return [seat for seat, own in enumerate(weights) if own == min(weights)]


@given_rules(ALL_TABLES, 4, rng=rngs)
def test_winner_has_most_points_or_won_single_round(rules: Rules, rng: Random):
    playout = build_playout(rng, rules)
    last = None
    for _, events in playout.iterate_steps():
        last = next((event for event in events if isinstance(event, RoundEnded)), last)
    ended = playout.match.ended
    winners = [seat for seat, place in enumerate(ended.places) if place == 1]
    best = [seat for seat, total in enumerate(ended.totals) if total == max(ended.totals)]
    scores_during_round = rules.family == "star" or (rules.family == "trioker" and rules.trioker_bonuses == "on")
    if rules.target or scores_during_round:
        assert winners == best
        assert rules.target == 0 or max(ended.totals) >= rules.target
    else:
        assert winners == (list_lightest_hands(rules, last) if last.out is None else [last.out])


@given_rules(QUADS, 4, rng=rngs)
def test_quad_ominos_points_are_sums_bonuses_and_penalties_of_twenty(rules: QuadRules, rng: Random):
    playout = build_playout(rng, rules)
    for event in playout.iterate_events():
        match event:
            case Placed():
                assert event.base == sum(event.tile) in range(21)
                assert (event.bonus, event.points) == (0, event.base - 20 * event.drawn)
            case Chose(option="points" | "both"):
                assert event.points == 25
            case Chose():
                assert event.points == 0
            case Passed():
                over = 20 if not event.drawn or rules.well_exhausted_penalty == "additional" else 0
                assert event.points == -20 * event.drawn - over


@given_rules(QUADS, 4, rng=rngs)
def test_turn_has_at_most_two_bonus_tiles_without_chain(rules: QuadRules, rng: Random):
    playout = build_playout(rng, rules)
    tiles_in_turn, seat, is_opening = 0, None, True
    for event in playout.iterate_events():
        if isinstance(event, Dealt):
            seat, is_opening = None, True
        if not isinstance(event, Placed | Chose | Drew | Passed):
            continue
        if event.seat != seat:
            tiles_in_turn, seat = 0, event.seat
        if isinstance(event, Chose):
            assert event.tiles in (0, 2)
        if isinstance(event, Placed):
            tiles_in_turn += 1
            is_quad_opening = is_opening and len(set(event.tile)) == 1
            earns_bonus = is_quad_opening or event.matched >= 3
            assert (event.follows == "choice") == (earns_bonus and (tiles_in_turn == 1 or rules.bonus_chain == "on"))
            assert tiles_in_turn <= 3 or rules.bonus_chain == "on"
            is_opening = False
        if isinstance(event, Passed) or (isinstance(event, Placed) and event.follows == "next"):
            seat = None


@given_rules(QUADS, 2, rng=rngs)
def test_bonus_tiles_are_offered_exactly_when_they_can_be_placed(rules: QuadRules, rng: Random):
    playout = build_playout(rng, rules)
    table, least = playout.match, 1 if rules.partial_bonus == "on" else 2
    for _ in playout.iterate_steps():
        if table.ended:
            break
        hand = [tuple(sorted(tile)) for tile in table.seats[table.turn].hand]
        if table.choosing and rng.random() < 0.5:
            is_possible = naive_squares.can_place_bonus_tiles(
                to_naive_layout(table.board), hand, rules.quad_arrangement, least
            )
            assert list_options(table) == (("points", "tiles") if is_possible else ("points",))
        if table.bonus_tiles == 2:
            layout = to_naive_layout(table.board)
            first = {
                move
                for move in naive_squares.list_moves(layout, rules.quad_arrangement)
                if (tile := naive_squares.find_tile(move[1], rules.quad_arrangement)) in hand
                and naive_squares.can_place_bonus_tiles(
                    [*layout, move], [one for one in hand if one != tile], rules.quad_arrangement, least - 1
                )
            }
            if first or rules.bonus_chain == "off":
                assert {to_naive(move) for move in table.list_legal_moves(table.turn)} == first
            else:
                assert table.list_legal_moves(table.turn) == table.board.list_legal_moves(table.seats[table.turn].hand)


@given_rules(QUADS, 4, rng=rngs)
def test_no_total_reaches_target_before_a_turn_begins(rules: QuadRules, rng: Random):
    playout = build_playout(rng, rules)
    table, seat = playout.match, None
    for _ in playout.iterate_steps():
        if table.ended or rules.target_check == "round_end":
            continue
        is_turn_start = not (table.choosing or table.bonus_tiles or table.drawn)
        if is_turn_start and seat != table.turn:
            assert max(list_totals(table)) < rules.target
        seat = table.turn
    assert max(table.ended.totals) >= rules.target


@pytest.mark.parametrize("rules", QUADS.values(), ids=QUADS)
def test_second_tile_check_equals_reference_implementation_for_small_hands(rules: QuadRules):
    rng, arrangement, coverage = Random(4), rules.quad_arrangement, set()
    for _ in range(15):
        table = place_layout(rules, grow_layout(rng, rng.randrange(1, 25), rules))
        layout = to_naive_layout(table)
        remaining = [tile for tile in rules.tiles if all(placement.tile != tile for placement in table.placed.values())]
        hand = rng.sample(remaining, rng.choice([2, 2, 3]))
        after = {
            first: can_place_another(table.tableau.copy(), table.plies_by_placement[first], table.to_mask(hand))
            for first in table.list_legal_moves(hand)
        }
        for first, is_possible in after.items():
            rest = [tuple(sorted(tile)) for tile in hand if tile != first.tile]
            assert is_possible == naive_squares.can_place_bonus_tiles([*layout, to_naive(first)], rest, arrangement, 1)
        numbers = [tuple(sorted(tile)) for tile in hand]
        assert any(after.values()) == naive_squares.can_place_bonus_tiles(layout, numbers, arrangement)
        coverage |= {*after.values()}
    assert coverage == {True, False}


@given_rules(DOMINOES, 4, rng=rngs)
def test_dominoes_score_only_as_their_game_says(rules: DominoRules, rng: Random):
    playout = build_playout(rng, rules)
    is_opening = True
    for event in playout.iterate_events():
        match event:
            case Placed() if is_opening or rules.family != "star":
                assert event.points == 0
                is_opening = False
            case Placed():
                assert event.points % 5 == 0
                assert event.points >= 0
            case Passed() | Chose():
                assert event.points == 0
            case Dealt():
                is_opening = True


@given_rules(DOMINOES, 4, rng=rngs)
def test_domino_hand_sizes_follow_passes_draws_and_further_turns(rules: DominoRules, rng: Random):
    playout = build_playout(rng, rules)
    size = len(rules.tiles) // playout.seats
    # Additional tiles of turns, turns without a tile, and drawn tiles.
    turns: Counter[int] = Counter()
    extra_tiles: Counter[int] = Counter()
    is_further_turn = False
    for _, events in playout.iterate_steps():
        for event in events:
            match event:
                case Dealt():
                    turns, extra_tiles, is_further_turn = Counter(), Counter(), False
                case Drew():
                    extra_tiles[event.seat] += 1
                case Placed():
                    extra_tiles[event.seat] -= is_further_turn
                    turns[event.seat] += not is_further_turn
                    is_further_turn = event.follows == "further"
                case Passed():
                    extra_tiles[event.seat] += 1
                    turns[event.seat] += 1
                case Chose():
                    is_further_turn = False
        table = playout.match
        if not table.ended and not table.round_over:
            for number, seat in enumerate(table.seats):
                assert len(seat.hand) == size - turns[number] + extra_tiles[number]
            turn_counts = [turns[seat] for seat in range(playout.seats)]
            assert max(turn_counts) - min(turn_counts) <= 1


@given_rules(TRIOKER, 4, rng=rngs)
def test_trioker_scores_at_end_of_round_unless_bonuses_are_played(rules: TriokerRules, rng: Random):
    playout = build_playout(rng, rules)
    for event in playout.iterate_events():
        if isinstance(event, Placed):
            assert event.base == 0
            assert event.bonus in ((0, 40, 50, 100, 150) if rules.trioker_bonuses == "on" else (0,))
            assert event.points == event.bonus
        if isinstance(event, Passed):
            assert event.points == 0
