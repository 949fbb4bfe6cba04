"""The invariants of RULES §9 that a match of Points, Muggins, Star and Trioker keeps, on whole random matches:

* in Star all points are multiples of five, in Points and Muggins only the end of a round scores;
* hands differ by one tile, by what was passed or drawn and by what further turns placed;
* in Trioker only the end of a round scores, unless bonuses do.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Chose, Dealt, Drew, Passed, Placed
from engine.families import DominoRules, TriokerRules
from tests.depth import deep
from tests.engine.others import DOMINOES, TRIOKER, playout

every_dominoes = pytest.mark.parametrize("rules", DOMINOES.values(), ids=DOMINOES)
every_trioker = pytest.mark.parametrize("rules", TRIOKER.values(), ids=TRIOKER)
some = settings(max_examples=deep(6))
chances = st.integers(0, 2**32).map(Random)


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
def test_hands_differ_by_one_tile_by_passes_and_by_further_turns(rules: DominoRules, rng: Random):
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
def test_trioker_scores_at_the_end_of_a_round_unless_bonuses_are_played(rules: TriokerRules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            if isinstance(event, Placed):
                assert event.base == 0
                assert event.bonus in ((0, 40, 50, 100, 150) if rules.trioker_bonuses == "on" else (0,))
                assert event.points == event.bonus
            if isinstance(event, Passed):
                assert event.points == 0
