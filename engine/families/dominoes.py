"""Triangular Dominoes: numbers on the sides of triangles, each tile next to the one before (RULES §5, options §5.1)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from engine.board.lattice import CornerOrder, TrailFit
from engine.board.tableau import Tableau
from engine.board.tiles import BOSS, Tile, tile_set
from engine.match.errors import Unfit
from engine.match.options import Switch, require
from engine.match.rules import Opening, Rules, Score, opening_of, pips_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DominoRules(Rules):
    """Everything a table of Points or Muggins plays by: what counts is going out."""

    tile_set: str
    boss: Literal["out", "in"]
    """Whether the tile without numbers is dealt."""
    boss_after: Literal["zero", "wild"]
    """What the sides of the boss count as once it lies."""
    pairing: Literal["equal", "fives"]
    """Numbers that meet are equal, or add up to a multiple of five."""
    layout: Literal["last_tile", "open"]
    """A tile goes next to the one before it, or next to any."""
    side_contact: Literal["all", "last_only"]
    """Whether sides against older tiles must match too."""
    remainder: Literal["set_aside", "boneyard"]
    """What happens to the tiles that cannot be dealt evenly."""
    lead: Literal["tile", "holder"] = "tile"
    """The highest triple must be led, or its holder leads any tile. Older logs do not say."""

    one_deal: ClassVar[bool] = True
    tile_sets: ClassVar[tuple[str, ...]] = ("td35", "td56", "mac24", "mac45", "mac76")

    def check(self) -> None:
        """See `Rules.check`."""
        require(len(self.tiles) >= self.max_seats, "max_seats must leave every hand a tile from the set")

    def require_playable(self, seats: int | None = None) -> None:
        """See `Options.require_playable`."""
        if self.layout == "open" and self.side_contact == "last_only":
            self.refuse(
                Unfit.NOTHING_TO_MATCH, "must be all where layout is open", name="side_contact", allowed=["all"]
            )
        if self.hand_size(seats or self.min_seats) == 1:
            self.refuse(
                Unfit.UNPLAYABLE,
                "leaves one tile a hand: the lead would end the deal",
                name="tile_set",
                allowed=self.tile_sets,
            )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set, the boss included where it plays."""
        return _with_boss(self.tile_set) if self.boss == "in" else tile_set(self.tile_set)

    @property
    def fit(self) -> TrailFit:
        """Side to side, from the last tile on."""
        return _fit(self, None)

    @property
    def has_boneyard(self) -> bool:
        """`remainder`."""
        return self.remainder == "boneyard"

    @property
    def most_draws(self) -> int:
        """Whatever there is to draw: it costs nothing."""
        return len(self.tiles)

    def opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        """The highest triple leads, else the highest sum; or whoever holds that leads any tile."""
        found = opening_of(hands)
        return found if self.lead == "tile" else Opening(found.seat, tuple(sorted(hands[found.seat])))

    @property
    def scores_tiles(self) -> bool:
        """Points come from going out."""
        return False

    def earned(self, tableau: Tableau, cell: int, way: int) -> Score:
        """Nothing: points come from going out."""
        return Score(0)

    def ahead(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Where one deal decides, who wins it wins, even if the others hold nothing that counts."""
        return list(won_round) if self.target == 0 else []


@dataclass(frozen=True, slots=True, kw_only=True)
class StarRules(DominoRules):
    """Everything a table of Star plays by: sums of five score, and corners may meet."""

    star_corner_order: CornerOrder
    extra_turn: Literal["optional", "forced"]
    """Whether the further turn after a corner play must be taken."""
    boss_value: Literal["round_up", "none"]
    """What placing the boss scores: the pips beside it up to the next multiple of five, or nothing."""
    star_sum: Literal["last_tile", "all_touching"]
    """Which tiles are counted with the new one."""
    star_out_bonus: Switch
    """Whether going out also wins the pips of the others."""

    @property
    def fit(self) -> TrailFit:
        """Side to side or corner to corner, from the last tile on."""
        return _fit(self, self.star_corner_order)

    @property
    def scores_tiles(self) -> bool:
        """By fives."""
        return True

    def earned(self, tableau: Tableau, cell: int, way: int) -> Score:
        """The pips of the two tiles that meet, when they make a multiple of five."""
        if not tableau.history:
            return Score(0)
        pips, last = tableau.table.pips, tableau.history[-1][:2]
        corner = tableau.meets_point(cell, way)
        if pips[way] and self.star_sum == "last_tile" and self.layout == "last_tile":
            # It is no boss, and it cannot but meet the last tile.
            return _summed(pips[way], pips[last[1]], corner)
        touching = tableau.beside(cell)
        if corner:
            touching.append(last[1])
        if tableau.table.turned[way].tile == BOSS:
            if self.boss_value == "none":
                return Score(0, corner=corner)
            # RULES: the boss brings whatever it touches up to a multiple of five.
            beside = sum([pips[other] for other in touching])
            return Score(-(-beside // 5) * 5, corner=corner, beside=beside)
        if self.star_sum == "last_tile":
            # The last of all, unless tiles may go next to any.
            met = last[1] if last[1] in touching else _latest(tableau, touching)
            beside = pips[met]
        else:
            beside = sum([pips[other] for other in touching])
        return _summed(pips[way], beside, corner)

    def points_of(self, tableau: Tableau, cell: int, way: int) -> int:
        """See `Rules.points_of`: a corner play has no points of its own."""
        pips = tableau.table.pips
        if pips[way] and tableau.history and self.star_sum == "last_tile" and self.layout == "last_tile":
            return _fives(pips[way] + pips[tableau.history[-1][1]])
        return Rules.points_of(self, tableau, cell, way)  # a class with slots has no `super()`

    @property
    def turns_go_on(self) -> bool:
        """After a corner play."""
        return True

    def goes_on(self, score: Score) -> bool:
        """After a corner play."""
        return score.corner

    @property
    def must_go_on(self) -> bool:
        """`extra_turn`."""
        return self.extra_turn == "forced"

    def out_award(self, hands: Sequence[Sequence[Tile]]) -> int:
        """Nothing by default: what is left in hands is not scored."""
        return sum(map(pips_of, hands)) if self.star_out_bonus == "on" else 0

    def block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        """Nothing: what is left in hands is not scored."""
        return [0] * len(totals)

    def ahead(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Nobody: most points win."""
        return []


@lru_cache(maxsize=1024)
def _summed(pips: int, beside: int, corner: bool) -> Score:
    """What a tile scores with the pips that are counted with it."""
    return Score(_fives(pips + beside), corner=corner, beside=beside)


def _fives(total: int) -> int:
    """What pips score: all of them, where they make a multiple of five."""
    return 0 if total % 5 else total


def _latest(tableau: Tableau, ways: Collection[int]) -> int:
    """The one of these that was placed last."""
    return next(way for way in reversed(tableau.lies.values()) if way in ways)


@lru_cache
def _with_boss(name: str) -> tuple[Tile, ...]:
    return (BOSS, *tile_set(name))


@lru_cache(maxsize=64)
def _fit(rules: DominoRules, corner_plays: CornerOrder | None) -> TrailFit:
    return TrailFit(
        labels="sides",
        fives=rules.pairing == "fives",
        wild_stands=0 if rules.boss_after == "zero" else None,
        everywhere=rules.layout == "open",
        older_sides=rules.side_contact == "all",
        corner_plays=corner_plays,
    )
