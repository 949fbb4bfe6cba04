"""Luck: its mean over all boneyards is zero, and the parts of a result add up to the result."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import isclose
from random import Random
from statistics import variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.board.tiles import Tile
from engine.match.decide import decide, find_forced_action
from engine.match.events import Dealt, Drew, Event, RoundEnded
from engine.match.player_view import view_for
from engine.match.rounds import deal_in_order
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, create_match
from engine.players import greedy
from engine.players.evaluation_weights import NO_WEIGHTS
from engine.players.prospects import compute_margins, copy_shuffled
from engine.reviews.findings import Luck
from engine.reviews.futures import PositionEvaluator
from engine.reviews.luck import compute_draw_luck, compute_match_luck, compute_round_luck
from tests.depth import scale_count
from tests.engine.table.simulated_table import FirstChoice
from tests.engine.tables import Playout

GAMES = list_games()
GAMES_WITH_BONEYARD = [game for game in GAMES if load_rules(game).has_boneyard]


def play_until_draw(reading: Rules, left: int, seed: int) -> Match:
    for number in range(seed, seed + 400):
        match = (playout := Playout(Random(number), 2, frozenset({0, 1}), rules=reading)).match
        if (
            playout.play(lambda match: not match.ended and not match.round_over and len(match.boneyard) <= left)
            and len(match.boneyard) == left
            and match.can_draw()
            and not match.list_legal_moves(match.turn)
        ):
            return match
    raise AssertionError("nobody had to draw")


def iterate_boneyard_orders(match: Match) -> Iterator[tuple[list[Tile], list[list[int]]]]:
    """Yield, for each order of the boneyard, the tiles that are drawn by force, and all orders as bits."""
    bits = match.board.tableau.table.bit_by_tile
    for boneyard in permutations(match.boneyard):
        match.boneyard = list(boneyard)
        tiles = [event.tile for event in list_forced_draws(match) if event.tile]
        yield tiles, [[bits[tile] for tile in order] for order in permutations(boneyard)]


def list_forced_draws(match: Match) -> list[Drew]:
    table, found = match.copy(), list[Drew]()
    while table.round_over is None and not table.ended and (action := find_forced_action(table)):
        events = decide(table, action, bytes(32))
        if not isinstance(events[0], Drew):
            break
        found.append(events[0])
        for event in events:
            apply_event(table, event)
            if isinstance(event, RoundEnded):
                break
    return found


@pytest.mark.parametrize("game", GAMES_WITH_BONEYARD)
@pytest.mark.parametrize("known", [True, False], ids=["guessing", "to the end"])
def test_luck_of_draws_averages_zero_over_all_boneyard_orders(game: str, known: bool):
    reading = load_rules(game)
    match = play_until_draw(reading, 4 if game == "triominoes" else 3, seed=7)
    weights = load_weights(reading) if known else NO_WEIGHTS
    sums = [0.0, 0.0]
    for tiles, orders in iterate_boneyard_orders(match):
        assert tiles, "somebody must draw"
        for luck in compute_draw_luck(tiles, match, orders, weights, FirstChoice()):
            sums = [one + more for one, more in zip(sums, luck, strict=True)]

    # The sum is 0, except for float errors.
    assert sums == pytest.approx([0.0, 0.0], abs=1e-6)


def test_luck_of_actual_draws_is_not_zero():
    match = play_until_draw(load_rules("triominoes"), 4, seed=7)
    found = set()
    for tiles, orders in iterate_boneyard_orders(match):
        draw_luck = compute_draw_luck(tiles, match, orders, load_weights(match.rules), Random(1))
        found.add((tuple(tiles), round(sum(mine for mine, *_ in draw_luck) / len(draw_luck), 6)))
    assert len({luck for _, luck in found}) > 1


@settings(max_examples=scale_count(6))
@given(st.integers(0, 2**32), st.sampled_from(GAMES_WITH_BONEYARD))
def test_luck_of_draw_does_not_depend_on_undrawn_tiles(seed: int, game: str):
    rng = Random(seed)
    log = play_match(load_rules(game), 2, seed)
    events = list_round_events(log, 0)
    opening = events[0][1]
    draw_count = sum(isinstance(event, Drew) for _, event in events)
    undrawn = list(opening.boneyard[draw_count:])
    other = replace(opening, boneyard=(*opening.boneyard[:draw_count], *copy_shuffled(undrawn, rng)))
    before, weights = start_match(log), load_weights(load_rules(game))

    one = compute_round_luck(before, events, weights, 4, Random(seed))
    two = compute_round_luck(before, [(1, other), *events[1:-1]], weights, 4, Random(seed))

    assert (one.draws, one.deal) == (two.draws, two.deal)


@pytest.mark.parametrize("game", GAMES)
def test_luck_of_deal_follows_hands_rotated_between_seats(game: str):
    reading, seats = load_rules(game), 3
    order = copy_shuffled(reading.tiles, Random(20))
    found = []
    for first_seat in range(seats):
        match = start_match(play_match(reading, seats, 1))
        seat_order = [*range(first_seat, seats), *range(first_seat)]
        apply_event(match, deal_in_order(reading, seat_order, seats, 1, order, first_seat))
        futures = PositionEvaluator(match, load_weights(reading))
        leads = futures.compute_leads(sorted(futures.boneyard), FirstChoice())
        found.append([leads[seat] for seat in seat_order])

    assert found[1] == pytest.approx(found[0])
    assert found[2] == pytest.approx(found[0])
    assert sum(found[0]) == pytest.approx(0)


def play_match(reading: Rules, seats: int, seed: int, *, resign_chance: float = 0.0) -> list[Event]:
    playout = Playout(Random(seed), seats, frozenset(range(seats)), resign_chance=resign_chance, rules=reading)
    playout.play()
    return playout.log


def start_match(log: Sequence[Event]) -> Match:
    return create_match(log[0])  # type: ignore[arg-type]


def list_round_events(log: Sequence[Event], number: int) -> list[tuple[int, Event]]:
    begins = [at for at, event in enumerate(log) if isinstance(event, Dealt)]
    ends = [*begins[1:], len(log)]
    return list(enumerate(log))[begins[number] : ends[number]]


@settings(max_examples=scale_count(12))
@given(st.integers(0, 2**32), st.sampled_from(GAMES), st.data())
def test_parts_of_result_add_up_to_result(seed: int, game: str, data: st.DataObject):
    reading = load_rules(game)
    seats = data.draw(st.integers(reading.min_seats, min(6, reading.max_seats)))
    log = play_match(reading, seats, seed, resign_chance=data.draw(st.sampled_from([0.0, 0.01])))
    match, rounds, rng = start_match(log), [], Random(seed)
    for number in range(sum(isinstance(event, Dealt) for event in log)):
        events = list_round_events(log, number)
        rounds.append(compute_round_luck(match, events, load_weights(reading), 2, rng))
        for _, event in events:
            apply_event(match, event)
    lost = [(data.draw(st.floats(-3, 90)), 2.0) for _ in range(seats)]
    totals = [seat.total for seat in match.seats]

    found = compute_match_luck(rounds, totals, lost)

    for luck, result in zip(found, compute_margins(totals), strict=True):
        assert isclose(luck.result, result, abs_tol=1e-9)
        assert sum(luck.rounded_parts) == round(luck.result)
    for part in ("deal", "draws", "skill", "rest"):
        assert sum(getattr(luck, part) for luck in found) == pytest.approx(0, abs=1e-6)


def test_luck_of_draw_that_ends_round_uses_real_result():
    reading = load_rules("triominoes")
    for seed in range(200):
        log = play_match(reading, 2, seed)
        for number in range(sum(isinstance(event, Dealt) for event in log)):
            events = list_round_events(log, number)
            last = next((at for at, (_, event) in enumerate(events) if isinstance(event, RoundEnded)), 0)
            if last > 2 and isinstance(events[last - 2][1], Drew):
                match = start_match(log)
                for event in log[1 : events[last - 2][0]]:
                    apply_event(match, event)
                futures = PositionEvaluator(match, load_weights(reading))
                [(_, drew), *rest] = events[last - 2 :]
                leads = futures.compute_leads(futures.boneyard, Random(1), draws=1)
                for event in (drew, *(event for _, event in rest[:2])):
                    apply_event(match, event)
                assert leads == pytest.approx(compute_margins([seat.total for seat in match.seats]))
                return
    raise AssertionError("no round ended so")


def test_skill_is_higher_for_seat_that_loses_less():
    two = compute_match_luck([], [10, 20, 60], [(9, 1.0), (0, 0.0), (3, 2.0)])

    assert [luck.skill for luck in two] == [-7.5, 6.0, 1.5]
    assert [luck.result for luck in two] == [-30, -15, 45]
    assert two[1].skill_error == pytest.approx((0.5**2 + 1.0**2) ** 0.5)


def test_rounding_difference_is_added_to_rest():
    assert Luck(deal=1.4, draws=-30.4, skill=12.4, rest=0.2, error=2.5).rounded_parts == (1, -30, 12, 1)


def test_equal_results_show_equal_sums_when_half_points_are_rounded():
    one = Luck(deal=-4.166666666666666, draws=0.0, skill=-12.694500000000001, rest=4.3611666666666675, error=4.2)
    other = Luck(deal=8.5, draws=0.0, skill=-21.0, rest=0.0, error=4.2)

    assert [sum(luck.rounded_parts) for luck in (one, other)] == [-12, -12]


def test_luck_of_deals_averages_zero_with_unequal_totals():
    reading, rng = load_rules("quad-ominos"), Random(8)
    match = start_match(play_match(reading, 2, 1))
    match.seats[0].total = 780
    predicted_leads, deal_luck = list[float](), list[float]()
    for number in range(scale_count(100, least=100)):
        opening = deal_in_order(reading, [0, 1], 2, 1, copy_shuffled(reading.tiles, rng), 0)
        luck = compute_round_luck(match, [(1, opening)], load_weights(reading), 4, Random(number))
        table = match.copy()
        apply_event(table, opening)
        futures = PositionEvaluator(table, load_weights(reading))
        predicted_leads.append(futures.compute_leads(futures.boneyard, rng)[0] - 780)
        deal_luck.append(luck.deal.ahead[0])

    def compute_z_score(values: list[float]) -> float:
        return abs(sum(values) / len(values)) / (variance(values) / len(values)) ** 0.5

    assert compute_z_score(predicted_leads) > 3
    assert compute_z_score(deal_luck) < 2.5


def play_round_greedily(match: Match, boneyard: Sequence[tuple[int, ...]], rng: Random) -> list[float]:
    table = match.copy()
    table.boneyard = list(boneyard)
    while table.round_over is None and table.ended is None:
        action = find_forced_action(table) or greedy.choose(view_for(table, table.turn), rng)
        for event in decide(table, action, bytes(32)):
            if isinstance(event, Dealt):
                break
            apply_event(table, event)
    return compute_margins([seat.total for seat in table.seats])


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos"])
def test_expected_leads_equal_results_of_greedy_play(game: str):
    match, rng = play_until_draw(load_rules(game), 6, seed=11), Random(3)
    futures = PositionEvaluator(match, NO_WEIGHTS)
    real, quick = list[float](), list[float]()
    for _ in range(scale_count(30, least=10)):
        real.append(play_round_greedily(match, copy_shuffled(match.boneyard, rng), rng)[0])
    for _ in range(scale_count(300, least=100)):
        quick.append(futures.compute_leads(copy_shuffled(futures.boneyard, rng), rng)[0])

    difference = sum(real) / len(real) - sum(quick) / len(quick)
    standard_error = (variance(real) / len(real) + variance(quick) / len(quick)) ** 0.5
    assert standard_error > 0
    assert abs(difference) < 4 * standard_error
