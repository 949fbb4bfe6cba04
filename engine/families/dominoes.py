"""Triangular Dominoes: numbers on the sides of triangles, each tile beside the one before (RULES §5, options §5.1)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from engine.board.lattice import CornerOrder, TrailFit
from engine.board.tableau import Tableau
from engine.board.tiles import BOSS, Tile, get_tile_set
from engine.match.errors import OptionFault
from engine.match.options import NO_HEAD_START, Switch, require
from engine.match.rules import Opening, Rules, Score, find_highest_opening, sum_pips


@dataclass(frozen=True, slots=True, kw_only=True)
class DominoRules(Rules):
    """The rules of Points and Muggins: only going out scores."""

    tile_set: str
    boss: Literal["out", "in"]  # whether the tile without numbers is dealt
    boss_after: Literal["zero", "wild"]  # what the boss's sides count as on the table
    pairing: Literal["equal", "fives"]  # touching numbers are equal, or add up to a multiple of five
    layout: Literal["last_tile", "open"]  # a tile goes beside the last one, or beside any
    side_contact: Literal["all", "last_only"]  # whether sides against older tiles must match too
    remainder: Literal["set_aside", "boneyard"]  # what happens to tiles that cannot be dealt evenly
    lead: Literal["tile", "holder"] = "tile"
    """The highest triple must be led, or its holder leads any tile; absent in older logs."""

    one_deal: ClassVar[bool] = True
    has_further_turns: ClassVar[bool] = True
    tile_sets: ClassVar[tuple[str, ...]] = ("td35", "td56", "mac24", "mac45", "mac76")

    def check(self) -> None:
        require(len(self.tiles) >= self.max_seats, "max_seats must leave every hand a tile from the set")

    def require_playable(self, seats: int | None = None) -> None:
        Rules.require_playable(self, seats)
        if self.layout == "open" and self.side_contact == "last_only":
            self.refuse(
                OptionFault.NOTHING_TO_MATCH, "must be all where layout is open", name="side_contact", allowed=["all"]
            )
        if self.compute_hand_size(seats or self.min_seats) == 1:
            self.refuse(
                OptionFault.UNPLAYABLE,
                "leaves one tile a hand: the lead would end the deal",
                name="tile_set",
                allowed=self.tile_sets,
            )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return _list_tiles_with_boss(self.tile_set) if self.boss == "in" else get_tile_set(self.tile_set)

    @property
    def fit(self) -> TrailFit:
        return _build_fit(self, None)

    @property
    def has_boneyard(self) -> bool:
        return self.remainder == "boneyard"

    @property
    def max_draws(self) -> int:
        return len(self.tiles)

    def find_opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        found = find_highest_opening(hands)
        return found if self.lead == "tile" else Opening(found.seat, tuple(sorted(hands[found.seat])))

    @property
    def scores_tiles(self) -> bool:
        return False

    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        return Score(0)

    def list_match_winners(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Return the round's winners if a single deal decides, even if the others hold no pips."""
        return list(won_round) if self.is_one_deal and self.head_start == NO_HEAD_START else []


@dataclass(frozen=True, slots=True, kw_only=True)
class StarRules(DominoRules):
    """The rules of Star: sums of five score, and corners may meet."""

    star_corner_order: CornerOrder
    extra_turn: Literal["optional", "forced"]  # whether the further turn after a corner play is mandatory
    boss_value: Literal["round_up", "none"]
    """Score of the boss: the pips beside it up to the next multiple of five, or nothing."""
    star_sum: Literal["last_tile", "all_touching"]  # which tiles are counted with the new one
    star_out_bonus: Switch  # whether going out also wins the others' pips

    @property
    def fit(self) -> TrailFit:
        return _build_fit(self, self.star_corner_order)

    @property
    def scores_tiles(self) -> bool:
        return True

    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        """Return the pips of the touching tiles if they make a multiple of five."""
        if not tableau.history:
            return Score(0)
        pips, last = tableau.table.pips_by_way, tableau.history[-1][:2]
        corner = tableau.is_corner_play(cell, way)
        if pips[way] and self.star_sum == "last_tile" and self.layout == "last_tile":
            # The tile is not the boss, and always meets the last tile.
            return _score_sum(pips[way], pips[last[1]], corner)
        touching = tableau.list_neighbour_ways(cell)
        if corner:
            touching.append(last[1])
        if tableau.table.oriented_tiles[way].tile == BOSS:
            if self.boss_value == "none":
                return Score(0, corner=corner)
            # RULES: the boss completes the pips that it touches to a multiple of five.
            beside = sum([pips[other] for other in touching])
            return Score(-(-beside // 5) * 5, corner=corner, beside=beside)
        if self.star_sum == "last_tile":
            # The newest neighbour: the last tile, except in an open layout.
            neighbour = next(one for one in reversed(tableau.placed_ways.values()) if one in touching)
            beside = pips[neighbour]
        else:
            beside = sum([pips[other] for other in touching])
        return _score_sum(pips[way], beside, corner)

    def compute_points(self, tableau: Tableau, cell: int, way: int) -> int:
        """See `Rules.compute_points`: a corner play adds no points."""
        pips = tableau.table.pips_by_way
        if pips[way] and tableau.history and self.star_sum == "last_tile" and self.layout == "last_tile":
            return _score_fives(pips[way] + pips[tableau.history[-1][1]])
        return Rules.compute_points(self, tableau, cell, way)  # a class with slots has no `super()`

    def earns_further_turn(self, score: Score) -> bool:
        return score.corner

    @property
    def must_take_further_turn(self) -> bool:
        return self.extra_turn == "forced"

    def compute_out_award(self, hands: Sequence[Sequence[Tile]]) -> int:
        return sum(map(sum_pips, hands)) if self.star_out_bonus == "on" else 0

    def compute_block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        return [0] * len(totals)

    def list_match_winners(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        return []


@lru_cache(maxsize=1024)
def _score_sum(pips: int, beside: int, corner: bool) -> Score:
    return Score(_score_fives(pips + beside), corner=corner, beside=beside)


def _score_fives(total: int) -> int:
    return 0 if total % 5 else total


@lru_cache
def _list_tiles_with_boss(name: str) -> tuple[Tile, ...]:
    return (BOSS, *get_tile_set(name))


@lru_cache(maxsize=64)
def _build_fit(rules: DominoRules, corner_plays: CornerOrder | None) -> TrailFit:
    return TrailFit(
        labels="sides",
        sums_of_five=rules.pairing == "fives",
        wild_value=0 if rules.boss_after == "zero" else None,
        open_layout=rules.layout == "open",
        match_older_sides=rules.side_contact == "all",
        corner_plays=corner_plays,
    )
