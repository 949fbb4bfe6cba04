"""What the hidden tiles may be: deals of them that fit what was done in the open.

Where a seat passed, it held nothing that fitted; whoever leads the highest triple tells that nobody has a higher one.
Beside what is certain there is what is likely: most people lay the tile that brings most, so a tile that would have
brought more is likelier elsewhere.
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

CERTAIN: Final = 1000.0
"""What it weighs against a deal that a seat has a tile which it cannot have."""
LIKELY: Final = 1.0
"""What it weighs that a seat has a tile which it would rather have laid, e.g. 1 is a chance of one to e."""
SWAPS: Final = 4
"""Swaps that are tried for each hidden tile before the first deal; one between two deals."""


class Deals:
    """Deals of what one seat does not see, one after another.

    Each comes from the one before it by swaps of two tiles between those who hold them, a swap being made as often as
    what it leads to is likely beside what was (Metropolis): in the long run deals come as often as they are likely.
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
        # The boneyard and what is aside come after the seats.
        counts = [0 if seat is seen.mine else seat.tiles for seat in seen.seats] + [seen.boneyard, seen.aside]
        self._holders = [holder for holder, count in enumerate(counts) for _ in range(count)]
        # What nobody is said to hold is not in play.
        self._holders += [len(seen.seats) + 1] * (len(self._unseen) - len(self._holders))
        self._against = against(seen, self._unseen)
        self.certain = len({*self._holders}) < 2
        """Whether a single deal is possible."""
        self._begun = False

    def deal(self, simulation: Simulation, rng: Rng) -> None:
        """Give the simulation the next deal."""
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
        """How much more speaks against a deal once these two are swapped."""
        mine, theirs = self._against[self._holders[one]], self._against[self._holders[other]]
        first, second = self._unseen[one], self._unseen[other]
        return mine.get(second, 0.0) + theirs.get(first, 0.0) - mine.get(first, 0.0) - theirs.get(second, 0.0)

    def _mend(self) -> None:
        """Give what its holder cannot have to whoever can rather have it, until nothing is where it cannot be."""
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
    """What speaks against each of these tiles being held, by seat; nothing does for the boneyard and what is aside."""
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
                # Whatever it held, it may have drawn something else.
                found[seat].clear()
            case Passed(seat) if not rules.may_draw_freely:
                note(seat, _fitting(tableau, hidden), CERTAIN)
            case Chose(seat, "stop"):
                note(seat, _fitting(tableau, hidden), CERTAIN if rules.must_go_on else LIKELY)
            case _:
                pass
    return found


def _not_led(rules: Rules, table: TileTable, led: Tile, unseen: Sequence[int]) -> list[int]:
    """The tiles that nobody was dealt, as this one was led."""
    if not (isinstance(rules, TriokerRules) or (isinstance(rules, DominoRules) and rules.lead == "tile")):
        return []
    return [bit for bit in unseen if rules.opening([(led,), table.held(bit)]).seat]


def _fitting(tableau: Tableau, hidden: int) -> set[int]:
    bits = tableau.table.bits
    return {bits[way] for _, way in tableau.legal(hidden)}


def _better(rules: Rules, tableau: Tableau, move: Ply, hidden: int) -> set[int]:
    """The tiles of which a placement would have brought more."""
    bits, least = tableau.table.bits, _brings(rules, tableau, move)
    return {bits[other[1]] for other in tableau.legal(hidden) if _brings(rules, tableau, other) > least}


def _brings(rules: Rules, tableau: Tableau, move: Ply) -> tuple[int, int]:
    """The points of a placement, then the pips of its tile."""
    return rules.earned(tableau, *move).points, tableau.table.pips[move[1]]


def _shuffle(bits: list[int], rng: Rng) -> None:
    for last in range(len(bits) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        bits[last], bits[other] = bits[other], bits[last]
