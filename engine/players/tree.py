"""A tree search over sampled deals of the hidden tiles.

Moves are public, so all deals share one tree. Each rollout samples a deal, descends by its legal moves, adds a node,
and plays the round greedily to its end. Seats choose by UCB1 over information sets (`max^n` for more than two seats).
With all tiles known, this is plain tree search with perfect information.
"""

from collections.abc import Callable
from math import log, sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.simulation import Simulation
from engine.players.endgame import LOST, WON, EndgameSearch, OutOfNodesError
from engine.players.evaluation_weights import TreeBudget
from engine.players.greedy import Rng
from engine.players.hidden_deals import DealSampler

WIDENING: Final = 0.25  # progressive widening: a node offers this multiple of the root of its visits, and one
EXPLORATION: Final = 0.3  # exploration constant
MARGIN_WEIGHT: Final = 0.5  # weight of the margin compared with winning
HALF_LEAD: Final = 40  # lead in points that is worth half of the maximum


class TreeSearchPlayer:
    """A player that grows a tree before each move; it polls `should_stop` after each rollout."""

    def __init__(self, budget: TreeBudget) -> None:
        self.budget: Final = budget

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        simulation = Simulation.from_view(view)
        deals = DealSampler(view, simulation)
        deals.deal(simulation, rng)
        moves = sorted(simulation.list_moves())
        if len(moves) == 1:
            return simulation.to_action(moves[0])
        if deals.is_certain:
            moves = drop_lost_moves(simulation, moves, self.budget)
        if len(moves) > 1:
            root = grow_tree(simulation, deals, rng, self.budget.plies, should_stop)
            moves.sort(key=lambda move: root.children[move].visits if move in root.children else 0)
        return simulation.to_action(moves[-1])


def drop_lost_moves(simulation: Simulation, moves: list[Ply], budget: TreeBudget) -> list[Ply]:
    """Return a move that wins for certain; else the moves that are not known to lose, or all if all do."""
    tiles = sum(map(int.bit_count, simulation.hands))
    if len(simulation.active) > 2 or not simulation.rules.is_one_deal or tiles > budget.tiles:
        return moves
    endgame, lost = EndgameSearch(simulation, budget.nodes), set[Ply]()
    for move in moves:
        try:
            value = endgame.evaluate(move)
        except OutOfNodesError:
            break
        if value == WON:
            return [move]
        if value == LOST:
            lost.add(move)
    return [move for move in moves if move not in lost] or moves


class Node:
    """Statistics of the rollouts through a move."""

    __slots__ = ("children", "times_legal", "total_payoff", "tries_all_moves", "visits")

    def __init__(self) -> None:
        self.children: dict[Ply, Node] = {}
        self.tries_all_moves = False  # whether every move is tried once before any is repeated
        self.times_legal = 0  # rollouts in which the move was legal
        self.visits = 0
        self.total_payoff = 0.0  # total payoff of the seat that made the move


def grow_tree(
    simulation: Simulation, deals: DealSampler, rng: Rng, plies: int, should_stop: Callable[[], bool] | None = None
) -> Node:
    """Return the tree after so many moves, or fewer if `should_stop`."""
    root = Node()
    root.tries_all_moves = True
    while True:
        deals.deal(simulation, rng)
        plies -= _run_rollout(simulation, root, rng)
        if plies <= 0 or (should_stop is not None and should_stop()):
            return root


def _run_rollout(simulation: Simulation, root: Node, rng: Rng) -> int:
    """Play one deal to its end through the tree, and add a node; return the number of moves."""
    node, path = root, []
    is_new = False
    while not is_new and (moves := simulation.list_moves()):
        seat = simulation.turn
        move = moves[0] if len(moves) == 1 else _choose_promising(simulation, node, moves, rng)
        child = node.children.get(move)
        if child is None:
            child = node.children[move] = Node()
            is_new = len(moves) > 1
        if len(moves) == 1 or is_new:
            child.times_legal += 1
        simulation.play(move)
        path.append((child, seat))
        node = child
    while not simulation.over:
        moves = simulation.list_moves()
        simulation.play(moves[0] if len(moves) == 1 else choose_greedy_move(simulation, moves, rng))
    payoffs = compute_payoffs(simulation)
    for child, seat in path:
        child.visits += 1
        child.total_payoff += payoffs[seat]
    plies = simulation.ply_count
    for _ in range(plies):
        simulation.undo()
    return plies


def _choose_promising(simulation: Simulation, node: Node, moves: list[Ply], rng: Rng) -> Ply:
    """Return the move with the highest bound; untried moves join in greedy order (progressive widening)."""
    children = node.children
    tried, untried = [], []
    for move in moves:
        child = children.get(move)
        if child is None:
            untried.append(move)
        else:
            tried.append((move, child))
    if untried and (node.tries_all_moves or len(tried) <= WIDENING * node.visits**0.5):
        return choose_greedy_move(simulation, untried, rng)
    best, found = -1.0, moves[0]
    for move, child in tried:
        visits = child.visits
        child.times_legal += 1
        bound = child.total_payoff / visits + EXPLORATION * sqrt(log(child.times_legal) / visits)
        if bound > best:
            best, found = bound, move
    return found


def choose_greedy_move(simulation: Simulation, moves: list[Ply], rng: Rng) -> Ply:
    """Return the greedy move: the most points now, then the heaviest tile."""
    tableau, rules = simulation.tableau, simulation.rules
    pips, scores, points = tableau.table.pips_by_way, rules.scores_tiles, rules.compute_points
    most, best = -1, moves[:1]
    for move in moves:
        way = move[1]
        if way < 0:
            continue
        value = pips[way]
        if scores:
            value += points(tableau, *move) * 100
        if value > most:
            most, best = value, [move]
        elif value == most:
            best.append(move)
    return best[0] if len(best) == 1 else best[int(rng.random() * len(best))]


def compute_payoffs(simulation: Simulation) -> list[float]:
    """Return each seat's payoff, 0 to 1: its share of the win and of the lead, or of the lead in other rounds."""
    totals, places = simulation.totals, simulation.places
    found = []
    for seat, total in enumerate(totals):
        lead = total - max([other for rival, other in enumerate(totals) if rival != seat])
        value = 0.5 + 0.5 * lead / (abs(lead) + HALF_LEAD)
        if places is not None:
            win_share = 1 / places.count(1) if places[seat] == 1 else 0
            value = (1 - MARGIN_WEIGHT) * win_share + MARGIN_WEIGHT * value
        found.append(value)
    return found
