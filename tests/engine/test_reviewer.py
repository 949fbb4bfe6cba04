"""The review of a whole match: its choices, the moves that they are compared with, and its decisive moments."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from data.rulebook import load_rules
from data.weights import load_weights
from engine.match.actions import Action, Choose, Play
from engine.match.events import Chose, Dealt, Drew, Event, MatchEnded, Passed, Placed, RoundEnded, Started, Undone
from engine.match.player_view import PlayerView, list_legal_actions, view_for
from engine.match.state import apply_event, create_match, replay
from engine.reviews.costs import Effort
from engine.reviews.course import NotOverError
from engine.reviews.curve import list_moments, list_swings
from engine.reviews.findings import Expectation, Review
from engine.reviews.review_match import Reviewer, ReviewProgress, RngFactory
from tests.depth import scale_count
from tests.engine.tables import Playout
from tests.golden.matches import read_golden_record

LOW_EFFORT = Effort(search_moves=60, valuation_moves=60, orders=0.02)
RECORD_NAMES = [
    "triominoes-resignation",
    "triominoes-children",
    "quad-ominos-second-thoughts",
    "points-boneyard",
    "muggins",
    "star",
    "trioker",
]


def build_rng_factory(seed: int = 1) -> RngFactory:
    return lambda name: Random(f"{seed} {name}")


def review_log(log: list[Event], effort: Effort = LOW_EFFORT, seed: int = 1) -> Review:
    first = log[0]
    return Reviewer(load_weights(first.rules), build_rng_factory(seed), effort).review(log)


@cache
def review_record(name: str) -> Review:
    return review_log(read_golden_record(name).events)


def collect_naive_choices(log: list[Event]) -> dict[int, tuple[PlayerView, Action]]:
    match = replay(log[:1])
    found: dict[int, tuple[PlayerView, Action]] = {}
    acts: list[int] = []
    for at, event in enumerate(log[1:], 1):
        if isinstance(event, Placed | Chose | Drew | Passed) and not match.ended:
            view = view_for(match, match.turn)
            allowed = list_legal_actions(view)
            if event.seat == match.turn and len(allowed) > 1:
                for one in allowed:
                    if build_choice_key(one) == build_choice_key(event):
                        found[at] = view, one
        if isinstance(event, Undone):
            while not (isinstance(log[last := acts.pop()], Placed) and log[last].seat == event.seat):
                found.pop(last, None)
            found.pop(last, None)
        else:
            acts.append(at)
        apply_event(match, event)
    return found


def build_choice_key(act: Action | Event) -> object:
    match act:
        case Placed() | Play():
            return act.tile, act.cell, act.rotation
        case Chose() | Choose():
            return act.option
        case _:
            return {"Drew": "Draw", "Passed": "Pass"}.get(type(act).__name__, type(act).__name__)


@pytest.mark.parametrize("name", RECORD_NAMES)
def test_review_covers_every_choice_and_seat_of_match(name: str):
    log = read_golden_record(name).events
    ended = log[-1]
    naive = collect_naive_choices(log)

    found = review_record(name)

    assert [one.at for one in found.choices] == sorted(naive)
    for one in found.choices:
        view, made = naive[one.at]
        assert (one.made, one.seat, one.round) == (made, view.viewer, view.round)
        assert one.best in list_legal_actions(view)
        assert one.options == len(list_legal_actions(view))
        assert (one.missed_hexagons, one.missed_bridge) == (
            find_missed_bonuses(view, made) if one.label != "good" else (0, 0)
        )
    assert sorted(found.rounds) == list(range(1, sum(isinstance(event, Dealt) for event in log) + 1))
    assert len({one.seat for one in found.draws}) == len(found.draws), "the best of each seat"
    for draw in found.draws:
        drew = log[draw.at]
        assert (drew.seat, draw.round) == (draw.seat, replay(log[: draw.at + 1]).round)
        assert draw.is_significant
    others = len(ended.totals) - 1
    for seat in found.seats:
        mine = ended.totals[seat.seat]
        ahead = mine - (sum(ended.totals) - mine) / others
        if found.wins:
            first = ended.places.count(1)
            ahead = 50 / first - 50 * (first - 1) / first / others if ended.places[seat.seat] == 1 else -50 / others
        assert seat.luck.result == pytest.approx(ahead)
        assert found.curve[-1].ahead[seat.seat] == pytest.approx(ahead, abs=0.001)


def find_missed_bonuses(view: PlayerView, action: Action) -> tuple[int, bool]:
    own_move = next((move for move in view.moves if build_choice_key(action) == move.placement), None)
    closed = max((move.hexagons for move in view.moves), default=0) - (own_move.hexagons if own_move else 0)
    return closed, any(move.bridge for move in view.moves) and not (own_move is not None and own_move.bridge)


def test_review_of_running_match_is_refused():
    log = read_golden_record("triominoes").events

    for part in (log[:0], log[:1], log[:40], log[:-1]):
        with pytest.raises(NotOverError):
            next(iter(Reviewer(load_weights(load_rules("triominoes")), build_rng_factory()).iterate_progress(part)))


def test_curve_has_every_act_and_ends_at_round_points():
    log = read_golden_record("triominoes").events

    found = {point.at: point for point in review_record("triominoes").curve}

    acts = [at for at, event in enumerate(log) if not isinstance(event, Started | RoundEnded | MatchEnded)]
    assert sorted(found) == acts
    match = create_match(log[0])
    for at, event in enumerate(log[1:], 1):
        apply_event(match, event)
        if isinstance(event, RoundEnded):
            totals = [seat.total for seat in match.seats]
            assert found[at - 1].ahead[0] == pytest.approx(totals[0] - sum(totals[1:]) / 3, abs=0.001)
        if at in found:
            assert sum(found[at].ahead) == pytest.approx(0, abs=0.01)
            assert found[at].seat == getattr(event, "seat", None)


def test_going_out_never_worsens_position_of_winner():
    log, found = read_golden_record("triominoes").events, review_record("triominoes")

    won = {at - 1: event.out for at, event in enumerate(log) if isinstance(event, RoundEnded) and event.out is not None}
    turns = {turn.at: turn for turn in list_swings(found.curve)}

    assert won
    assert all(turns[at].after.seat == out and turns[at].compute_gain(out) > -0.01 for at, out in won.items())


def test_moments_are_turns_that_gained_most_for_winner():
    log = read_golden_record("triominoes-pressman").events
    found = review_log(log)
    ended = log[-1]
    winner = ended.places.index(1)

    gains: dict[int, float] = {}
    turn = 0
    for before, point in pairwise(found.curve):
        event = log[point.at]
        if isinstance(event, Dealt):
            continue
        if isinstance(log[before.at], Drew):
            gains[point.at] = gains.pop(turn)
        turn = point.at
        gains[turn] = gains.get(turn, 0.0) + point.ahead[winner] - before.ahead[winner]

    assert len(found.moments) == 3
    assert set(found.moments) == set(sorted(gains, key=lambda at: -gains[at])[:3])


def test_same_seed_gives_same_review_and_other_seed_similar():
    log = read_golden_record("trioker-puzzle").events
    found = review_log(log)

    assert found == review_log(log)
    assert found != review_log(log, seed=2)


def test_progress_grows_and_ends_with_complete_review():
    log = read_golden_record("triominoes-added").events
    progress = list(
        Reviewer(load_weights(load_rules("triominoes")), build_rng_factory(), LOW_EFFORT).iterate_progress(log)
    )

    assert [one.done for one in progress] == list(range(1, progress[-1].total + 1))
    assert [seat.luck for seat in progress[-2].review.seats] == [None] * 3
    assert progress[-1].review == review_log(log)
    round_order = list_round_order(progress)
    assert round_order == list(progress[-1].review.rounds), "a round is looked at whole before the next"


def list_round_order(progress: list[ReviewProgress]) -> list[int]:
    known: set[int] = set()
    order: list[int] = []
    for one in progress:
        new = {choice.at: choice.round for choice in one.review.choices if choice.at not in known}
        known |= set(new)
        order += [number for number in new.values() if number not in order]
    return order


def play_one_round(rng: Random, greedy: frozenset[int], min_boneyard: int = 0) -> list[Event]:
    while True:
        playout = Playout(rng, 2, greedy)
        round_end = next(event for event in playout.iterate_events() if isinstance(event, RoundEnded))
        log = playout.log[: playout.log.index(round_end) + 1]

        match = replay(log)
        if len(match.boneyard) >= min_boneyard:
            return [*log, MatchEnded(tuple(seat.total for seat in match.seats), (1, 2), "")]


def test_order_of_undrawn_boneyard_tiles_changes_no_cost():
    log = play_one_round(Random(1), frozenset({0, 1}), min_boneyard=2)
    started, dealt, *others = log
    *drawn, one, other = dealt.boneyard

    changed = [started, replace(dealt, boneyard=(*drawn, other, one)), *others]

    assert review_log(changed).choices == review_log(log).choices


@pytest.mark.deep
def test_random_player_loses_more_by_choices_than_greedy_player():
    rng = Random(5)
    effort = Effort(search_moves=500, valuation_moves=500, orders=0.02)
    found = [review_log(play_one_round(rng, frozenset({0})), effort).seats for _ in range(scale_count(4))]

    greedy, anything = (
        [sum(getattr(seats[seat], what) for seats in found) for what in ("lost", "choices", "blunders")]
        for seat in (0, 1)
    )
    assert anything[0] / anything[1] > greedy[0] / greedy[1]
    assert anything[2] > greedy[2]


def test_turn_has_all_acts_of_one_seat_without_deal():
    acts = [(1, 1, None, 0), (2, 1, 0, 5), (3, 1, 1, 4), (4, 1, 1, -10), (5, 1, 1, -30)]
    acts += [(7, 2, None, 50), (8, 2, 1, 40), (9, 2, 0, 41)]
    curve = [Expectation(at=at, round=number, ahead=(x, -x), error=0.0, seat=seat) for at, number, seat, x in acts]

    found = [(turn.at, turn.compute_gain(0)) for turn in list_swings(curve)]

    assert found == [(2, 5), (5, -35), (8, -10), (9, 1)]
    assert list_moments(curve, 0) == (2, 9)
    assert list_moments(curve, 1) == (5, 8)
