"""The exact end of a round of two with all tiles known.

Alpha-beta over the simulation; moves that leave the fewest replies come first, and positions are cached.
"""

from typing import Final

from engine.board.tableau import Ply, TrailTableau
from engine.match.simulation import Simulation

WON: Final = 1.0
LOST: Final = 0.0


class OutOfNodesError(Exception):
    """The search exceeds its budget."""


class EndgameSearch:
    """The winner from the point of view of one seat: 1, a half for a shared win, or 0."""

    def __init__(self, simulation: Simulation, nodes: int) -> None:
        self._simulation = simulation
        self._viewer = simulation.turn
        self.nodes = nodes  # budget of positions
        self._bounds: dict[object, tuple[float, float]] = {}  # bounds of a position's value

    def evaluate(self, move: Ply, least: float = LOST) -> float:
        """Return the value of a move, or an upper bound if it is at most `least`. Raises OutOfNodesError."""
        simulation = self._simulation
        plies = simulation.ply_count
        try:
            simulation.play(move)
            return self._search(least, WON)
        finally:
            while simulation.ply_count > plies:
                simulation.undo()

    def _search(self, alpha: float, beta: float) -> float:
        simulation = self._simulation
        if simulation.over:
            return self._compute_result()
        self.nodes -= 1
        if self.nodes < 0:
            raise OutOfNodesError
        key = self._build_key()
        low, high = self._bounds.get(key, (LOST, WON))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        is_viewer_turn = simulation.turn == self._viewer
        first, last = alpha, beta
        best = LOST if is_viewer_turn else WON
        for move in self._order_moves():
            simulation.play(move)
            value = self._search(alpha, beta)
            simulation.undo()
            if is_viewer_turn:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        self._bounds[key] = (low if best <= first else best, high if best >= last else best)
        return best

    def _build_key(self) -> object:
        """Return the cache key, with the last tile on a trail, and the lead if tiles score."""
        simulation, tableau = self._simulation, self._simulation.tableau
        lead = simulation.totals[0] - simulation.totals[1] if simulation.rules.scores_tiles else 0
        last = tableau.last if isinstance(tableau, TrailTableau) else None
        return (
            simulation.turn,
            simulation.failed,
            simulation.further,
            lead,
            last,
            frozenset(tableau.placed_ways.items()),
        )

    def _compute_result(self) -> float:
        places = self._simulation.places
        assert places is not None
        return 1 / places.count(1) if places[self._viewer] == 1 else LOST

    def _order_moves(self) -> list[Ply]:
        simulation = self._simulation
        moves = simulation.list_moves()
        if len(moves) < 2:
            return moves
        tableau, seat = simulation.tableau, simulation.turn
        other, hand, bits = simulation.hands[1 - seat], simulation.hands[seat], tableau.table.bit_by_way
        ranked = []
        for move in moves:
            cell, way = move
            if way < 0:
                ranked.append((0, 0, move))
                continue
            tableau.place(cell, way)
            replies, own = len(tableau.list_legal_moves(other)), len(tableau.list_legal_moves(hand & ~bits[way]))
            tableau.undo()
            ranked.append((replies, -own, move))
        ranked.sort()
        return [move for _, _, move in ranked]
