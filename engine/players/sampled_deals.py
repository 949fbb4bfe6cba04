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
from engine.players.lookahead import list_best_scores

MIN_CHANCE: Final = 1e-300  # replaces a chance of 0, which has no logarithm


@dataclass(slots=True)
class Pile:
    """Tiles that came into a hand at the same moment and are still in it."""

    tiles: int
    excluded_mask: int = 0  # tiles that are not among them, as a mask
    missed_points: dict[int, int] = field(default_factory=dict)
    """By bit: how much more a tile would have scored than the actual placements, if it had been among them."""


class Belief:
    def __init__(self, view: PlayerView, doubts: Sequence[tuple[int, float]]) -> None:
        """`doubts` has the odds of an unplayed better tile: by extra points, the factor."""
        self.rules: Final[Rules] = view.rules
        self._view: Final = view
        self._doubts: Final = sorted(doubts, reverse=True)
        board = view.rules.build_board()
        self._board: Final = board
        self._tableau: Final[Tableau] = board.tableau
        assert view.viewer is not None
        own_tiles = view.seats[view.viewer].hand
        assert own_tiles is not None, "everybody sees their own hand"
        table = board.tableau.table
        self._own_hand: Final = table.to_mask(own_tiles)
        placed_mask = table.to_mask(placement.tile for placement in view.tiles)
        self._unseen: Final = table.full_mask & ~placed_mask & ~self._own_hand
        self.piles: Final = self._infer_piles()  # tiles of the other hands, by seat
        self._pool: Final = [1 << number for number in range(len(table.tiles)) if self._unseen >> number & 1]
        ordered = [(seat, pile) for seat, piles in self.piles.items() for pile in piles if pile.tiles]
        # The most restricted piles come first: with nested restrictions, all deals are then equally likely.
        ordered.sort(key=lambda one: (one[1].excluded_mask & self._unseen).bit_count(), reverse=True)
        self._sources: Final = [
            (
                seat,
                pile.tiles,
                [(bit, 1 / self._compute_odds(pile, bit)) for bit in self._pool if not bit & pile.excluded_mask],
            )
            for seat, pile in ordered
        ]

    def sample_deal(self, rng: Rng) -> tuple[list[int], list[int]]:
        """Return a sampled deal: hands by seat as masks, and a boneyard as bits."""
        hands, taken, chance = [0] * len(self._view.seats), 0, rng.random
        assert self._view.viewer is not None
        hands[self._view.viewer] = self._own_hand
        for seat, tiles, source in self._sources:
            # Exponential waiting times draw each tile in proportion to its odds.
            waits = [(-log(chance() or MIN_CHANCE) * slow, bit) for bit, slow in source if not bit & taken]
            waits.sort()
            held = 0
            for _, bit in waits[:tiles]:
                held |= bit
            if len(waits) < tiles:
                held |= self._draw_any(tiles - len(waits), taken | held, rng)
            hands[seat] |= held
            taken |= held
        rest = [bit for bit in self._pool if not bit & taken]
        rest.sort(key=lambda _: chance())
        return hands, rest[: self._view.boneyard]

    def _draw_any(self, tiles: int, taken: int, rng: Rng) -> int:
        """Draw tiles against the inference, for a seat that did not play as assumed."""
        free = [bit for bit in self._pool if not bit & taken]
        free.sort(key=lambda _: rng.random())
        return sum(free[:tiles])

    def _infer_piles(self) -> dict[int, list[Pile]]:
        view, rules = self._view, self.rules
        resigned = {event.seat for event in view.history if isinstance(event, Resigned)}
        dealt_to = [seat.seat for seat in view.seats if not seat.resigned or seat.seat in resigned]
        size = rules.compute_hand_size(len(dealt_to))
        piles = {seat: [Pile(size)] for seat in dealt_to if seat != view.viewer}
        for event in view.history:
            match event:
                case Placed() as placed:
                    self._apply_placement(piles.get(placed.seat, ()), placed, piles)
                case Drew(seat):
                    self._exclude_fitting_tiles(piles.get(seat, ()))
                    if seat in piles:
                        piles[seat].append(Pile(1))
                case Passed(seat):
                    self._exclude_fitting_tiles(piles.get(seat, ()))
                case Resigned(seat):
                    piles.pop(seat, None)
                case _:
                    pass
        for seat, held in piles.items():
            if sum(pile.tiles for pile in held) != view.seats[seat].tiles:
                # The history of the round is incomplete: infer nothing.
                piles[seat] = [Pile(view.seats[seat].tiles)]
        return piles

    def _exclude_fitting_tiles(self, piles: Sequence[Pile]) -> None:
        """Exclude fitting tiles from the hand of a seat that drew or passed."""
        if self.rules.may_draw_freely:
            return
        fits = self._tableau.compute_fitting_tiles()
        for pile in piles:
            pile.excluded_mask |= fits

    def _apply_placement(self, piles: Sequence[Pile], placed: Placed, piles_by_seat: dict[int, list[Pile]]) -> None:
        tableau = self._tableau
        bit = tableau.table.bit_by_tile[placed.tile]
        if not tableau.placed_ways:
            self._apply_opening(placed, piles_by_seat)
        if piles:
            # The tile that ended the drawing; else one of the oldest possible ones, since younger piles may be larger.
            candidates = (pile for pile in piles if pile.tiles and not pile.excluded_mask & bit)
            came_from = piles[-1] if placed.drawn else next(candidates, piles[-1])
            came_from.tiles -= 1
            if tableau.placed_ways and self._doubts:
                self._record_missed_points(piles, placed)
        tableau.place(*self._board.plies_by_placement[Placement(placed.tile, placed.cell, placed.rotation)])

    def _apply_opening(self, placed: Placed, piles_by_seat: dict[int, list[Pile]]) -> None:
        # The triple of zeros may have been a choice.
        if self.rules.has_random_opener or not sum(placed.tile):
            return
        table = self._tableau.table
        better_openers = [
            tile for tile in table.list_tiles(self._unseen) if self.rules.find_opening([[placed.tile], [tile]]).seat
        ]
        banned = table.to_mask(better_openers)
        for piles in piles_by_seat.values():
            piles[0].excluded_mask |= banned

    def _record_missed_points(self, piles: Sequence[Pile], placed: Placed) -> None:
        scored = placed.base + placed.bonus
        best, _ = list_best_scores(self.rules, self._tableau, self._unseen)
        for bit, points in best.items():
            if (more := points - scored) > 0:
                for pile in piles:
                    pile.missed_points[bit] = max(more, pile.missed_points.get(bit, 0))

    def _compute_odds(self, pile: Pile, bit: int) -> float:
        """Return the odds that a tile is in this pile, relative to a tile that would never have scored more than the
        played ones.
        """
        missed = pile.missed_points.get(bit, 0)
        return next((factor for least, factor in self._doubts if missed >= least), 1.0)
