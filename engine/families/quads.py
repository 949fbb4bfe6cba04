"""Quad-Ominos: numbers on the corners of squares, and a choice of bonus for three matches (RULES §4, options §4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal

from engine.board.demands import TileTable
from engine.board.lattice import Fit
from engine.board.tableau import Tableau
from engine.board.tiles import Tile, get_tile_set, is_triple, mirror_tile, to_canonical
from engine.match.errors import OptionFault
from engine.match.options import Switch, require
from engine.match.rules import Finish, Opening, Reward, Rules, Score, compute_awards, find_highest_opening

MAX_FIXED_ORDER_TILES: Final = 125  # tiles of the largest playable set with a fixed order of numbers


@lru_cache(maxsize=8)
def _mirror_set(name: str) -> tuple[Tile, ...]:
    return tuple(sorted(to_canonical(mirror_tile(tile)) for tile in get_tile_set(name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadRules(Rules):
    tile_set: str
    quad_arrangement: Literal["clockwise", "counter_clockwise", "free"]
    """In which direction the numbers of a tile rise, or any order per placement."""
    deal: Literal["seed", "half"]  # which of the two tables of hand sizes is dealt
    hands: tuple[int, ...]  # hand sizes from `min_seats` players on; the last one is for all larger tables
    hands_half: tuple[int, ...]  # the same under `deal` half

    zero_opening: Literal["may_choose", "off"]  # whether the holder of the highest quad may open with the quad of zeros
    matching: int  # matched corners that earn the bonus
    bonus: int  # in points
    bonus_tiles: int  # tiles that may be placed instead
    bonus_chain: Switch  # whether such a tile can earn the bonus again
    partial_bonus: Switch  # whether tiles may be chosen if only one can be placed

    draw_penalty: int  # points per drawn tile
    failed_turn: int  # points per turn without a placement, on top of the draws
    well_exhausted_penalty: Literal["additional", "none"]
    """Whether that is charged too if the player's own draws emptied the well."""

    blocked_award: Literal["none", "differences", "others_minus_own"]
    target_check: Literal["immediate", "round_end"]
    """First to reach the target after a turn wins at once, or totals count at the end of a round."""

    has_further_turns: ClassVar[bool] = True
    tile_sets: ClassVar[tuple[str, ...]] = ("quad125",)

    def check(self) -> None:
        for name in ("hands", "hands_half"):
            sizes = getattr(self, name)
            require(bool(sizes) and min(sizes) > 0, f"{name} must have a number of tiles for every number of seats")
            most = max(
                seats * self._choose_hand_size(sizes, seats) for seats in range(self.min_seats, self.max_seats + 1)
            )
            require(most <= len(self.tiles), f"{name} must leave every hand a tile from the set")
        require(1 <= self.matching <= 4, "matching must be from 1 to 4")
        require(1 <= self.bonus_tiles <= 10, "bonus_tiles must be from 1 to 10")

    def require_playable(self, seats: int | None = None) -> None:
        """See `Options.require_playable`. In larger sets few tiles fit, and drawing costs more than placing scores."""
        Rules.require_playable(self, seats)
        if self.quad_arrangement != "free" and len(self.tiles) > MAX_FIXED_ORDER_TILES:
            self.refuse(
                OptionFault.NEVER_ENDS, "has too many tiles to draw for", name="tile_set", allowed=self.tile_sets
            )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return (
            _mirror_set(self.tile_set) if self.quad_arrangement == "counter_clockwise" else get_tile_set(self.tile_set)
        )

    @property
    def fit(self) -> Fit:
        return _FREE if self.quad_arrangement == "free" else _FIXED

    def compute_hand_size(self, seats: int) -> int:
        return self._choose_hand_size(self.hands if self.deal == "seed" else self.hands_half, seats)

    def _choose_hand_size(self, sizes: Sequence[int], seats: int) -> int:
        return sizes[min(max(seats, self.min_seats) - self.min_seats, len(sizes) - 1)]

    @property
    def has_boneyard(self) -> bool:
        return True

    def find_opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        return find_highest_opening(hands, zero_instead=self.zero_opening == "may_choose")

    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        return Score(
            tableau.table.pips_by_way[way], matched=tableau.count_covered_sites(cell) if tableau.placed_ways else 0
        )

    def scores_only_pips(self, table: TileTable, demand: int) -> bool:
        return table.sides - len(table.unlabelled_places[demand]) < self.matching

    def find_reward(self, tile: Tile, score: Score, *, opening: bool, bonus_tile: bool) -> Reward | None:
        """See `Rules.find_reward`: for an opening quad and for three matched corners; the quad of zeros earns both."""
        if opening:
            zero = sum(tile) == 0
            return Reward(self.bonus, self.bonus_tiles, both=zero) if is_triple(tile) else None
        if score.matched < self.matching or (bonus_tile and self.bonus_chain == "off"):
            return None
        return Reward(self.bonus, self.bonus_tiles)

    @property
    def allows_partial_reward(self) -> bool:
        return self.partial_bonus == "on"

    @property
    def max_draws(self) -> int:
        return len(self.tiles)

    @property
    def draw_cost(self) -> int:
        return self.draw_penalty

    def compute_failed_turn_cost(self, drawn: int, left: int) -> int:
        stuck = self.failed_turn if not drawn or self.well_exhausted_penalty == "additional" else 0
        return self.draw_penalty * drawn + stuck

    def compute_block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        if self.blocked_award == "none":
            return [0] * len(totals)
        return compute_awards(self.blocked_award, totals, self.list_block_winners(totals, tiles))

    @property
    def finish(self) -> Finish:
        return "turn" if self.target_check == "immediate" and self.goal else "round"


_FIXED = Fit()
_FREE = Fit(free_order=True)
