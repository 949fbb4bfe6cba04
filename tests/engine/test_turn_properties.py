"""The invariants of RULES §9 that a match of any game keeps, on whole matches from random shuffles and choices:

* table, hands, boneyard and what was set aside are exactly the set at every moment, with its number of pips;
* a player's total is the sum of what was logged for him, and replaying any part of the log gives that moment again;
* Quad-Ominos: points come as sums 0 to 20 and as 25, and are lost in twenties; with `bonus_chain` off a turn has two
  bonus tiles at most, and the tiles are offered exactly when they can be placed; nobody has the target when a turn
  begins; a round is won by the tiles of all others;
* Triangular Dominoes: hands differ by one tile, by what was passed and by what further turns placed; in Star all points
  are multiples of five, in Points and Muggins only the end of a round scores;
* Trioker: only the end of a round scores, unless bonuses do; a blocked round is won by the fewest tiles;
* nobody draws or passes who could play, and nobody else may choose for the seat whose turn it is.

Triominoes has its own in `test_match_properties` and `test_reading_properties`.
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
from engine.events import Chose, Dealt, Drew, MatchEnded, Passed, Placed, RoundEnded
from engine.match import Match, replay
from engine.rules import Rules
from engine.tiles import pips
from tests.engine import naive_squares
from tests.engine.growing import as_naive, plain
from tests.engine.readings import read
from tests.engine.tables import Playout, state, totals

QUADS = {
    options or "quads": read("quad-ominos", options)
    for options in (
        "target=150",
        "target=150 deal=half bonus_chain=on",
        "target=150 deal=half partial_bonus=on quad_arrangement=free",
        "target=100 target_check=round_end blocked_award=differences well_exhausted_penalty=none",
    )
}
DOMINOES = {
    f"{game} {options}".strip(): read(game, options)
    for game, options in (
        ("points", ""),
        ("points", "boss=in tile_set=td56"),
        ("muggins", "boss=in remainder=boneyard"),
        ("muggins", "target=40"),
        ("star", ""),
        ("star", "tile_set=td56 extra_turn=forced star_out_bonus=on"),
        ("star", "star_corner_order=mirror star_sum=all_touching target=60"),
    )
}
TRIOKER = {
    f"trioker {options}".strip(): read("trioker", options)
    for options in ("", "trioker_joker=on trioker_board=hexagon", "trioker_values=5 target=30", "trioker_bonuses=on")
}
PIPS = {"quad125": 1249, "td35": 210, "td56": 420, 4: 108, 5: 270, 6: 570}
"""RULES §1, by the name of the set or by how many numbers it has."""

every_quads = pytest.mark.parametrize("rules", QUADS.values(), ids=QUADS)
every_dominoes = pytest.mark.parametrize("rules", DOMINOES.values(), ids=DOMINOES)
every_trioker = pytest.mark.parametrize("rules", TRIOKER.values(), ids=TRIOKER)
every_table = pytest.mark.parametrize(
    "rules", [*QUADS.values(), *DOMINOES.values(), *TRIOKER.values()], ids=[*QUADS, *DOMINOES, *TRIOKER]
)
some, few = settings(max_examples=12), settings(max_examples=5)
chances = st.integers(0, 2**32).map(Random)


def playout(rng: Random, rules: Rules, *, resigning: float = 0.0) -> Playout:
    return Playout(rng, rng.randint(rules.min_seats, rules.max_seats), resigning=resigning, rules=rules)


def everything(table: Match) -> Counter[tuple[int, ...]]:
    lying = [lies.tile for lies in table.board.placed.values()]
    return Counter([*lying, *(tile for seat in table.seats for tile in seat.hand), *table.boneyard, *table.aside])


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
        can = bool(table.board.legal(table.choices)) if not table.board.placed else bool(table.legal(seat))
        for action in (Draw(seat), Pass(seat)):
            if not free:
                assert refusal(played, action) is Why.MUST_CHOOSE
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


@every_quads
@some
@given(rng=chances)
def test_points_of_quads_come_as_sums_and_bonuses_and_go_in_twenties(rules: Rules, rng: Random):
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
def test_a_bonus_is_two_tiles_that_start_no_other_unless_bonuses_chain(rules: Rules, rng: Random):
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
            # What comes next is another seat's turn, also where the same seat begins anew.
            if isinstance(event, Passed) or (isinstance(event, Placed) and event.follows == "next"):
                seat = None


@every_quads
@few
@given(rng=chances)
def test_bonus_tiles_are_offered_exactly_when_they_can_be_placed(rules: Rules, rng: Random):
    played = playout(rng, rules)
    table, least = played.match, 1 if rules.partial_bonus == "on" else 2
    for _ in played.steps():
        if table.ended:
            break
        hand = [tuple(sorted(tile)) for tile in table.seats[table.turn].hand]
        if table.choosing and rng.random() < 0.5:
            can = naive_squares.bonus_tiles_possible(plain(table.board), hand, rules.quad_arrangement, least)
            assert options(table) == (("points", "tiles") if can else ("points",))
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
            assert {as_naive(move) for move in table.legal(table.turn)} == first


@every_quads
@some
@given(rng=chances)
def test_nobody_has_the_target_when_a_turn_begins(rules: Rules, rng: Random):
    played = playout(rng, rules)
    table, seat = played.match, None
    for _ in played.steps():
        if table.ended or rules.target_check == "round_end":
            continue
        free = not (table.choosing or table.bonus_tiles or table.drawn)
        if free and seat != table.turn:
            assert max(totals(table)) < rules.target
        seat = table.turn
    assert table.ended is not None
    assert max(table.ended.totals) >= rules.target


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
    weight = [
        (len(hand) if rules.family == "trioker" else 0, total) for hand, total in zip(event.hands, held, strict=True)
    ]
    return [
        sum(max(0, other - own) for other in held) if weight[seat] == min(weight) else 0
        for seat, own in enumerate(held)
    ]


@every_dominoes
@some
@given(rng=chances)
def test_dominoes_score_only_as_their_game_says(rules: Rules, rng: Random):
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
def test_hands_differ_by_one_tile_by_passes_and_by_further_turns(rules: Rules, rng: Random):
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
def test_trioker_scores_at_the_end_of_a_round_unless_bonuses_are_played(rules: Rules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            if isinstance(event, Placed):
                assert event.base == 0
                assert event.bonus in ((0, 40, 50, 100, 150) if rules.trioker_bonuses == "on" else (0,))
                assert event.points == event.bonus
            if isinstance(event, Passed):
                assert event.points == 0


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
        weight = [(len(hand) if rules.family == "trioker" else 0, sum(map(pips, hand))) for hand in last.hands]
        assert (
            winners == [seat for seat, own in enumerate(weight) if own == min(weight)]
            if last.out is None
            else [last.out]
        )
