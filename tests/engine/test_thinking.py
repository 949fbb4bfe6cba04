"""Players that search: their beliefs about hidden tiles, sampled deals and rollouts."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from data.weights import load_weights
from engine.match.actions import Action, Pass, Play
from engine.match.events import Dealt, Drew, Passed
from engine.match.player_view import view_for
from engine.match.simulation import Simulation
from engine.match.state import Match, apply_event, replay
from engine.players.evaluation_weights import PlacementWeights, RolloutBudget, Weights
from engine.players.hidden_deals import CERTAIN_PENALTY, DealSampler, compute_penalties
from engine.players.lookahead import TOLERANCE, LookaheadPlayer
from engine.players.rollouts import RolloutEvaluator
from engine.players.sampled_deals import Belief, Pile
from engine.players.search_player import RolloutPlayer
from tests.depth import list_required_cases, scale_count
from tests.engine.random_play import randomize_options
from tests.engine.tables import Playout, act, build_match, build_tile
from tests.tools.fit.rounds import deal_round, play_round

GAMES_WITH_BONEYARD = [game for game in list_games() if load_rules(game).has_boneyard]


@st.composite
def rounds_in_progress(draw: st.DrawFn) -> Playout:
    seed, game = draw(st.integers(0, 2**32)), draw(st.sampled_from(GAMES_WITH_BONEYARD))
    rng = Random(seed)
    reading = randomize_options(load_rules(game), rng)
    seats = draw(st.integers(reading.min_seats, min(4, reading.max_seats)))
    playout = Playout(
        rng, seats, frozenset(range(seats)), resign_chance=draw(st.sampled_from([0, 0.01])), rules=reading
    )
    stop = draw(st.integers(0, 120))
    for count, _ in enumerate(playout.iterate_steps()):
        if count >= stop:
            break
    assume(not playout.match.ended)
    return playout


def given_rounds(*others: st.SearchStrategy) -> Callable:
    return lambda test: settings(max_examples=scale_count(8), deadline=None)(given(rounds_in_progress(), *others)(test))


def can_fill_piles(tile_bits: list[int], piles: list[Pile]) -> bool:
    if not tile_bits:
        return not any(pile.tiles for pile in piles)
    bit, *rest = tile_bits
    for pile in piles:
        if pile.tiles and not pile.excluded_mask & bit:
            pile.tiles -= 1
            found = can_fill_piles(rest, piles)
            pile.tiles += 1
            if found:
                return True
    return False


@given_rounds()
def test_belief_never_excludes_actual_tiles(playout: Playout):
    table = playout.match
    for viewer in table.active:
        belief = Belief(view_for(table, viewer), ())
        for seat, piles in belief.piles.items():
            held = [table.board.to_mask([one]) for one in table.seats[seat].hand]
            held.sort(key=lambda bit: sum(not pile.excluded_mask & bit for pile in piles))
            assert can_fill_piles(held, piles)


@given_rounds(st.integers(0, 99))
def test_determinization_deals_hidden_tiles_once_with_correct_hand_sizes(playout: Playout, luck: int):
    table = playout.match
    viewer, board = table.turn, table.board
    hands, boneyard = Belief(view_for(table, viewer), ((1, 0.1),)).sample_deal(Random(luck))

    assert hands[viewer] == board.to_mask(table.seats[viewer].hand)
    assert [hand.bit_count() for hand in hands] == [0 if one.resigned else len(one.hand) for one in table.seats]
    assert len(boneyard) == len(table.boneyard)
    dealt = sum(hands) + sum(boneyard)
    assert dealt == dealt & ~board.tableau.played_mask
    assert dealt.bit_count() == sum(hand.bit_count() for hand in hands) + len(boneyard), "no tile is dealt twice"


@given_rounds()
def test_tiles_that_fitted_a_failed_turn_are_excluded_from_hand(playout: Playout):
    table, fitting_masks = playout.match, dict[int, int]()
    assume(not table.rules.may_draw_freely)
    replayed_match = replay(playout.log[:1])
    for event in playout.log[1:]:
        if isinstance(event, Dealt):
            fitting_masks.clear()
        elif isinstance(event, Drew | Passed):
            board = replayed_match.board
            fitting_tiles = {placement.tile for placement in board.list_legal_moves(table.rules.tiles)} - board.tiles
            fitting_masks[event.seat] = fitting_masks.get(event.seat, 0) | board.to_mask(fitting_tiles)
        apply_event(replayed_match, event)
    for seat, piles in Belief(view_for(table, table.turn), ()).piles.items():
        assert piles[0].excluded_mask & fitting_masks.get(seat, 0) == fitting_masks.get(seat, 0)


@given_rounds()
def test_rollouts_play_greedily_and_restore_simulation_state(playout: Playout):
    table = playout.match
    one = Simulation.from_match(table)
    evaluator = RolloutEvaluator(one, None, 6)

    def capture_state() -> tuple[object, ...]:
        return one.ply_count, list(one.hands), list(one.totals), one.turn, {*one.list_moves()}

    before = capture_state()
    for move in one.list_moves():
        evaluator.evaluate(move, one.turn)
        assert capture_state() == before

    placements = [move for move in one.list_moves() if move[1] >= 0]
    chosen = evaluator.choose_greedy_move()
    assert chosen in one.list_moves()
    if placements and one.reward is None:
        assert compute_greedy_value(one, chosen) == max(compute_greedy_value(one, move) for move in placements)


WEIGHTS = PlacementWeights(
    points=1.25,
    pips=-0.5,
    triple=5.0,
    own_bonus=0.75,
    own_next=0.25,
    own_fit=10.5,
    last_fits=22.5,
    others_bonus=-1.5,
    unseen_fit=-34.0,
)


@given_rounds()
def test_rollout_seat_with_weights_plays_best_move_by_lookahead(playout: Playout):
    table = playout.match
    one = Simulation.from_match(table)
    chosen_move = RolloutEvaluator(one, None, 0, WEIGHTS).choose_weighted_move()

    placements = [move for move in one.list_moves() if move[1] >= 0]
    if not placements or one.reward is not None or one.bonus_tiles or not one.tableau.placed_ways:
        assert chosen_move in one.list_moves()
        return
    others = sum(hand.bit_count() for seat, hand in enumerate(one.hands) if seat != one.turn)
    values = LookaheadPlayer(one.rules, WEIGHTS).evaluate_placements(one, placements, opponent=others)
    assert values[placements.index(chosen_move)] >= max(values) - TOLERANCE


def test_own_bonus_counts_each_place_once():
    reading, shared_places = load_rules("quad-ominos"), 0
    player = LookaheadPlayer(reading, PlacementWeights(points=0.0, own_bonus=1.0))
    for one in play_round(reading, 2, Random(1), random_share=0):
        placements = [move for move in one.list_moves() if move[1] >= 0]
        if one.over or one.reward is not None or one.bonus_tiles:
            continue
        tableau, hand = one.tableau, one.hands[one.turn]
        for (cell, way), found in zip(placements, player.evaluate_placements(one, placements, opponent=1), strict=True):
            tableau.place(cell, way)
            remaining_hand = hand & ~tableau.table.bit_by_way[way]
            fitting = [
                remaining_hand & mask
                for near, mask in tableau.masks.items()
                if tableau.count_covered_sites(near) >= reading.matching
            ]
            tableau.undo()
            assert found == reading.bonus * sum(1 for tiles in fitting if tiles)
            shared_places += any(tiles.bit_count() > 1 for tiles in fitting)
    assert shared_places > 0


def test_rollouts_use_given_weights_only_for_searching_seat():
    rng, chosen = Random(3), Counter[int]()
    for _ in range(scale_count(10, least=2)):
        one = deal_round(load_rules("triominoes"), 2, rng)
        RolloutEvaluator(one, None, 60, PlacementWeights(points=-1.0)).run_rollout(0)
        for move in reversed([one.undo() for _ in range(one.ply_count)]):
            points = {other: one.compute_score(other).points for other in one.list_moves() if other[1] >= 0}
            if one.tableau.placed_ways and len(set(points.values())) > 1:
                assert points[move] == (max if one.turn else min)(points.values())
                chosen[one.turn] += 1
            one.play(move)
    assert min(chosen[0], chosen[1]) > 10


def test_search_uses_weights_for_number_of_seats():
    reading, loaded_weights = load_rules("triominoes"), load_weights(load_rules("triominoes"))
    budget = RolloutBudget(worlds=4, turns=9)
    greedy_weights = replace(loaded_weights, own=None, own_of_many=None)
    bad_weights = PlacementWeights(points=-1.0)

    def choose_actions(seats: int, weights: Weights) -> list[Action]:
        found = []
        for seed in range(scale_count(6, least=3)):
            playout = Playout(Random(seed), seats, frozenset(range(seats)), rules=reading)
            tile_counts = (len(playout.match.board.placed) for _ in playout.iterate_steps())
            while next(tile_counts) < 8 or len(playout.match.list_legal_moves(playout.match.turn)) < 4:
                pass
            view = view_for(playout.match, playout.match.turn)
            found.append(RolloutPlayer(reading, budget, weights).choose(view, Random(seed)))
        return found

    two, three = (choose_actions(seats, greedy_weights) for seats in (2, 3))
    assert choose_actions(2, replace(greedy_weights, own_of_many=bad_weights)) == two
    assert choose_actions(3, replace(greedy_weights, own=bad_weights)) == three
    assert choose_actions(2, replace(greedy_weights, own=bad_weights)) != two
    assert choose_actions(3, replace(greedy_weights, own_of_many=bad_weights)) != three


def compute_greedy_value(one: Simulation, move: tuple[int, int]) -> tuple[int, int]:
    _, way = move
    earned, oriented = one.compute_score(move), one.tableau.table.oriented_tiles[way]
    is_bonus_tile = one.bonus_tiles > 0
    found = one.rules.find_reward(oriented.tile, earned, opening=not one.tableau.placed_ways, bonus_tile=is_bonus_tile)
    reward = 0 if found is None or is_bonus_tile or not one.tableau.placed_ways else found.points
    return earned.points + reward, one.tableau.table.pips_by_way[way]


GAMES_WITHOUT_BONEYARD = ("points", "muggins", "star", "trioker")
READINGS = [load_rules(game, preset) for game in GAMES_WITHOUT_BONEYARD for preset in list_presets(game)]
POINTS, TRIOKER = load_rules("points"), load_rules("trioker")


def compute_excluded_masks(table: Match, viewer: int) -> list[int]:
    held, tableau = table.board.to_mask(table.seats[viewer].hand), table.board.tableau
    hidden_bits = [bit for bit in tableau.table.bit_by_tile.values() if not bit & (held | tableau.played_mask)]
    penalties = compute_penalties(view_for(table, viewer), hidden_bits)
    return [
        sum(bit for bit, weight in seat_penalties.items() if weight >= CERTAIN_PENALTY)
        for seat_penalties in penalties[: len(table.seats)]
    ]


def sample_deals(table: Match, viewer: int, deals: int) -> list[list[int]]:
    view, rng = view_for(table, viewer), Random(0)
    one = Simulation.from_view(view)
    found, deal = [], DealSampler(view, one)
    for _ in range(deals):
        deal.deal(one, rng)
        found.append(list(one.hands))
    return found


def test_determinization_keeps_actual_tiles_and_deals_no_excluded_tile():
    coverage = Counter[str]()
    for seed in range(scale_count(12)):
        rng = Random(f"deals {seed}")
        reading = READINGS[seed % len(READINGS)]
        playout = Playout(rng, rng.randint(2, reading.max_seats), rules=reading, resign_chance=0.002)
        for step, _ in enumerate(playout.iterate_steps()):
            table = playout.match
            if table.ended or table.round_over or step % 5:
                continue
            excluded_masks = compute_excluded_masks(table, table.turn)
            held = [0 if seat.resigned else table.board.to_mask(seat.hand) for seat in table.seats]
            for seat in table.active:
                assert seat == table.turn or not held[seat] & excluded_masks[seat]
                coverage["ruled out"] += excluded_masks[seat].bit_count()
            for hands in sample_deals(table, table.turn, 2):
                assert [*map(int.bit_count, hands)] == [*map(int.bit_count, held)]
                assert hands[table.turn] == held[table.turn]
                assert sum(hands) & table.board.tableau.played_mask == 0
                for seat in table.active:
                    assert seat == table.turn or not hands[seat] & excluded_masks[seat]
                    coverage["as it is" if hands == held else "otherwise"] += 1

    assert coverage.keys() >= list_required_cases({"ruled out", "as it is", "otherwise"})


@pytest.mark.parametrize("game", ["star", "trioker"])
def test_determinization_is_exact_when_two_seats_hold_all_tiles(game: str):
    playout = Playout(Random(1), 2, rules=load_rules(game))
    for _ in playout.iterate_steps():
        table = playout.match
        if not table.ended:
            assert sample_deals(table, table.turn, 1) == [Simulation.from_match(table).hands]


def place_tile(table: Match, text: str) -> None:
    wanted = build_tile(text, table.rules)
    placement = next(lies for lies in table.list_legal_moves(table.turn) if lies.tile == wanted)
    act(table, Play(table.turn, *placement))


def test_pass_excludes_all_tiles_that_fitted():
    table = build_match(["1-1-2 0-0-0", "4-4-4 3-3-4", "0-0-1 0-2-2"], choices="4-4-4", rules=POINTS, turn=1)
    place_tile(table, "4-4-4")
    act(table, Pass(2))

    excluded_tiles = set(table.board.tableau.table.list_tiles(compute_excluded_masks(table, 0)[2]))

    assert excluded_tiles == {one for one in POINTS.tiles if 4 in one and one not in table.board.tiles}


def test_determinization_respects_that_opener_leads_highest_triple():
    fours = (build_tile("4-4-4", POINTS),)
    playout = next(one for seed in range(400) if (one := Playout(Random(seed), 2, rules=POINTS)).match.aside == fours)
    table = playout.match
    next(playout.iterate_steps())

    for hands in sample_deals(table, table.turn, 20):
        assert hands == Simulation.from_match(table).hands


def test_tile_that_would_have_brought_more_is_likelier_elsewhere():
    table = build_match(
        ["1-1-2 0-0-0", "4-4-4 1-3-3 2-2-3", "0-0-4 0-2-2 1-1-1"], choices="4-4-4", rules=POINTS, turn=1
    )
    place_tile(table, "4-4-4")
    place_tile(table, "0-0-4")
    better, worse = (table.board.to_mask([build_tile(text, POINTS)]) for text in ("3-4-4", "0-3-3"))

    found = [hands[2] for hands in sample_deals(table, 0, 2000)]

    assert 0.2 < sum(bool(hand & better) for hand in found) / sum(bool(hand & worse) for hand in found) < 0.6
