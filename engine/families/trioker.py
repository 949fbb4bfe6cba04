"""Trioker: the complete set of triangles, dealt to the last tile (RULES §6)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal

from engine.board.lattice import TRIANGLES, Cell, Fit
from engine.board.tableau import Tableau
from engine.board.tiles import WILD, Tile, list_all_tiles, to_canonical
from engine.match.bonuses import BonusRules, compute_bonus
from engine.match.options import MATCH_NUMBERS, NO_HEAD_START, Switch, require
from engine.match.rules import Opening, Score, find_highest_opening

BOARD_RADIUS: Final = 2  # radius of the hexagonal board: 24 cells, as many as the set has tiles


@dataclass(frozen=True, slots=True, kw_only=True)
class TriokerRules(BonusRules):
    trioker_values: int  # count of numbers: 4 means 0 to 3, and 24 tiles
    trioker_joker: Switch  # whether the tile with one wild corner is dealt
    joker_corners: tuple[int, int]  # the numbers on its other two corners
    trioker_bonuses: Switch  # whether hexagons and bridges score
    trioker_board: Literal["unbounded", "hexagon"]
    """Anywhere, or in the hexagon of 24 cells around the first tile's left corner."""

    one_deal: ClassVar[bool] = True
    numbers: ClassVar[Mapping[str, tuple[int, int]]] = {**MATCH_NUMBERS, "trioker_values": (4, 6)}

    def check(self) -> None:
        inside = all(0 <= label < self.trioker_values for label in self.joker_corners)
        require(inside, "joker_corners must be two numbers of the set")
        self.check_bonuses()

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return _list_tiles(self.trioker_values, self.joker_corners if self.trioker_joker == "on" else None)

    @property
    def fit(self) -> Fit:
        return _HEXAGON if self.trioker_board == "hexagon" else _ANYWHERE

    def find_opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        return find_highest_opening(hands)

    @property
    def has_bonuses(self) -> bool:
        return self.trioker_bonuses == "on"

    @property
    def scores_tiles(self) -> bool:
        return self.has_bonuses

    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        if self.trioker_bonuses == "off" or not tableau.placed_ways:
            return Score(0)
        placement_bonus = compute_bonus(tableau, cell, self)
        return Score(0, placement_bonus.bonus, placement_bonus.hexagons, placement_bonus.bridge)

    def list_block_winners(self, totals: Sequence[int], tiles: Sequence[int] | None) -> list[int]:
        """See `Rules.list_block_winners`: the fewest tiles; among those the fewest pips."""
        counts = tiles or [0] * len(totals)
        held = list(zip(counts, totals, strict=True))
        return [seat for seat, hand in enumerate(held) if hand == min(held)]

    def list_match_winners(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Return the round's winners if a single deal decides and no other points count."""
        decides = self.is_one_deal and self.head_start == NO_HEAD_START and self.trioker_bonuses == "off"
        return list(won_round) if decides else []


@lru_cache
def _list_tiles(values: int, joker: tuple[int, int] | None) -> tuple[Tile, ...]:
    tiles = list_all_tiles(values)
    return tiles if joker is None else (to_canonical((WILD, *joker)), *tiles)


def _is_inside(cell: Cell) -> bool:
    corners = TRIANGLES.get_shape(cell).corners
    return all(max(abs(x), abs(y), abs(x + y)) <= BOARD_RADIUS for x, y in corners)


_ANYWHERE = Fit()
_HEXAGON = Fit(within=_is_inside)
