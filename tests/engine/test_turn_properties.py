"""The invariants of RULES §9 that a match of any game keeps, on whole matches from random shuffles and choices:

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
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.tiles import count_pips
from engine.families import DominoRules, QuadRules, TriokerRules
from engine.match.decide import list_options
from engine.match.events import Chose, Dealt, Drew, Passed, Placed, RoundEnded
from engine.match.rules import Rules
from engine.match.turns import can_place_another
from tests.depth import scaled
from tests.engine import naive_squares
from tests.engine.growing import as_naive, grown, laid, plain
from tests.engine.random_play import DOMINOES, QUADS, TRIOKER, playout
from tests.engine.tables import totals

every_table = pytest.mark.parametrize(
    "rules", [*QUADS.values(), *DOMINOES.values(), *TRIOKER.values()], ids=[*QUADS, *DOMINOES, *TRIOKER]
)
every_quads = pytest.mark.parametrize("rules", QUADS.values(), ids=QUADS)
every_dominoes = pytest.mark.parametrize("rules", DOMINOES.values(), ids=DOMINOES)
every_trioker = pytest.mark.parametrize("rules", TRIOKER.values(), ids=TRIOKER)
some, few = settings(max_examples=scaled(4)), settings(max_examples=scaled(2))
chances = st.integers(0, 2**32).map(Random)


@every_table
@some
@given(rng=chances)
def test_round_ends_with_award_of_its_game(rules: Rules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            if not isinstance(event, RoundEnded):
                continue
            held = [sum(count_pips(tile) for tile in hand) for hand in event.hands]
            assert list(event.awards) == (blocked(rules, event) if event.out is None else went_out(rules, event, held))


def went_out(rules: Rules, event: RoundEnded, held: list[int]) -> list[int]:
    assert event.out is not None
    assert not event.hands[event.out]
    pays = rules.family != "star" or rules.star_out_bonus == "on"
    return [sum(held) if pays and seat == event.out else 0 for seat in range(len(held))]


def blocked(rules: Rules, event: RoundEnded) -> list[int]:
    held = [sum(count_pips(tile) for tile in hand) for hand in event.hands]
    if rules.family == "star" or (rules.family == "quads" and rules.blocked_award == "none"):
        return [0] * len(held)
    lightest = lightest_hands(rules, event)
    return [sum(max(0, other - own) for other in held) if seat in lightest else 0 for seat, own in enumerate(held)]


def lightest_hands(rules: Rules, event: RoundEnded) -> list[int]:
    weight = [(len(hand) * (rules.family == "trioker"), sum(map(count_pips, hand))) for hand in event.hands]
    return [seat for seat, own in enumerate(weight) if own == min(weight)]


@every_table
@some
@given(rng=chances)
def test_winner_has_most_points_or_won_single_round(rules: Rules, rng: Random):
    played = playout(rng, rules)
    last = None
    for _, happened in played.steps():
        last = next((event for event in happened if isinstance(event, RoundEnded)), last)
    ended = played.match.ended
    winners = [seat for seat, place in enumerate(ended.places) if place == 1]
    best = [seat for seat, total in enumerate(ended.totals) if total == max(ended.totals)]
    scores_besides = rules.family == "star" or (rules.family == "trioker" and rules.trioker_bonuses == "on")
    if rules.target or scores_besides:
        assert winners == best
        assert rules.target == 0 or max(ended.totals) >= rules.target
    else:
        assert winners == (lightest_hands(rules, last) if last.out is None else [last.out])


@every_quads
@some
@given(rng=chances)
def test_quad_ominos_points_are_sums_bonuses_and_penalties_of_twenty(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
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


@every_quads
@some
@given(rng=chances)
def test_turn_has_at_most_two_bonus_tiles_without_chain(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    in_turn, seat, began = 0, None, True
    for _, happened in played.steps():
        for event in happened:
            if isinstance(event, Dealt):
                seat, began = None, True
            if not isinstance(event, Placed | Chose | Drew | Passed):
                continue
            if event.seat != seat:
                in_turn, seat = 0, event.seat
            if isinstance(event, Chose):
                assert event.tiles in (0, 2)
            if isinstance(event, Placed):
                in_turn += 1
                quad = began and len(set(event.tile)) == 1
                earns = quad or event.matched >= 3
                assert (event.follows == "choice") == (earns and (in_turn == 1 or rules.bonus_chain == "on"))
                assert in_turn <= 3 or rules.bonus_chain == "on"
                began = False
            if isinstance(event, Passed) or (isinstance(event, Placed) and event.follows == "next"):
                seat = None


@every_quads
@few
@given(rng=chances)
def test_bonus_tiles_are_offered_exactly_when_they_can_be_placed(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    table, least = played.match, 1 if rules.partial_bonus == "on" else 2
    for _ in played.steps():
        if table.ended:
            break
        hand = [tuple(sorted(tile)) for tile in table.seats[table.turn].hand]
        if table.choosing and rng.random() < 0.5:
            can = naive_squares.bonus_tiles_possible(plain(table.board), hand, rules.quad_arrangement, least)
            assert list_options(table) == (("points", "tiles") if can else ("points",))
        if table.bonus_tiles == 2:
            layout = plain(table.board)
            first = {
                move
                for move in naive_squares.moves(layout, rules.quad_arrangement)
                if (tile := naive_squares.tile_of(move[1], rules.quad_arrangement)) in hand
                and naive_squares.bonus_tiles_possible(
                    [*layout, move], [one for one in hand if one != tile], rules.quad_arrangement, least - 1
                )
            }
            if first or rules.bonus_chain == "off":
                assert {as_naive(move) for move in table.list_legal_moves(table.turn)} == first
            else:
                assert table.list_legal_moves(table.turn) == table.board.list_legal_moves(table.seats[table.turn].hand)


@every_quads
@some
@given(rng=chances)
def test_no_total_reaches_target_before_a_turn_begins(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    table, seat = played.match, None
    for _ in played.steps():
        if table.ended or rules.target_check == "round_end":
            continue
        free = not (table.choosing or table.bonus_tiles or table.drawn)
        if free and seat != table.turn:
            assert max(totals(table)) < rules.target
        seat = table.turn
    assert max(table.ended.totals) >= rules.target


@every_quads
def test_second_tile_check_equals_reference_implementation_for_small_hands(rules: QuadRules):
    rng, how, met = Random(4), rules.quad_arrangement, set()
    for _ in range(15):
        table = laid(rules, grown(rng, rng.randrange(1, 25), rules))
        layout = plain(table)
        left = [tile for tile in rules.tiles if all(lies.tile != tile for lies in table.placed.values())]
        hand = rng.sample(left, rng.choice([2, 2, 3]))
        after = {
            first: can_place_another(table.tableau.copy(), table.plies_by_placement[first], table.to_mask(hand))
            for first in table.list_legal_moves(hand)
        }
        for first, leaves in after.items():
            rest = [tuple(sorted(tile)) for tile in hand if tile != first.tile]
            assert leaves == naive_squares.bonus_tiles_possible([*layout, as_naive(first)], rest, how, 1)
        numbers = [tuple(sorted(tile)) for tile in hand]
        assert any(after.values()) == naive_squares.bonus_tiles_possible(layout, numbers, how)
        met |= {*after.values()}
    assert met == {True, False}


@every_dominoes
@some
@given(rng=chances)
def test_dominoes_score_only_as_their_game_says(rules: DominoRules, rng: Random):
    played = playout(rng, rules)
    began = True
    for _, happened in played.steps():
        for event in happened:
            match event:
                case Placed() if began or rules.family != "star":
                    assert event.points == 0
                    began = False
                case Placed():
                    assert event.points % 5 == 0
                    assert event.points >= 0
                case Passed() | Chose():
                    assert event.points == 0
                case Dealt():
                    began = True


@every_dominoes
@some
@given(rng=chances)
def test_domino_hand_sizes_follow_passes_draws_and_further_turns(rules: DominoRules, rng: Random):
    played = playout(rng, rules)
    size = len(rules.tiles) // played.seats
    # Tiles placed beyond one a turn, turns that placed none, and what was drawn.
    turns: Counter[int] = Counter()
    more: Counter[int] = Counter()
    further = False
    for _, happened in played.steps():
        for event in happened:
            match event:
                case Dealt():
                    turns, more, further = Counter(), Counter(), False
                case Drew():
                    more[event.seat] += 1
                case Placed():
                    more[event.seat] -= further
                    turns[event.seat] += not further
                    further = event.follows == "further"
                case Passed():
                    more[event.seat] += 1
                    turns[event.seat] += 1
                case Chose():
                    further = False
        table = played.match
        if not table.ended and not table.round_over:
            assert [len(seat.hand) for seat in table.seats] == [
                size - turns[seat] + more[seat] for seat in range(played.seats)
            ]
            taken = [turns[seat] for seat in range(played.seats)]
            assert max(taken) - min(taken) <= 1


@every_trioker
@some
@given(rng=chances)
def test_trioker_scores_at_end_of_round_unless_bonuses_are_played(rules: TriokerRules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            if isinstance(event, Placed):
                assert event.base == 0
                assert event.bonus in ((0, 40, 50, 100, 150) if rules.trioker_bonuses == "on" else (0,))
                assert event.points == event.bonus
            if isinstance(event, Passed):
                assert event.points == 0
