"""Greedy rollouts for some turns, and the evaluation of their last position."""

from functools import lru_cache
from typing import Final

from engine.board.demands import MOST_DEMANDS, Cache, TileTable
from engine.board.tableau import Ply
from engine.board.tiles import is_triple
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.match.turns import DRAW
from engine.players.evaluation_weights import Leaf, Taste

WAY: Final = 16
PIPS: Final = 8  # a choice is points, pips and way in one number, so that the greater one is greedier
POINTS: Final = WAY + PIPS
LAST_WAY: Final = (1 << WAY) - 1
NOTHING_WORTH: Final = -1e9  # less than any placement
CHUNK: Final = 14  # bits of a hand per lookup of pips
_CHUNK = (1 << CHUNK) - 1


class ByPips(dict[int, int]):
    """A cache of the best choice for one demand by held tiles, if a tile scores its pips."""

    def __init__(self, table: TileTable, demand: int) -> None:
        super().__init__()
        self._pips, self._ways = table.pips, table.ways[demand]

    def __missing__(self, held: int) -> int:
        pips = self._pips
        found = self[held] = max(pips[way] << POINTS | pips[way] << WAY | way for way in self._ways[held])
        return found


@lru_cache(maxsize=8)
def choices_of(rules: Rules, table: TileTable) -> Cache[int, ByPips | None]:
    """Return how to find the best choice by demand, cached per game; None if bonuses must be computed."""
    return Cache(lambda demand: ByPips(table, demand) if rules.scores_pips(table, demand) else None, MOST_DEMANDS)


@lru_cache(maxsize=8)
def pips_of_chunks(table: TileTable) -> tuple[list[int], ...]:
    """Return the pips of every part of a hand, by `CHUNK` tiles."""
    each = [table.pips[number * table.turns] for number in range(len(table.tiles))]
    chunks = []
    for first in range(0, len(each), CHUNK):
        sums = [0]
        for pips in each[first : first + CHUNK]:
            sums += [known + pips for known in sums]
        chunks.append(sums)
    return tuple(chunks)


class Playouts:
    """Plays a simulation on, evaluates it for a seat, and undoes the moves."""

    def __init__(self, one: Simulation, leaf: Leaf | None, turns: int, taste: Taste | None = None) -> None:
        """All seats play greedily; with a `taste`, the evaluated seat uses that."""
        self.one: Final = one
        self.leaf: Final = leaf
        self.turns: Final = turns
        self.taste: Final = taste
        self._choices: Final = choices_of(one.rules, one.tableau.table)
        self._pips: Final = pips_of_chunks(one.tableau.table)

    def worth(self, move: Ply, seat: int) -> float:
        """Return the seat's lead over the mean of the others after this move and its rollout."""
        one = self.one
        before = one.plies
        one.play(move)
        self.play_on(seat)
        found = self.ahead(seat)
        while one.plies > before:
            one.undo()
        return found

    def play_on(self, seat: int | None = None) -> None:
        """Play a rollout; the seat uses the taste, if there is one."""
        one, turns = self.one, self.turns
        tasting = seat if self.taste is not None else None
        while turns and not one.over:
            following = self.tasteful() if one.turn == tasting else self.greedy()
            one.play(following)
            turns -= following != DRAW

    def greedy(self) -> Ply:
        """Return the greedy move; the first of equal ones."""
        one = self.one
        if one.reward is not None or not one.tableau.lies or one.bonus_tiles:
            return self._inside_a_turn()
        code, cell, _, _ = self.scan(one.hands[one.turn])
        return (cell, code & LAST_WAY) if code >= 0 else one.moves()[-1]

    def tasteful(self) -> Ply:
        """Return the move of a seat that considers the rest of its hand, and which unseen tiles fit afterwards."""
        one, taste = self.one, self.taste
        assert taste is not None
        if one.reward is not None or not one.tableau.lies or one.bonus_tiles:
            return self._inside_a_turn()
        tableau = one.tableau
        hand, table = one.hands[one.turn], tableau.table
        moves = tableau.legal(hand)
        if len(moves) < 2:
            return moves[0] if moves else one.moves()[-1]
        hidden = table.whole & ~(tableau.played | hand)
        unseen = hidden.bit_count() or 1
        unseen_fit = taste.unseen_fit / unseen
        others_bonus = taste.others_bonus * (sum(map(int.bit_count, one.hands)) - hand.bit_count()) / unseen
        best, most = moves[0], NOTHING_WORTH
        for move in moves:
            cell, way = move
            worth = taste.points * self._points(cell, way) + taste.pips * table.pips[way]
            if taste.triple:
                worth += taste.triple * is_triple(table.turned[way].tile)
            tableau.place(cell, way)
            worth += self._left(hand & ~table.bits[way])
            fits, bonuses = self._open_to(hidden)
            tableau.undo()
            worth += unseen_fit * fits.bit_count() + others_bonus * bonuses
            if worth > most:
                best, most = move, worth
        return best

    def _points(self, cell: int, way: int) -> int:
        tableau = self.one.tableau
        if self._choices[tableau.demand[cell]] is not None:
            return tableau.table.pips[way]
        return sum(self._earned(cell, way))

    def _left(self, kept: int) -> float:
        """Return the value of the rest of a hand for its own seat."""
        code, _, fits, bonuses = self.scan(kept)
        if code < 0:
            return 0.0
        taste, tiles = self.taste, kept.bit_count()
        assert taste is not None
        own = taste.own_next * (code >> POINTS) + taste.own_bonus * bonuses
        return own + taste.own_fit * fits.bit_count() / tiles + taste.last_fits * (tiles == 1)

    def _open_to(self, hidden: int) -> tuple[int, int]:
        tableau, choices = self.one.tableau, self._choices
        demand = tableau.demand
        fits = bonuses = 0
        for cell, mask in tableau.masks.items():
            if held := mask & hidden:
                fits |= held
                if choices[demand[cell]] is None:
                    bonuses += sum([self._earned(cell, way)[1] for way in tableau.table.ways[demand[cell]][held]])
        return fits, bonuses

    def _earned(self, cell: int, way: int) -> tuple[int, int]:
        """Return the score of a placement without bonuses, and its bonuses, including one to choose."""
        rules, tableau = self.one.rules, self.one.tableau
        earned = rules.earned(tableau, cell, way)
        reward = rules.reward(tableau.table.turned[way].tile, earned, opening=False, bonus_tile=False)
        return earned.base, earned.bonus + (reward.points if reward is not None else 0)

    def scan(self, hand: int) -> tuple[int, int, int, int]:
        """Return a hand's best choice and its cell, its fitting tiles, and the sum of its open bonuses. The choice is
        negative if nothing fits.
        """
        tableau, choices = self.one.tableau, self._choices
        demand = tableau.demand
        best, at, fits, bonuses = -1, 0, 0, 0
        for cell, mask in tableau.masks.items():
            held = mask & hand
            if held:
                fits |= held
                plain = choices[demand[cell]]
                if plain is not None:
                    code = plain[held]
                else:
                    code, bonus = self._special(cell, held)
                    bonuses += bonus
                if code > best:
                    best, at = code, cell
        return best, at, fits, bonuses

    def _special(self, cell: int, held: int) -> tuple[int, int]:
        """Return the best choice at a cell with a bonus, and that bonus."""
        tableau = self.one.tableau
        table, best, most = tableau.table, -1, 0
        for way in table.ways[tableau.demand[cell]][held]:
            base, bonus = self._earned(cell, way)
            code = base + bonus << POINTS | table.pips[way] << WAY | way
            if code > best:
                best, most = code, bonus
        return best, most

    def _inside_a_turn(self) -> Ply:
        one = self.one
        moves = one.moves()
        if moves[0][1] < 0:
            return moves[0]
        earned, pips = one.earned, one.tableau.table.pips
        return max(moves, key=lambda move: (earned(move).points, pips[move[1]]))

    def ahead(self, seat: int) -> float:
        """Return the seat's actual or expected lead over the mean of the other active seats."""
        one = self.one
        totals, others = one.totals, [other for other in one.active if other != seat]
        ahead = totals[seat] - sum([totals[other] for other in others]) / len(others)
        if one.over or self.leaf is None:
            return ahead
        return ahead + self.leaf.worth(self.facts(seat), seat == one.turn)

    def facts(self, seat: int) -> list[float]:
        """Return a leaf's input: the fewest tiles in any hand, the facts of this hand, the others' mean facts."""
        one = self.one
        hands = one.hands
        mine = self.of_hand(hands[seat])
        others = [self.of_hand(hands[other]) for other in one.active if other != seat]
        fewest = min(hands[other].bit_count() for other in one.active)
        if len(others) == 1:
            return [fewest, *mine, *others[0]]
        return [fewest, *mine, *[sum(column) / len(others) for column in zip(*others, strict=True)]]

    def of_hand(self, hand: int) -> tuple[float, ...]:
        """Return the facts of a hand (`engine.players.evaluation_weights.Leaf`)."""
        code, _, fits, bonuses = self.scan(hand)
        tiles, pips = hand.bit_count(), self.pips(hand)
        if code < 0:
            return tiles, pips, 0, 0, 0, 0, pips, 1, 0
        fitting = fits.bit_count()
        stuck = pips - self.pips(fits)
        return tiles, pips, fitting, fitting / tiles, code >> POINTS, bonuses, stuck, 0, tiles == 1

    def pips(self, hand: int) -> int:
        found = 0
        for chunk in self._pips:
            found += chunk[hand & _CHUNK]
            hand >>= CHUNK
        return found
