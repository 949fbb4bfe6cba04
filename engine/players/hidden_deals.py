"""Sampled deals of the hidden tiles that agree with the public moves.

Certain: a seat that passed held nothing that fitted, and no seat has a higher triple than the led tile. Likely:
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

CERTAIN: Final = 1000.0  # weight against a deal in which a seat has an impossible tile
LIKELY: Final = 1.0  # weight of a tile that the seat would rather have placed; 1 means a chance of one to e
SWAPS: Final = 4  # swaps per hidden tile before the first deal; one between two deals


class Deals:
    """Samples deals of the tiles that one seat does not see. Each comes from the one before by swaps of two tiles
    (Metropolis): in the long run, deals appear in proportion to their likelihood.
    """

    def __init__(self, seen: PlayerView, simulation: Simulation) -> None:
        assert seen.mine is not None
        assert seen.mine.hand is not None
        table = simulation.tableau.table
        mine = table.hand(seen.mine.hand)
        self._mine, self._choices = mine, table.hand(seen.choices)
        self._unseen = [bit for bit in table.bit.values() if not bit & (mine | simulation.tableau.played)]
        self._viewer, self._seats = seen.mine.seat, len(seen.seats)
        self._playing = [not seat.resigned for seat in seen.seats]
        # The boneyard and the tiles set aside come after the seats.
        counts = [0 if seat is seen.mine else seat.tiles for seat in seen.seats] + [seen.boneyard, seen.aside]
        self._holders = [holder for holder, count in enumerate(counts) for _ in range(count)]
        # Tiles without a known holder are not in play.
        self._holders += [len(seen.seats) + 1] * (len(self._unseen) - len(self._holders))
        self._against = against(seen, self._unseen)
        self.certain = len({*self._holders}) < 2  # whether only one deal is possible
        self._begun = False

    def deal(self, simulation: Simulation, rng: Rng) -> None:
        """Deal the next sample in the simulation."""
        if not self.certain:
            if not self._begun:
                _shuffle(self._unseen, rng)
                self._mend()
                self._swap(len(self._unseen) * SWAPS, rng)
            self._swap(len(self._unseen), rng)
        self._begun = True
        held: list[list[int]] = [[] for _ in range(self._seats + 2)]
        for holder, bit in zip(self._holders, self._unseen, strict=True):
            held[holder].append(bit)
        hands = [sum(bits) if playing else 0 for bits, playing in zip(held, self._playing, strict=False)]
        hands[self._viewer] = self._mine
        simulation.deal(hands, held[self._seats], self._choices)

    def _worse(self, one: int, other: int) -> float:
        """Return the increase of the weight against the deal by this swap."""
        mine, theirs = self._against[self._holders[one]], self._against[self._holders[other]]
        first, second = self._unseen[one], self._unseen[other]
        return mine.get(second, 0.0) + theirs.get(first, 0.0) - mine.get(first, 0.0) - theirs.get(second, 0.0)

    def _mend(self) -> None:
        """Swap impossible tiles to more likely holders, until none is impossible."""
        unseen, holders, places = self._unseen, self._holders, range(len(self._unseen))
        for _ in places:
            wrong = [place for place in places if self._against[holders[place]].get(unseen[place], 0.0) >= CERTAIN]
            if not wrong:
                return
            for one in wrong:
                other = min(places, key=lambda place: self._worse(one, place))
                unseen[one], unseen[other] = unseen[other], unseen[one]

    def _swap(self, times: int, rng: Rng) -> None:
        unseen, holders, count = self._unseen, self._holders, len(self._unseen)
        for _ in range(times):
            one, other = int(rng.random() * count), int(rng.random() * count)
            if holders[one] != holders[other]:
                worse = self._worse(one, other)
                if worse <= 0 or rng.random() < exp(-worse):
                    unseen[one], unseen[other] = unseen[other], unseen[one]


def against(seen: PlayerView, unseen: Sequence[int]) -> list[dict[int, float]]:
    """Return the weight against each of these tiles, by seat; none for the boneyard and the tiles set aside."""
    rules, board, hidden = seen.rules, seen.rules.board(), sum(unseen)
    tableau = board.tableau
    found: list[dict[int, float]] = [{} for _ in range(len(seen.seats) + 2)]

    def note(seat: int, bits: Iterable[int], weight: float) -> None:
        for bit in bits:
            found[seat][bit] = found[seat].get(bit, 0.0) + weight

    laid = sum(isinstance(act, Placed) for act in seen.history)
    for placement in seen.tiles[: len(seen.tiles) - laid]:
        tableau.place(*board.plies[placement])
    for act in seen.history:
        match act:
            case Placed(seat, tile, cell, rotation):
                move = board.plies[Placement(tile, cell, rotation)]
                if act is seen.history[0] and not tableau.lies:
                    for other in range(len(seen.seats)):
                        note(other, _not_led(rules, tableau.table, tile, unseen), CERTAIN)
                elif seat != seen.viewer and tableau.lies:
                    note(seat, _better(rules, tableau, move, hidden), LIKELY)
                tableau.place(*move)
            case Drew(seat):
                # A drawn tile may fit what the hand did not.
                found[seat].clear()
            case Passed(seat) if not rules.may_draw_freely:
                note(seat, _fitting(tableau, hidden), CERTAIN)
            case Chose(seat, "stop"):
                note(seat, _fitting(tableau, hidden), CERTAIN if rules.must_go_on else LIKELY)
            case _:
                pass
    return found


def _not_led(rules: Rules, table: TileTable, led: Tile, unseen: Sequence[int]) -> list[int]:
    if not (isinstance(rules, TriokerRules) or (isinstance(rules, DominoRules) and rules.lead == "tile")):
        return []
    return [bit for bit in unseen if rules.opening([(led,), table.held(bit)]).seat]


def _fitting(tableau: Tableau, hidden: int) -> set[int]:
    bits = tableau.table.bits
    return {bits[way] for _, way in tableau.legal(hidden)}


def _better(rules: Rules, tableau: Tableau, move: Ply, hidden: int) -> set[int]:
    bits, least = tableau.table.bits, _brings(rules, tableau, move)
    return {bits[other[1]] for other in tableau.legal(hidden) if _brings(rules, tableau, other) > least}


def _brings(rules: Rules, tableau: Tableau, move: Ply) -> tuple[int, int]:
    return rules.earned(tableau, *move).points, tableau.table.pips[move[1]]


def _shuffle(bits: list[int], rng: Rng) -> None:
    for last in range(len(bits) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        bits[last], bits[other] = bits[other], bits[last]
