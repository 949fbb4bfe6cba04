"""A search that grows a tree of what may be done, over deals of the hidden tiles that fit what was seen.

Every move is public, so all deals share one tree: each play-out imagines one deal, walks down by what that deal allows,
adds a node, and plays the round to its end as greedy players would. A seat takes in each node what has paid best for
itself, looked at again where it was looked at little (UCB1 over information sets, `max^n` for more than two seats).
Where all tiles are known there is one deal, and it is plain tree search with perfect information.
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

WIDE: Final = 0.25
"""How many moves a place offers: as many times the root of its visits, and one."""
CURIOSITY: Final = 0.3
"""How much a move that was looked at little is favoured over one that has paid well."""
OF_MARGIN: Final = 0.5
"""What the points by which a match is won weigh beside winning it."""
HALF: Final = 40
"""Points ahead that are worth half of all that can be had by being ahead."""


class TreeSearch:
    """A player that grows a tree before each move; it asks whether it is `enough` after each play-out."""

    def __init__(self, budget: Budget) -> None:
        self.budget: Final = budget

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        """The action of the seat that is looking, whose turn it must be."""
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
            moves.sort(key=lambda move: _visits(root, move))
        return simulation.action(moves[-1])


def unless_lost(simulation: Simulation, moves: list[Ply], budget: Budget) -> list[Ply]:
    """One of these moves where it wins for certain; else those that are not known to lose, or all if all do."""
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


def _visits(node: "Node", move: Ply) -> int:
    child = node.children.get(move)
    return 0 if child is None else child.visits


class Node:
    """What came of the play-outs that went through a move."""

    __slots__ = ("children", "everything", "offered", "visits", "worth")

    def __init__(self) -> None:
        self.children: dict[Ply, Node] = {}
        self.everything = False
        """Whether every move is tried once before any is tried again."""
        self.offered = 0
        """Play-outs in which the move was there to be made."""
        self.visits = 0
        self.worth = 0.0
        """What they paid the seat that made the move, together."""


def grown(simulation: Simulation, deals: Deals, rng: Rng, plies: int, enough: Callable[[], bool] | None = None) -> Node:
    """The tree of so many moves, or fewer where it is `enough` before."""
    root = Node()
    root.everything = True
    while True:
        deals.deal(simulation, rng)
        plies -= _play_out(simulation, root, rng)
        if plies <= 0 or (enough is not None and enough()):
            return root


def _play_out(simulation: Simulation, root: Node, rng: Rng) -> int:
    """Play one deal to its end through the tree, which it grows by a node; the moves that took."""
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
    """What looks best where it was looked at least. What was never tried comes in the order in which a greedy player
    would have it, and the more often the node was met the more of it (progressive widening): of two good answers the
    second is worth a look, and the tenth only where there is time.
    """
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
    """What the greedy player does of these: the most points now, among equals the heaviest tile."""
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
    """What the end of a round is worth to each seat, from 0 to 1: its share in winning the match, and a little for the
    points ahead of the best of the others; these alone where another round is dealt.
    """
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
