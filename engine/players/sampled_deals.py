"""What a seat can infer about hidden tiles from the other seats' moves, and deals that agree with it.

A seat that drew or passed held nothing that fitted; no seat was dealt a tile that would have opened instead; and a seat
that placed for few points probably had nothing better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

from engine.board.board import Placement
from engine.board.tableau import Tableau
from engine.match.events import Drew, Passed, Placed, Resigned
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players.greedy import Rng
from engine.players.lookahead import best_of_tiles

LEAST: Final = 1e-300  # replaces a chance of 0, which has no logarithm


@dataclass(slots=True)
class Pile:
    """Tiles that came into a hand at the same moment and are still in it."""

    tiles: int
    banned: int = 0  # tiles that are not among them, as a mask
    missed: dict[int, int] = field(default_factory=dict)
    """By bit: how much more a tile would have scored than the actual placements, if it had been among them."""


class Belief:
    """A seat's belief about the hidden tiles."""

    def __init__(self, seen: PlayerView, doubts: Sequence[tuple[int, float]]) -> None:
        """`doubts` has the odds of an unplayed better tile: by extra points, the factor."""
        self.rules: Final[Rules] = seen.rules
        self._seen: Final = seen
        self._doubts: Final = sorted(doubts, reverse=True)
        board = seen.rules.board()
        self._board: Final = board
        self._tableau: Final[Tableau] = board.tableau
        assert seen.viewer is not None
        mine = seen.seats[seen.viewer].hand
        assert mine is not None, "everybody sees their own hand"
        table = board.tableau.table
        self._mine: Final = table.hand(mine)
        lying = table.hand(placement.tile for placement in seen.tiles)
        self._unseen: Final = table.whole & ~lying & ~self._mine
        self.piles: Final = self._inferred()  # tiles of the other hands, by seat
        self._pool: Final = [1 << number for number in range(len(table.tiles)) if self._unseen >> number & 1]
        ordered = [(seat, pile) for seat, piles in self.piles.items() for pile in piles if pile.tiles]
        # The most restricted piles come first: with nested restrictions, all deals are then equally likely.
        ordered.sort(key=lambda one: (one[1].banned & self._unseen).bit_count(), reverse=True)
        self._sources: Final = [
            (
                seat,
                pile.tiles,
                [(bit, 1 / self._odds(pile, bit)) for bit in self._pool if not bit & pile.banned],
            )
            for seat, pile in ordered
        ]

    def world(self, rng: Rng) -> tuple[list[int], list[int]]:
        """Return a sampled deal: hands by seat as masks, and a boneyard as bits."""
        hands, taken, chance = [0] * len(self._seen.seats), 0, rng.random
        assert self._seen.viewer is not None
        hands[self._seen.viewer] = self._mine
        for seat, tiles, source in self._sources:
            # Exponential waiting times draw each tile in proportion to its odds.
            waits = [(-log(chance() or LEAST) * slow, bit) for bit, slow in source if not bit & taken]
            waits.sort()
            held = 0
            for _, bit in waits[:tiles]:
                held |= bit
            if len(waits) < tiles:
                held |= self._any(tiles - len(waits), taken | held, rng)
            hands[seat] |= held
            taken |= held
        rest = [bit for bit in self._pool if not bit & taken]
        rest.sort(key=lambda _: chance())
        return hands, rest[: self._seen.boneyard]

    def _any(self, tiles: int, taken: int, rng: Rng) -> int:
        """Draw tiles against the inference, for a seat that did not play as assumed."""
        free = [bit for bit in self._pool if not bit & taken]
        free.sort(key=lambda _: rng.random())
        return sum(free[:tiles])

    def _inferred(self) -> dict[int, list[Pile]]:
        seen, rules = self._seen, self.rules
        resigned = {event.seat for event in seen.history if isinstance(event, Resigned)}
        dealt_to = [seat.seat for seat in seen.seats if not seat.resigned or seat.seat in resigned]
        size = rules.hand_size(len(dealt_to))
        piles = {seat: [Pile(size)] for seat in dealt_to if seat != seen.viewer}
        for event in seen.history:
            match event:
                case Placed() as placed:
                    self._placed(piles.get(placed.seat, ()), placed, piles)
                case Drew(seat):
                    self._stuck(piles.get(seat, ()))
                    if seat in piles:
                        piles[seat].append(Pile(1))
                case Passed(seat):
                    self._stuck(piles.get(seat, ()))
                case Resigned(seat):
                    piles.pop(seat, None)
                case _:
                    pass
        for seat, held in piles.items():
            if sum(pile.tiles for pile in held) != seen.seats[seat].tiles:
                # The history of the round is incomplete: infer nothing.
                piles[seat] = [Pile(seen.seats[seat].tiles)]
        return piles

    def _stuck(self, piles: Sequence[Pile]) -> None:
        """Exclude fitting tiles from the hand of a seat that drew or passed."""
        if self.rules.may_draw_freely:
            return
        fits = self._tableau.fitting()
        for pile in piles:
            pile.banned |= fits

    def _placed(self, piles: Sequence[Pile], placed: Placed, everybody: dict[int, list[Pile]]) -> None:
        tableau = self._tableau
        bit = tableau.table.bit[placed.tile]
        if not tableau.lies:
            self._opened(placed, everybody)
        if piles:
            # The tile that ended the drawing; else one of the oldest possible ones, since younger piles may be larger.
            may_be = (pile for pile in piles if pile.tiles and not pile.banned & bit)
            came_from = piles[-1] if placed.drawn else next(may_be, piles[-1])
            came_from.tiles -= 1
            if tableau.lies and self._doubts:
                self._doubt(piles, placed)
        tableau.place(*self._board.plies[Placement(placed.tile, placed.cell, placed.rotation)])

    def _opened(self, placed: Placed, everybody: dict[int, list[Pile]]) -> None:
        # The triple of zeros may have been a choice.
        if self.rules.by_lot or not sum(placed.tile):
            return
        table = self._tableau.table
        instead = [tile for tile in table.held(self._unseen) if self.rules.opening([[placed.tile], [tile]]).seat]
        banned = table.hand(instead)
        for piles in everybody.values():
            piles[0].banned |= banned

    def _doubt(self, piles: Sequence[Pile], placed: Placed) -> None:
        scored = placed.base + placed.bonus
        best, _ = best_of_tiles(self.rules, self._tableau, self._unseen)
        for bit, points in best.items():
            if (more := points - scored) > 0:
                for pile in piles:
                    pile.missed[bit] = max(more, pile.missed.get(bit, 0))

    def _odds(self, pile: Pile, bit: int) -> float:
        """Return the odds of a tile in this pile, compared with a tile that would never have scored more."""
        missed = pile.missed.get(bit, 0)
        return next((factor for least, factor in self._doubts if missed >= least), 1.0)
