"""The invariants of RULES §9 that a match of any game keeps, on whole matches from random shuffles and choices:

* table, hands, boneyard and what was set aside are exactly the set at every moment, with its number of pips;
* a player's total is the sum of what was logged for him, and replaying any part of the log gives that moment again;
* nobody draws or passes who could play, and nobody else may choose for the seat whose turn it is;
* a round ends with the award of its game, and whoever has the most, or won the only round, wins.

What single games promise is in `test_quads_properties`, `test_dominoes_properties` and, for Triominoes, in
`test_match_properties` and `test_reading_properties`.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Choose, Draw, Pass
from engine.choosing import options
from engine.decide import decide
from engine.errors import RuleBroken, Why
from engine.events import Chose, MatchEnded, Passed, Placed, RoundEnded
from engine.match import replay
from engine.rules import Rules
from engine.tiles import pips
from tests.depth import deep
from tests.engine.others import DOMINOES, PIPS, QUADS, TRIOKER, everything, playout
from tests.engine.tables import Playout, state, totals

every_table = pytest.mark.parametrize(
    "rules", [*QUADS.values(), *DOMINOES.values(), *TRIOKER.values()], ids=[*QUADS, *DOMINOES, *TRIOKER]
)
some, few = settings(max_examples=deep(6)), settings(max_examples=deep(3))
chances = st.integers(0, 2**32).map(Random)


@every_table
@some
@given(rng=chances)
def test_tiles_are_neither_lost_nor_made(rules: Rules, rng: Random):
    there_is = Counter(rules.tiles)
    of = getattr(rules, "tile_set", None) or getattr(rules, "trioker_values", None)
    assert sum(map(pips, there_is)) == PIPS[of]

    played = playout(rng, rules, resigning=0.01)
    for _ in played.steps():
        assert everything(played.match) == there_is


@every_table
@some
@given(rng=chances)
def test_a_total_is_the_sum_of_what_was_logged(rules: Rules, rng: Random):
    played = playout(rng, rules, resigning=0.01)
    ledger = [0] * played.seats
    for _, happened in played.steps():
        for event in happened:
            match event:
                case Placed() | Passed() | Chose():
                    ledger[event.seat] += event.points
                case RoundEnded(awards=awards):
                    ledger = [total + award for total, award in zip(ledger, awards, strict=True)]
                case MatchEnded(totals=final):
                    assert list(final) == ledger
        assert totals(played.match) == ledger


@every_table
@few
@given(rng=chances, moment=st.integers(1, 60))
def test_replaying_any_part_of_the_log_gives_that_moment_again(rules: Rules, rng: Random, moment: int):
    played = playout(rng, rules, resigning=0.005)
    for count, _ in enumerate(played.steps(), 1):
        if count == moment:
            break

    assert state(replay(played.log)) == state(played.match)


@every_table
@few
@given(rng=chances)
def test_nobody_draws_passes_or_chooses_who_may_not(rules: Rules, rng: Random):
    played = playout(rng, rules)
    table = played.match
    for _ in played.steps():
        if table.ended:
            break
        seat, other = table.turn, table.next_active(table.turn)
        for action in (Draw(other), Pass(other), Choose(other, "points"), Choose(other, "stop")):
            assert refusal(played, action) is Why.NOT_YOUR_TURN
        free = not (table.choosing or table.bonus_tiles or table.further)
        can = bool(table.legal(seat))
        for action in (Draw(seat), Pass(seat)):
            if not free:
                assert refusal(played, action) is (Why.MUST_CHOOSE if options(table) else Why.MUST_PLAY)
            elif can:
                assert refusal(played, action) is Why.MUST_PLAY
            else:
                draws = table.can_draw()
                right = None if isinstance(action, Draw) == draws else Why.MUST_DRAW if draws else Why.BONEYARD_EMPTY
                assert refusal(played, action) is right
        for option in ("points", "tiles", "stop"):
            assert (refusal(played, Choose(seat, option)) is None) == (option in options(table))


def refusal(played: Playout, action: Draw | Pass | Choose) -> Why | None:
    try:
        decide(played.match, action, played.secret)
    except RuleBroken as broken:
        return broken.why
    return None


@every_table
@some
@given(rng=chances)
def test_a_round_ends_with_the_award_of_its_game(rules: Rules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            if not isinstance(event, RoundEnded):
                continue
            held = [sum(pips(tile) for tile in hand) for hand in event.hands]
            assert list(event.awards) == (blocked(rules, event) if event.out is None else went_out(rules, event, held))


def went_out(rules: Rules, event: RoundEnded, held: list[int]) -> list[int]:
    """Whoever goes out wins what all others hold; in Star only where that is played."""
    assert event.out is not None
    assert not event.hands[event.out]
    pays = rules.family != "star" or rules.star_out_bonus == "on"
    return [sum(held) if pays and seat == event.out else 0 for seat in range(len(held))]


def blocked(rules: Rules, event: RoundEnded) -> list[int]:
    """The lowest hands win the differences; the fewest tiles in Trioker, nobody in Star and by default in quads."""
    held = [sum(pips(tile) for tile in hand) for hand in event.hands]
    if rules.family == "star" or (rules.family == "quads" and rules.blocked_award == "none"):
        return [0] * len(held)
    lightest = lightest_hands(rules, event)
    return [sum(max(0, other - own) for other in held) if seat in lightest else 0 for seat, own in enumerate(held)]


def lightest_hands(rules: Rules, event: RoundEnded) -> list[int]:
    """The seats whose hands win a blocked round: the fewest pips, in Trioker the fewest tiles before that."""
    weight = [(len(hand) * (rules.family == "trioker"), sum(map(pips, hand))) for hand in event.hands]
    return [seat for seat, own in enumerate(weight) if own == min(weight)]


@every_table
@some
@given(rng=chances)
def test_who_wins_is_who_has_the_most_or_won_the_only_round(rules: Rules, rng: Random):
    played = playout(rng, rules)
    last = None
    for _, happened in played.steps():
        last = next((event for event in happened if isinstance(event, RoundEnded)), last)
    ended = played.match.ended
    assert ended is not None
    winners = [seat for seat, place in enumerate(ended.places) if place == 1]
    best = [seat for seat, total in enumerate(ended.totals) if total == max(ended.totals)]
    scores_besides = rules.family == "star" or (rules.family == "trioker" and rules.trioker_bonuses == "on")
    if rules.target or scores_besides:
        assert winners == best
        assert rules.target == 0 or max(ended.totals) >= rules.target
    else:
        # One deal decides: whoever goes out wins it, even if the others hold nothing that counts.
        assert last is not None
        assert winners == (lightest_hands(rules, last) if last.out is None else [last.out])
