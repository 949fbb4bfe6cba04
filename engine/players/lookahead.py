"""A player that looks one move ahead: the score of a placement, and what it leaves to its own hand and the
next seat.
"""

from collections.abc import Callable
from typing import Final

from engine.board.tableau import Ply, Tableau
from engine.board.tiles import is_triple
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players import greedy
from engine.players.evaluation_weights import PlacementWeights
from engine.players.greedy import Rng

TOLERANCE: Final = 1e-9  # tolerance for sums of fractions


class LookaheadPlayer:
    """Evaluates each placement by its `PlacementWeights`; otherwise plays greedily."""

    def __init__(self, rules: Rules, weights: PlacementWeights) -> None:
        self.rules: Final = rules
        self.weights: Final = weights

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        if view.reward is not None or len(view.moves) < 2:
            return greedy.choose(view, rng)
        simulation = build_known_simulation(view)
        moves = [move for move in simulation.list_moves() if move[1] >= 0]
        values = self.evaluate_placements(simulation, moves, opponent=count_next_tiles(view))
        best = max(values) - TOLERANCE
        equals = sorted(move for move, value in zip(moves, values, strict=True) if value >= best)
        return simulation.to_action(equals[rng.randrange(len(equals))])

    def evaluate_placements(self, simulation: Simulation, moves: list[Ply], *, opponent: int) -> list[float]:
        """Return the value of each placement if the next seat holds `opponent` tiles. Only the hand of the seat to move
        is used, not the other hands of the simulation.
        """
        tableau, rules, weights = simulation.tableau, self.rules, self.weights
        table, hand = tableau.table, simulation.hands[simulation.turn]
        values = []
        for cell, way in moves:
            earned, tile = rules.compute_score(tableau, cell, way), table.oriented_tiles[way].tile
            reward = rules.find_reward(
                tile, earned, opening=not tableau.placed_ways, bonus_tile=simulation.bonus_tiles > 0
            )
            points = earned.points + (reward.points if reward is not None else 0)
            value = weights.points * points + weights.pips * table.pips_by_way[way] + weights.triple * is_triple(tile)
            value += weights.again * rules.earns_further_turn(earned)
            if weights.needs_lookahead:
                tableau.place(cell, way)
                value += self._evaluate_table_after(tableau, hand & ~table.bit_by_way[way], opponent)
                tableau.undo()
            values.append(value)
        return values

    def _evaluate_table_after(self, tableau: Tableau, remaining: int, opponent: int) -> float:
        weights = self.weights
        unseen = tableau.table.full_mask & ~tableau.played_mask & ~remaining
        best, bonuses = list_best_scores(self.rules, tableau, remaining | unseen)
        own = [points for bit, points in best.items() if bit & remaining]
        others = sorted((points for bit, points in best.items() if bit & unseen), reverse=True)
        hidden, held = unseen.bit_count(), remaining.bit_count()
        own_bonuses = dict[int, int]()  # a place pays its bonus once, also where several tiles of the hand fit
        for cell, bit, bonus in bonuses:
            if bit & remaining:
                own_bonuses[cell] = max(bonus, own_bonuses.get(cell, 0))
        value = weights.own_bonus * sum(own_bonuses.values())
        if own:
            value += weights.own_next * max(own) + weights.own_fit * len(own) / held + weights.last_fits * (held == 1)
        if hidden:
            value += weights.shut_out * (not others)
            reply = compute_expected_best(others, opponent / hidden)
            value += weights.unseen_fit * len(others) / hidden + weights.reply * reply
            open_to_others = sum(bonus for _, bit, bonus in bonuses if bit & unseen)
            value += weights.others_bonus * open_to_others * opponent / hidden
        return value


def list_best_scores(rules: Rules, tableau: Tableau, tiles: int) -> tuple[dict[int, int], list[tuple[int, int, int]]]:
    """Return the most that each tile scores now, by its bit, and the open bonuses: cell, bit of the tile, points."""
    table, best, bonuses = tableau.table, dict[int, int](), list[tuple[int, int, int]]()
    for cell, demand in tableau.get_open_cells().items():
        if not (held := table.mask_by_demand[demand] & tiles):
            continue
        for way in table.ways_by_demand[demand][held]:
            earned, bit = rules.compute_score(tableau, cell, way), table.bit_by_way[way]
            bonus = earned.bonus
            reward = rules.find_reward(table.oriented_tiles[way].tile, earned, opening=False, bonus_tile=False)
            if reward is not None:
                bonus += reward.points
            points = earned.base + bonus
            if points > best.get(bit, -1):
                best[bit] = points
            if bonus:
                bonuses.append((cell, bit, bonus))
    return best, bonuses


def compute_expected_best(descending: list[int], chance: float) -> float:
    """Return the expected best of these values, highest first, each of which is present with the same chance."""
    expected, nothing_better = 0.0, min(1.0, chance)
    for points in descending:
        expected += points * nothing_better
        nothing_better *= 1 - chance
        if nothing_better < TOLERANCE:
            break
    return expected


def build_known_simulation(view: PlayerView) -> Simulation:
    """Return the running round with the viewer's hand and all other hands empty."""
    assert view.viewer is not None
    simulation = Simulation.from_view(view)
    own_tiles = view.seats[view.viewer].hand
    assert own_tiles is not None, "everybody sees their own hand"
    hands = [0] * len(view.seats)
    hands[view.viewer] = simulation.tableau.table.to_mask(own_tiles)
    simulation.deal(hands, [], simulation.tableau.table.to_mask(view.choices))
    return simulation


def count_next_tiles(view: PlayerView) -> int:
    """Return the number of tiles of the seat after the viewer."""
    assert view.viewer is not None
    seats = view.seats
    after = [seats[(view.viewer + step) % len(seats)] for step in range(1, len(seats))]
    return next((seat.tiles for seat in after if not seat.resigned), 0)
