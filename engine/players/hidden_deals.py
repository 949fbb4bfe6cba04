"""Sampled deals of the hidden tiles that agree with the public moves.

Certain: a seat that passed held nothing that fitted, and no seat has a higher triple than the opening tile. Likely:
most players place their best tile, so a tile that would have scored more is probably elsewhere.
"""

from collections.abc import Iterable, Sequence
from math import exp
from typing import Final

from engine.board.board import Placement
from engine.board.demands import TileTable
from engine.board.tableau import Ply, Tableau
from engine.board.tiles import Tile
from engine.families.dominoes import DominoRules
from engine.families.trioker import TriokerRules
from engine.match.events import Chose, Drew, Passed, Placed
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.greedy import Rng

CERTAIN_PENALTY: Final = 1000.0  # weight against a deal in which a seat has an impossible tile
LIKELY_PENALTY: Final = 1.0  # weight of a tile that the seat would rather have placed; 1 means a chance of one to e
SWAPS: Final = 4  # swaps per hidden tile before the first deal; one between two deals


class DealSampler:
    """Samples deals of the tiles that one seat does not see. Each comes from the one before by swaps of two tiles
    (Metropolis): in the long run, deals appear in proportion to their likelihood.
    """

    def __init__(self, view: PlayerView, simulation: Simulation) -> None:
        assert view.own_seat is not None
        assert view.own_seat.hand is not None
        table = simulation.tableau.table
        own_hand = table.to_mask(view.own_seat.hand)
        self._own_hand, self._choices = own_hand, table.to_mask(view.choices)
        seen = own_hand | simulation.tableau.played_mask
        self._unseen = [bit for bit in table.bit_by_tile.values() if not bit & seen]
        self._viewer, self._seats = view.own_seat.seat, len(view.seats)
        self._active = [not seat.resigned for seat in view.seats]
        # The boneyard and the tiles set aside come after the seats.
        counts = [0 if seat is view.own_seat else seat.tiles for seat in view.seats] + [view.boneyard, view.aside]
        self._holders = [holder for holder, count in enumerate(counts) for _ in range(count)]
        # Tiles without a known holder are not in play.
        self._holders += [len(view.seats) + 1] * (len(self._unseen) - len(self._holders))
        self._penalties = compute_penalties(view, self._unseen)
        self.is_certain = len({*self._holders}) < 2  # whether only one deal is possible
        self._is_started = False

    def deal(self, simulation: Simulation, rng: Rng) -> None:
        """Deal the next sample in the simulation."""
        if not self.is_certain:
            if not self._is_started:
                _shuffle(self._unseen, rng)
                self._repair_deal()
                self._swap(len(self._unseen) * SWAPS, rng)
            self._swap(len(self._unseen), rng)
        self._is_started = True
        held: list[list[int]] = [[] for _ in range(self._seats + 2)]
        for holder, bit in zip(self._holders, self._unseen, strict=True):
            held[holder].append(bit)
        hands = [sum(bits) if playing else 0 for bits, playing in zip(held, self._active, strict=False)]
        hands[self._viewer] = self._own_hand
        simulation.deal(hands, held[self._seats], self._choices)

    def _compute_swap_penalty(self, one: int, other: int) -> float:
        """Return the increase of the weight against the deal by this swap."""
        own_penalties, other_penalties = self._penalties[self._holders[one]], self._penalties[self._holders[other]]
        first, second = self._unseen[one], self._unseen[other]
        return (
            own_penalties.get(second, 0.0)
            + other_penalties.get(first, 0.0)
            - own_penalties.get(first, 0.0)
            - other_penalties.get(second, 0.0)
        )

    def _repair_deal(self) -> None:
        """Swap impossible tiles to more likely holders, until none is impossible."""
        unseen, holders, places = self._unseen, self._holders, range(len(self._unseen))
        for _ in places:
            wrong = [
                place for place in places if self._penalties[holders[place]].get(unseen[place], 0.0) >= CERTAIN_PENALTY
            ]
            if not wrong:
                return
            for one in wrong:
                other = min(places, key=lambda place: self._compute_swap_penalty(one, place))
                unseen[one], unseen[other] = unseen[other], unseen[one]

    def _swap(self, times: int, rng: Rng) -> None:
        unseen, holders, count = self._unseen, self._holders, len(self._unseen)
        for _ in range(times):
            one, other = int(rng.random() * count), int(rng.random() * count)
            if holders[one] != holders[other]:
                worse = self._compute_swap_penalty(one, other)
                if worse <= 0 or rng.random() < exp(-worse):
                    unseen[one], unseen[other] = unseen[other], unseen[one]


def compute_penalties(view: PlayerView, unseen: Sequence[int]) -> list[dict[int, float]]:
    """Return the weight against each of these tiles, by seat; none for the boneyard and the tiles set aside."""
    rules, board, hidden = view.rules, view.rules.build_board(), sum(unseen)
    tableau = board.tableau
    found: list[dict[int, float]] = [{} for _ in range(len(view.seats) + 2)]

    def add_penalty(seat: int, bits: Iterable[int], weight: float) -> None:
        for bit in bits:
            found[seat][bit] = found[seat].get(bit, 0.0) + weight

    placed_count = sum(isinstance(act, Placed) for act in view.history)
    for placement in view.tiles[: len(view.tiles) - placed_count]:
        tableau.place(*board.plies_by_placement[placement])
    for act in view.history:
        match act:
            case Placed(seat, tile, cell, rotation):
                move = board.plies_by_placement[Placement(tile, cell, rotation)]
                if act is view.history[0] and not tableau.placed_ways:
                    for other in range(len(view.seats)):
                        add_penalty(other, _list_better_leads(rules, tableau.table, tile, unseen), CERTAIN_PENALTY)
                elif seat != view.viewer and tableau.placed_ways:
                    add_penalty(seat, _find_better_bits(rules, tableau, move, hidden), LIKELY_PENALTY)
                tableau.place(*move)
            case Drew(seat):
                # A drawn tile may fit what the hand did not.
                found[seat].clear()
            case Passed(seat) if not rules.may_draw_freely:
                add_penalty(seat, _find_fitting_bits(tableau, hidden), CERTAIN_PENALTY)
            case Chose(seat, "stop"):
                penalty = CERTAIN_PENALTY if rules.must_take_further_turn else LIKELY_PENALTY
                add_penalty(seat, _find_fitting_bits(tableau, hidden), penalty)
            case _:
                pass
    return found


def _list_better_leads(rules: Rules, table: TileTable, led: Tile, unseen: Sequence[int]) -> list[int]:
    if not (isinstance(rules, TriokerRules) or (isinstance(rules, DominoRules) and rules.lead == "tile")):
        return []
    return [bit for bit in unseen if rules.find_opening([(led,), table.list_tiles(bit)]).seat]


def _find_fitting_bits(tableau: Tableau, hidden: int) -> set[int]:
    bits = tableau.table.bit_by_way
    return {bits[way] for _, way in tableau.list_legal_moves(hidden)}


def _find_better_bits(rules: Rules, tableau: Tableau, move: Ply, hidden: int) -> set[int]:
    bits, least = tableau.table.bit_by_way, _compute_gain(rules, tableau, move)
    return {
        bits[other[1]] for other in tableau.list_legal_moves(hidden) if _compute_gain(rules, tableau, other) > least
    }


def _compute_gain(rules: Rules, tableau: Tableau, move: Ply) -> tuple[int, int]:
    return rules.compute_score(tableau, *move).points, tableau.table.pips_by_way[move[1]]


def _shuffle(bits: list[int], rng: Rng) -> None:
    for last in range(len(bits) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        bits[last], bits[other] = bits[other], bits[last]
