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
from engine.players.endgame import LOST, WON, Endgame, OutOfNodesError
from engine.players.evaluation_weights import Budget
from engine.players.greedy import Rng
from engine.players.hidden_deals import Deals

WIDE: Final = 0.25  # progressive widening: a node offers this multiple of the root of its visits, and one
CURIOSITY: Final = 0.3  # exploration constant
OF_MARGIN: Final = 0.5  # weight of the margin compared with winning
HALF: Final = 40  # lead in points that is worth half of the maximum


class TreeSearch:
    """A player that grows a tree before each move; it polls `enough` after each rollout."""

    def __init__(self, budget: Budget) -> None:
        self.budget: Final = budget

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        simulation = Simulation.seen(seen)
        deals = Deals(seen, simulation)
        deals.deal(simulation, rng)
        moves = sorted(simulation.moves())
        if len(moves) == 1:
            return simulation.action(moves[0])
        if deals.certain:
            moves = unless_lost(simulation, moves, self.budget)
        if len(moves) > 1:
            root = grown(simulation, deals, rng, self.budget.plies, enough)
            moves.sort(key=lambda move: root.children[move].visits if move in root.children else 0)
        return simulation.action(moves[-1])


def unless_lost(simulation: Simulation, moves: list[Ply], budget: Budget) -> list[Ply]:
    """Return a move that wins for certain; else the moves that are not known to lose, or all if all do."""
    tiles = sum(map(int.bit_count, simulation.hands))
    if len(simulation.active) > 2 or simulation.rules.target or tiles > budget.tiles:
        return moves
    endgame, lost = Endgame(simulation, budget.nodes), set[Ply]()
    for move in moves:
        try:
            worth = endgame.worth(move)
        except OutOfNodesError:
            break
        if worth == WON:
            return [move]
        if worth == LOST:
            lost.add(move)
    return [move for move in moves if move not in lost] or moves


class Node:
    """Statistics of the rollouts through a move."""

    __slots__ = ("children", "everything", "offered", "visits", "worth")

    def __init__(self) -> None:
        self.children: dict[Ply, Node] = {}
        self.everything = False  # whether every move is tried once before any is repeated
        self.offered = 0  # rollouts in which the move was legal
        self.visits = 0
        self.worth = 0.0  # total payoff of the seat that made the move


def grown(simulation: Simulation, deals: Deals, rng: Rng, plies: int, enough: Callable[[], bool] | None = None) -> Node:
    """Return the tree after so many moves, or fewer if `enough`."""
    root = Node()
    root.everything = True
    while True:
        deals.deal(simulation, rng)
        plies -= _play_out(simulation, root, rng)
        if plies <= 0 or (enough is not None and enough()):
            return root


def _play_out(simulation: Simulation, root: Node, rng: Rng) -> int:
    """Play one deal to its end through the tree, and add a node; return the number of moves."""
    node, path = root, []
    fresh = False
    while not fresh and (moves := simulation.moves()):
        seat = simulation.turn
        move = moves[0] if len(moves) == 1 else _promising(simulation, node, moves, rng)
        child = node.children.get(move)
        if child is None:
            child = node.children[move] = Node()
            fresh = len(moves) > 1
        if len(moves) == 1 or fresh:
            child.offered += 1
        simulation.play(move)
        path.append((child, seat))
        node = child
    while not simulation.over:
        moves = simulation.moves()
        simulation.play(moves[0] if len(moves) == 1 else greediest(simulation, moves, rng))
    paid = paid_to(simulation)
    for child, seat in path:
        child.visits += 1
        child.worth += paid[seat]
    plies = simulation.plies
    for _ in range(plies):
        simulation.undo()
    return plies


def _promising(simulation: Simulation, node: Node, moves: list[Ply], rng: Rng) -> Ply:
    """Return the move with the highest bound; untried moves join in greedy order (progressive widening)."""
    children = node.children
    tried, untried = [], []
    for move in moves:
        child = children.get(move)
        if child is None:
            untried.append(move)
        else:
            tried.append((move, child))
    if untried and (node.everything or len(tried) <= WIDE * node.visits**0.5):
        return greediest(simulation, untried, rng)
    best, found = -1.0, moves[0]
    for move, child in tried:
        visits = child.visits
        child.offered += 1
        bound = child.worth / visits + CURIOSITY * sqrt(log(child.offered) / visits)
        if bound > best:
            best, found = bound, move
    return found


def greediest(simulation: Simulation, moves: list[Ply], rng: Rng) -> Ply:
    """Return the greedy move: the most points now, then the heaviest tile."""
    tableau, rules = simulation.tableau, simulation.rules
    pips, scores, points = tableau.table.pips, rules.scores_tiles, rules.points_of
    most, best = -1, moves[:1]
    for move in moves:
        way = move[1]
        if way < 0:
            continue
        worth = pips[way]
        if scores:
            worth += points(tableau, *move) * 100
        if worth > most:
            most, best = worth, [move]
        elif worth == most:
            best.append(move)
    return best[0] if len(best) == 1 else best[int(rng.random() * len(best))]


def paid_to(simulation: Simulation) -> list[float]:
    """Return each seat's payoff, 0 to 1: its share of the win and of the lead, or of the lead in other rounds."""
    totals, places = simulation.totals, simulation.places
    found = []
    for seat, total in enumerate(totals):
        ahead = total - max([other for rival, other in enumerate(totals) if rival != seat])
        worth = 0.5 + 0.5 * ahead / (abs(ahead) + HALF)
        if places is not None:
            won = 1 / places.count(1) if places[seat] == 1 else 0
            worth = (1 - OF_MARGIN) * won + OF_MARGIN * worth
        found.append(worth)
    return found
