"""Greedy rollouts for some turns, and the evaluation of their last position."""

from functools import lru_cache
from typing import Final

from engine.board.demands import MAX_DEMANDS, Cache, TileTable
from engine.board.tableau import Ply
from engine.board.tiles import is_triple
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.match.turns import DRAW
from engine.players.evaluation_weights import LeafWeights, PlacementWeights

WAY_BITS: Final = 16
PIP_BITS: Final = 8  # a choice is points, pips and way in one number, so that the greater one is greedier
POINTS_SHIFT: Final = WAY_BITS + PIP_BITS
WAY_MASK: Final = (1 << WAY_BITS) - 1
LOWEST_VALUE: Final = -1e9  # less than any placement
CHUNK_BITS: Final = 14  # bits of a hand per lookup of pips
_CHUNK_MASK = (1 << CHUNK_BITS) - 1


class PipChoiceCache(dict[int, int]):
    """A cache of the best choice for one demand by held tiles, if a tile scores its pips."""

    def __init__(self, table: TileTable, demand: int) -> None:
        super().__init__()
        self._pips, self._ways = table.pips_by_way, table.ways_by_demand[demand]

    def __missing__(self, held: int) -> int:
        pips = self._pips
        found = self[held] = max(pips[way] << POINTS_SHIFT | pips[way] << WAY_BITS | way for way in self._ways[held])
        return found


@lru_cache(maxsize=8)
def get_choice_cache(rules: Rules, table: TileTable) -> Cache[int, PipChoiceCache | None]:
    """Return how to find the best choice by demand, cached per game; None if bonuses must be computed."""
    return Cache(
        lambda demand: PipChoiceCache(table, demand) if rules.scores_only_pips(table, demand) else None, MAX_DEMANDS
    )


@lru_cache(maxsize=8)
def list_chunk_pips(table: TileTable) -> tuple[list[int], ...]:
    """Return the pips of every part of a hand, by `CHUNK_BITS` tiles."""
    each = [table.pips_by_way[number * table.turns] for number in range(len(table.tiles))]
    chunks = []
    for first in range(0, len(each), CHUNK_BITS):
        sums = [0]
        for pips in each[first : first + CHUNK_BITS]:
            sums += [known + pips for known in sums]
        chunks.append(sums)
    return tuple(chunks)


class RolloutEvaluator:
    """Continues a simulation greedily, evaluates it for a seat, and undoes the moves."""

    def __init__(
        self, simulation: Simulation, leaf: LeafWeights | None, turns: int, weights: PlacementWeights | None = None
    ) -> None:
        """All seats play greedily, except that the evaluated seat uses `weights`, if given."""
        self.simulation: Final = simulation
        self.leaf: Final = leaf
        self.turns: Final = turns
        self.weights: Final = weights
        self._choices: Final = get_choice_cache(simulation.rules, simulation.tableau.table)
        self._pips: Final = list_chunk_pips(simulation.tableau.table)

    def evaluate(self, move: Ply, seat: int) -> float:
        """Return the seat's lead over the mean of the others after this move and its rollout."""
        simulation = self.simulation
        before = simulation.ply_count
        simulation.play(move)
        self.run_rollout(seat)
        found = self.compute_lead(seat)
        while simulation.ply_count > before:
            simulation.undo()
        return found

    def run_rollout(self, seat: int | None = None) -> None:
        """Play a rollout; the evaluated seat uses its weights, if there are any."""
        simulation, turns = self.simulation, self.turns
        weighted_seat = seat if self.weights is not None else None
        while turns and not simulation.over:
            move = self.choose_weighted_move() if simulation.turn == weighted_seat else self.choose_greedy_move()
            simulation.play(move)
            turns -= move != DRAW

    def choose_greedy_move(self) -> Ply:
        """Return the greedy move; the first of equal ones."""
        simulation = self.simulation
        if simulation.reward is not None or not simulation.tableau.placed_ways or simulation.bonus_tiles:
            return self._choose_within_turn()
        code, cell, _, _ = self.scan(simulation.hands[simulation.turn])
        return (cell, code & WAY_MASK) if code >= 0 else simulation.list_moves()[-1]

    def choose_weighted_move(self) -> Ply:
        """Return the move of a seat that considers the rest of its hand, and which unseen tiles fit afterwards."""
        simulation, weights = self.simulation, self.weights
        assert weights is not None
        if simulation.reward is not None or not simulation.tableau.placed_ways or simulation.bonus_tiles:
            return self._choose_within_turn()
        tableau = simulation.tableau
        hand, table = simulation.hands[simulation.turn], tableau.table
        moves = tableau.list_legal_moves(hand)
        if len(moves) < 2:
            return moves[0] if moves else simulation.list_moves()[-1]
        hidden = table.full_mask & ~(tableau.played_mask | hand)
        unseen = hidden.bit_count() or 1
        unseen_fit = weights.unseen_fit / unseen
        others_bonus = weights.others_bonus * (sum(map(int.bit_count, simulation.hands)) - hand.bit_count()) / unseen
        best, best_value = moves[0], LOWEST_VALUE
        for move in moves:
            cell, way = move
            value = weights.points * self._compute_points(cell, way) + weights.pips * table.pips_by_way[way]
            if weights.triple:
                value += weights.triple * is_triple(table.oriented_tiles[way].tile)
            tableau.place(cell, way)
            value += self._evaluate_rest(hand & ~table.bit_by_way[way])
            fits, bonuses = self._scan_open_cells(hidden)
            tableau.undo()
            value += unseen_fit * fits.bit_count() + others_bonus * bonuses
            if value > best_value:
                best, best_value = move, value
        return best

    def _compute_points(self, cell: int, way: int) -> int:
        tableau = self.simulation.tableau
        if self._choices[tableau.demands[cell]] is not None:
            return tableau.table.pips_by_way[way]
        return sum(self._compute_score(cell, way))

    def _evaluate_rest(self, remaining: int) -> float:
        """Return the value of the rest of a hand for its own seat."""
        code, _, fits, bonuses = self.scan(remaining)
        if code < 0:
            return 0.0
        weights, tiles = self.weights, remaining.bit_count()
        assert weights is not None
        own = weights.own_next * (code >> POINTS_SHIFT) + weights.own_bonus * bonuses
        return own + weights.own_fit * fits.bit_count() / tiles + weights.last_fits * (tiles == 1)

    def _scan_open_cells(self, hidden: int) -> tuple[int, int]:
        tableau, choices = self.simulation.tableau, self._choices
        demand = tableau.demands
        fits = bonuses = 0
        for cell, mask in tableau.masks.items():
            if held := mask & hidden:
                fits |= held
                if choices[demand[cell]] is None:
                    bonuses += sum(
                        [self._compute_score(cell, way)[1] for way in tableau.table.ways_by_demand[demand[cell]][held]]
                    )
        return fits, bonuses

    def _compute_score(self, cell: int, way: int) -> tuple[int, int]:
        """Return the score of a placement without bonuses, and its bonuses, including one to choose."""
        rules, tableau = self.simulation.rules, self.simulation.tableau
        earned = rules.compute_score(tableau, cell, way)
        reward = rules.find_reward(tableau.table.oriented_tiles[way].tile, earned, opening=False, bonus_tile=False)
        return earned.base, earned.bonus + (reward.points if reward is not None else 0)

    def scan(self, hand: int) -> tuple[int, int, int, int]:
        """Return a hand's best choice (below 0: none) and its cell, its fitting tiles, and its open bonuses in all."""
        tableau, choices = self.simulation.tableau, self._choices
        demand = tableau.demands
        best, at, fits, bonuses = -1, 0, 0, 0
        for cell, mask in tableau.masks.items():
            held = mask & hand
            if held:
                fits |= held
                plain = choices[demand[cell]]
                if plain is not None:
                    code = plain[held]
                else:
                    code, bonus = self._choose_with_bonus(cell, held)
                    bonuses += bonus
                if code > best:
                    best, at = code, cell
        return best, at, fits, bonuses

    def _choose_with_bonus(self, cell: int, held: int) -> tuple[int, int]:
        """Return the best choice at a cell with a bonus, and that bonus."""
        tableau = self.simulation.tableau
        table, best, most = tableau.table, -1, 0
        for way in table.ways_by_demand[tableau.demands[cell]][held]:
            base, bonus = self._compute_score(cell, way)
            code = base + bonus << POINTS_SHIFT | table.pips_by_way[way] << WAY_BITS | way
            if code > best:
                best, most = code, bonus
        return best, most

    def _choose_within_turn(self) -> Ply:
        simulation = self.simulation
        moves = simulation.list_moves()
        if moves[0][1] < 0:
            return moves[0]
        earned, pips = simulation.compute_score, simulation.tableau.table.pips_by_way
        return max(moves, key=lambda move: (earned(move).points, pips[move[1]]))

    def compute_lead(self, seat: int) -> float:
        """Return the seat's actual or expected lead over the mean of the other active seats."""
        simulation = self.simulation
        totals, others = simulation.totals, [other for other in simulation.active if other != seat]
        lead = totals[seat] - sum([totals[other] for other in others]) / len(others)
        if simulation.over or self.leaf is None:
            return lead
        return lead + self.leaf.evaluate(self.list_features(seat), seat == simulation.turn)

    def list_features(self, seat: int) -> list[float]:
        """Return a leaf's input: the fewest tiles in any hand, the facts of this hand, the others' mean facts."""
        simulation = self.simulation
        hands = simulation.hands
        own_features = self.list_hand_features(hands[seat])
        others = [self.list_hand_features(hands[other]) for other in simulation.active if other != seat]
        fewest = min(hands[other].bit_count() for other in simulation.active)
        if len(others) == 1:
            return [fewest, *own_features, *others[0]]
        return [fewest, *own_features, *[sum(column) / len(others) for column in zip(*others, strict=True)]]

    def list_hand_features(self, hand: int) -> tuple[float, ...]:
        """Return the facts of a hand (`engine.players.evaluation_weights.LeafWeights`)."""
        code, _, fits, bonuses = self.scan(hand)
        tiles, pips = hand.bit_count(), self.count_pips(hand)
        if code < 0:
            return tiles, pips, 0, 0, 0, 0, pips, 1, 0
        fitting = fits.bit_count()
        stuck = pips - self.count_pips(fits)
        return tiles, pips, fitting, fitting / tiles, code >> POINTS_SHIFT, bonuses, stuck, 0, tiles == 1

    def count_pips(self, hand: int) -> int:
        found = 0
        for chunk in self._pips:
            found += chunk[hand & _CHUNK_MASK]
            hand >>= CHUNK_BITS
        return found
