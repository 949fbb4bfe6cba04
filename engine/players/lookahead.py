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
from engine.players.evaluation_weights import Taste
from engine.players.greedy import Rng

NEARLY: Final = 1e-9  # tolerance for sums of fractions


class Onlooker:
    """Evaluates each placement by its `Taste`; otherwise plays greedily."""

    def __init__(self, rules: Rules, taste: Taste) -> None:
        self.rules: Final = rules
        self.taste: Final = taste

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        if seen.reward is not None or len(seen.moves) < 2:
            return greedy.choose(seen, rng)
        one = as_known(seen)
        moves = [move for move in one.moves() if move[1] >= 0]
        worths = self.worths(one, moves, opponent=tiles_of_next(seen))
        best = max(worths) - NEARLY
        equals = sorted(move for move, worth in zip(moves, worths, strict=True) if worth >= best)
        return one.action(equals[rng.randrange(len(equals))])

    def worths(self, one: Simulation, moves: list[Ply], *, opponent: int) -> list[float]:
        """Return the value of each placement if the next seat holds `opponent` tiles. Only the hand of the seat to move
        is used, not the other hands of the simulation.
        """
        tableau, rules, taste = one.tableau, self.rules, self.taste
        table, hand = tableau.table, one.hands[one.turn]
        worths = []
        for cell, way in moves:
            earned, tile = rules.earned(tableau, cell, way), table.turned[way].tile
            reward = rules.reward(tile, earned, opening=not tableau.lies, bonus_tile=one.bonus_tiles > 0)
            points = earned.points + (reward.points if reward is not None else 0)
            worth = taste.points * points + taste.pips * table.pips[way] + taste.triple * is_triple(tile)
            worth += taste.again * rules.goes_on(earned)
            if taste.looks_on:
                tableau.place(cell, way)
                worth += self._afterwards(tableau, hand & ~table.bits[way], opponent)
                tableau.undo()
            worths.append(worth)
        return worths

    def _afterwards(self, tableau: Tableau, kept: int, opponent: int) -> float:
        taste = self.taste
        unseen = tableau.table.whole & ~tableau.played & ~kept
        best, bonuses = best_of_tiles(self.rules, tableau, kept | unseen)
        own = [points for bit, points in best.items() if bit & kept]
        others = sorted((points for bit, points in best.items() if bit & unseen), reverse=True)
        hidden, held = unseen.bit_count(), kept.bit_count()
        own_bonuses = dict[int, int]()  # a place pays its bonus once, also where several tiles of the hand fit
        for cell, bit, bonus in bonuses:
            if bit & kept:
                own_bonuses[cell] = max(bonus, own_bonuses.get(cell, 0))
        worth = taste.own_bonus * sum(own_bonuses.values())
        if own:
            worth += taste.own_next * max(own) + taste.own_fit * len(own) / held + taste.last_fits * (held == 1)
        if hidden:
            worth += taste.shut_out * (not others)
            worth += taste.unseen_fit * len(others) / hidden + taste.reply * expected_best(others, opponent / hidden)
            open_to_others = sum(bonus for _, bit, bonus in bonuses if bit & unseen)
            worth += taste.others_bonus * open_to_others * opponent / hidden
        return worth


def best_of_tiles(rules: Rules, tableau: Tableau, tiles: int) -> tuple[dict[int, int], list[tuple[int, int, int]]]:
    """Return the most that each tile scores now, by its bit, and the open bonuses: cell, bit of the tile, points."""
    table, best, bonuses = tableau.table, dict[int, int](), list[tuple[int, int, int]]()
    for cell, demand in tableau.open().items():
        if not (held := table.masks[demand] & tiles):
            continue
        for way in table.ways[demand][held]:
            earned, bit = rules.earned(tableau, cell, way), table.bits[way]
            bonus = earned.bonus
            if (reward := rules.reward(table.turned[way].tile, earned, opening=False, bonus_tile=False)) is not None:
                bonus += reward.points
            points = earned.base + bonus
            if points > best.get(bit, -1):
                best[bit] = points
            if bonus:
                bonuses.append((cell, bit, bonus))
    return best, bonuses


def expected_best(falling: list[int], chance: float) -> float:
    """Return the expected best of these values, highest first, each of which is present with the same chance."""
    expected, nothing_better = 0.0, min(1.0, chance)
    for points in falling:
        expected += points * nothing_better
        nothing_better *= 1 - chance
        if nothing_better < NEARLY:
            break
    return expected


def as_known(seen: PlayerView) -> Simulation:
    """Return the running round with the viewer's hand and all other hands empty."""
    assert seen.viewer is not None
    one = Simulation.seen(seen)
    mine = seen.seats[seen.viewer].hand
    assert mine is not None, "everybody sees their own hand"
    hands = [0] * len(seen.seats)
    hands[seen.viewer] = one.tableau.table.hand(mine)
    one.deal(hands, [], one.tableau.table.hand(seen.choices))
    return one


def tiles_of_next(seen: PlayerView) -> int:
    """Return the number of tiles of the seat after the viewer."""
    assert seen.viewer is not None
    seats = seen.seats
    after = [seats[(seen.viewer + step) % len(seats)] for step in range(1, len(seats))]
    return next((seat.tiles for seat in after if not seat.resigned), 0)
