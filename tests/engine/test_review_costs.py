"""The cost of a choice."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from statistics import fmean

import pytest

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.board.tableau import Ply
from engine.board.tiles import count_pips
from engine.match.actions import Action, Choose, Play
from engine.match.decide import decide
from engine.match.events import Dealt
from engine.match.player_view import list_legal_actions, view_for
from engine.match.state import Match, apply_event
from engine.players.evaluation_weights import NO_WEIGHTS
from engine.players.prospects import WIN_VALUE, MoveEvaluator, compute_margins, compute_mean_and_error
from engine.reviews.costs import SINGLE_DEAL_FACTOR, USUAL_CHOICES, Effort, compute_cost
from tests.depth import scale_count
from tests.engine.tables import SECRET, Playout

MOVES = [(cell, 0) for cell in range(6)]
MADE_MOVE = MOVES[0]


@dataclass
class FakeEvaluator:
    true_values: Sequence[float]
    rng: Random
    spread: float = 30.0
    rollout_cost: int = 10
    moves: list[Ply] = field(default_factory=lambda: MOVES.copy())
    values: list[float] = field(default_factory=list)

    def deal(self) -> None:
        luck = self.rng.gauss(0, self.spread)
        self.values = [true + luck + self.rng.gauss(0, self.spread) for true in self.true_values]

    def evaluate(self, move: Ply) -> float:
        return self.values[move[0]]


def compute_costs(true_values: Sequence[float], effort: Effort, times: int = 200) -> list[tuple[float, float]]:
    found = [compute_cost(FakeEvaluator(true_values, Random(seed)), MADE_MOVE, effort) for seed in range(times)]
    return [(one.points, one.error) for one in found]


def test_cost_is_unbiased_when_all_moves_are_equal():
    found = compute_costs([0.0] * 6, Effort(search_moves=4000, valuation_moves=3000))

    mean, error = compute_mean_and_error([points for points, _ in found])
    assert abs(mean) < 3.5 * error
    assert fmean(map(compute_naive_cost, range(200))) > 3.0, (
        "the best of several uncertain numbers seems better than it is"
    )


def compute_naive_cost(seed: int) -> float:
    evaluator, values = FakeEvaluator([0.0] * 6, Random(seed)), dict.fromkeys(MOVES, 0.0)
    for _ in range(60):
        evaluator.deal()
        for move in MOVES:
            values[move] += evaluator.evaluate(move) / 60
    return max(values.values()) - values[MADE_MOVE]


def test_cost_estimate_is_unbiased_with_correct_error():
    found = compute_costs([0.0, 12.0, -5.0, 3.0, 1.0, -40.0], Effort(search_moves=20_000, valuation_moves=8000))

    mean, error = compute_mean_and_error([points for points, _ in found])
    assert mean == pytest.approx(12.0, abs=3.5 * error)
    share_within_error = fmean(abs(points - 12.0) < 2 * error for points, error in found)
    assert share_within_error > 0.9


def test_default_effort_reaches_target_error_and_stops():
    errors = [error for _, error in compute_costs([0.0, 12.0, -90.0, -90.0, -90.0, -90.0], Effort(), 20)]

    assert 0.7 < fmean(errors) < 1.0


def test_effort_per_choice_is_larger_for_few_choices_and_wins():
    many, few = (Effort().share_between_choices(number, wins=False) for number in (USUAL_CHOICES, USUAL_CHOICES // 4))
    won = Effort().share_between_choices(USUAL_CHOICES // 4, wins=True)
    assert many == Effort()
    assert (few.search_moves, few.valuation_moves) == (4 * many.search_moves, 4 * many.valuation_moves)
    assert (won.search_moves, won.valuation_moves) == (few.search_moves, SINGLE_DEAL_FACTOR * few.valuation_moves)

    spread = [
        compute_cost(FakeEvaluator([0.0, 12.0, *[-90.0] * 4], Random(seed), spread=300.0), MADE_MOVE, effort).error
        for effort in (few, won)
        for seed in range(4)
    ]
    assert fmean(spread[4:]) < 0.8 * fmean(spread[:4]), "ends of a win are far apart"
    single, fewest = (Effort().share_between_choices(number, wins=False) for number in (1, USUAL_CHOICES // 8))
    assert single == fewest, "a match of one choice takes no longer than one of a few"


def test_cost_of_clearly_best_move_needs_few_deals():
    found = compute_cost(FakeEvaluator([0.0, *[-80.0] * 5], Random(1)), MADE_MOVE, Effort())

    assert (found.best, found.points, found.error) == (MADE_MOVE, 0.0, 0.0)
    assert found.deals <= 128


@pytest.mark.parametrize("game", list_games())
def test_prospects_equal_results_of_played_matches(game: str):
    for playout in list_late_playouts(game):
        table = playout.match
        prospects = MoveEvaluator(view_for(table, table.turn), NO_WEIGHTS, Random(3))
        rng = Random(5)
        naive = {move: list[float]() for move in prospects.moves}
        quick = {move: list[float]() for move in prospects.moves}
        for _ in range(scale_count(10, least=6)):
            prospects.deal()
            for move in prospects.moves:
                quick[move].append(prospects.evaluate(move))
                naive[move].append(play_by_rules(table, prospects, move, rng))
        for move in prospects.moves:
            differences = [one - other for one, other in zip(quick[move], naive[move], strict=True)]
            mean, error = compute_mean_and_error(differences)
            assert abs(mean) <= 4.5 * error + 1e-9, (move, quick[move], naive[move])


def list_late_playouts(game: str) -> list[Playout]:
    found = []
    for seed in count():
        playout = Playout(Random(seed), 2, frozenset({0, 1}), rules=load_rules(game))
        playout.play(lambda table: has_left_first_round(table) or has_few_choices(table))
        if not has_left_first_round(playout.match):
            found.append(playout)
        if len(found) == 2:
            return found
    raise AssertionError


def has_left_first_round(table: Match) -> bool:
    return bool(table.ended or table.round_over or table.round > 1)


def has_few_choices(table: Match) -> bool:
    hands = sum(len(seat.hand) for seat in table.seats)
    return hands <= 8 and 1 < len(list_legal_actions(view_for(table, table.turn))) < 7


def is_mid_round(table: Match) -> bool:
    return len(table.board.placed) > 12 and len(list_legal_actions(view_for(table, table.turn))) > 2


def play_by_rules(table: Match, prospects: MoveEvaluator, move: Ply, rng: Random) -> float:
    simulation, twin = prospects.simulation, table.copy()
    tiles = twin.board.tableau.table.list_tiles
    for seat, hand in zip(twin.seats, simulation.hands, strict=True):
        seat.hand = list(tiles(hand))
    twin.boneyard = [tile for bit in simulation.boneyard for tile in tiles(bit)]
    action = simulation.to_action(move)
    while True:
        for event in decide(twin, action, SECRET):
            if not isinstance(event, Dealt):
                apply_event(twin, event)
        if twin.ended is not None and not twin.rules.target:
            first = twin.ended.places.count(1)
            return compute_margins([WIN_VALUE / first * (place == 1) for place in twin.ended.places])[prospects.seat]
        if twin.ended is not None or twin.round_over is not None:
            return compute_margins([seat.total for seat in twin.seats])[prospects.seat]
        action = choose_highest_scoring(twin, rng)


def choose_highest_scoring(table: Match, rng: Random) -> Action:
    view = view_for(table, table.turn)
    placements = [] if view.reward is not None else view.moves
    if not placements:
        return next(one for one in list_legal_actions(view) if one != Choose(table.turn, "tiles"))
    values = [(move.points, count_pips(move.placement.tile)) for move in placements]
    best = [move for move, value in zip(placements, values, strict=True) if value == max(values)]
    return Play(table.turn, *rng.choice(best).placement)


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos"])
def test_value_of_move_does_not_depend_on_earlier_tries(game: str):
    position_count = 0
    for seed in range(scale_count(16, least=16)):
        playout = Playout(Random(seed), 2, frozenset({0, 1}), rules=load_rules(game))
        playout.play(is_mid_round)
        table = playout.match
        if table.ended or table.round_over:
            continue
        prospects = MoveEvaluator(view_for(table, table.turn), load_weights(table.rules), Random(seed))
        for _ in range(4):
            prospects.deal()
            forward = [prospects.evaluate(move) for move in prospects.moves]
            backward = [prospects.evaluate(move) for move in reversed(prospects.moves)]
            assert backward[::-1] == forward
        position_count += 1
    assert position_count > 10


def test_costs_do_not_depend_on_hidden_tiles():
    playout = Playout(Random(8), 2, frozenset({0, 1}))
    playout.play(is_mid_round)
    table = playout.match
    other, mine = table.copy(), table.turn
    hidden = [*other.seats[1 - mine].hand, *other.boneyard]
    Random(1).shuffle(hidden)
    held = len(other.seats[1 - mine].hand)
    other.seats[1 - mine].hand, other.boneyard = hidden[:held], hidden[held:]
    assert other.boneyard != table.boneyard

    found = [compute_move_costs(one, mine) for one in (table, other)]

    assert found[0] == found[1]


def compute_move_costs(table: Match, seat: int) -> list[float]:
    prospects = MoveEvaluator(view_for(table, seat), load_weights(table.rules), Random(7))
    return [
        compute_cost(prospects, move, Effort(search_moves=2000, valuation_moves=2000)).points
        for move in prospects.moves
    ]
