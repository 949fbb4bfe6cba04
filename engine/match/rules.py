"""The rules of a table: every number and option of a game in one frozen value.

The first event of a match has its rules, so that a changed file changes no old match. Each family has a class whose
fields are the keys of its files in `data/games`; options are named as in RULES. `judge_placement` checks and scores a
placement; reasons come in the order of RULES §2 and §5. `find_highest_opening` finds the opener (RULES §3).
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from engine.board.board import Board, Placement
from engine.board.demands import TileTable
from engine.board.lattice import LATTICES, Cell, Fit, Labels, Lattice, compute_board_cells
from engine.board.tableau import Tableau
from engine.board.tiles import Tile, count_pips, find_rotation, is_triple, mirror_tile, to_canonical
from engine.match.errors import OptionFault, RuleError, Violation
from engine.match.options import NO_HEAD_START, Options, require

Finish = Literal["latched", "round", "turn"]
"""When the target counts: at once, at the end of a round, or after a turn; "latched" makes the round the last."""


FollowUp = Literal["next", "choice", "tiles", "further"]
"""What follows a placement: the next seat, a choice of bonus, bonus tiles, or an optional turn."""


class Score(NamedTuple):
    """The score of a placement before the cost of drawing, and what it made."""

    base: int  # points for the labels of the tile
    bonus: int = 0
    hexagons: int = 0
    bridge: bool = False
    matched: int = 0  # corners that had a number before
    corner: bool = False  # whether it meets the last tile only in a point
    beside: int | None = None  # pips of other tiles that were counted, if any

    @property
    def points(self) -> int:
        return self.base + self.bonus


class Opening(NamedTuple):
    """The seat that opens and the tiles that it may open with."""

    seat: int
    tiles: tuple[Tile, ...]


class Reward(NamedTuple):
    """A bonus besides the points of a placement: points, further tiles, or both."""

    points: int
    tiles: int
    both: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(Options, ABC):
    """The rules that every family has. Raises ValueError, naming the field, for values that make no game."""

    game: str
    family: str  # class that reads the file
    lattice: str
    min_seats: int
    max_seats: int
    target: int  # points that end the match; 0: a single deal decides
    rounds: int = 0  # rounds of the match, instead of a target; 0: the target decides; absent in older logs
    head_start: str = NO_HEAD_START
    """Points of each seat at the beginning, such as `50/0/20`; other seats have 0. Absent in older logs."""

    has_further_turns: ClassVar[bool] = False  # whether a choice, further tiles or a further turn can follow a tile

    def __post_init__(self) -> None:
        require(self.lattice in LATTICES, f"lattice must be one of {', '.join(LATTICES)}")
        self.require_readings()
        require(1 <= self.min_seats <= self.max_seats, "min_seats must be from 1 to max_seats")
        # This comes before the tiles: some numbers determine their count.
        self.require_numbers()
        require(all(len(tile) == self.plane.sides for tile in self.tiles), "tile_set must have tiles for the lattice")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError, naming the field, for wrong values of this family."""

    def require_playable(self, seats: int | None = None) -> None:
        """See `Options.require_playable`: a head start is for the seats of the table, and decides no match."""
        given = [int(points) for points in self.head_start.split("/")]
        if 0 < self.goal <= max(given) or (seats is not None and len(given) > seats):
            message = "has more points than the target, or more seats than the table"
            self.refuse(OptionFault.UNPLAYABLE, message, name="head_start", allowed=(NO_HEAD_START,))

    @property
    def goal(self) -> int:
        """The points that end the match; 0 if a number of rounds decides."""
        return 0 if self.rounds else self.target

    @property
    def is_one_deal(self) -> bool:
        """Whether a single deal decides the match."""
        return not self.goal and self.rounds < 2

    def list_head_starts(self, seats: int) -> list[int]:
        """Return the points of each seat before the first deal."""
        given = [int(points) for points in self.head_start.split("/")]
        return [*given, *[0] * seats][:seats]

    @property
    def plane(self) -> Lattice:
        return LATTICES[self.lattice]

    @property
    @abstractmethod
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set."""

    @property
    def fit(self) -> Fit:
        return Fit()

    @property
    def labels(self) -> Labels:
        return self.fit.labels

    @property
    def wild_value(self) -> int | None:
        """What a wild label counts as on the table; None: stays wild."""
        return self.fit.wild_value

    @property
    def bounds(self) -> frozenset[Cell]:
        """The cells of a board with an edge; empty without one."""
        return compute_board_cells(self.plane, self.fit)

    def build_board(self, tiles: Iterable[Placement] = ()) -> Board:
        """Return a table with these tiles, in the order of play."""
        board = Board(self.plane, self.fit, self.tiles)
        for placement in tiles:
            board.place(placement)
        return board

    def build_placement(self, cell: Cell, shown: Tile) -> Placement:
        """Return the placement that shows these labels on a cell; the set may not contain the tile."""
        tile = tuple(sorted(shown)) if self.fit.free_order else to_canonical(shown)
        rotation = find_rotation(tile, shown, free=self.fit.free_order)
        assert rotation is not None, "a tile shows its own labels in some rotation"
        return Placement(tile, cell, rotation)

    # The deal and the opening.

    def compute_hand_size(self, seats: int) -> int:
        """Return the hand size for `seats` players; after resignations at least that of the smallest table."""
        return len(self.tiles) // max(seats, self.min_seats)

    @property
    def has_boneyard(self) -> bool:
        """Whether undealt tiles can be drawn; else they are set aside."""
        return False

    @property
    def draws_for_triple(self) -> bool:
        """Whether the seats draw until one has a triple, if none was dealt."""
        return False

    @property
    def has_random_opener(self) -> bool:
        """Whether the opener is found by lot and plays any tile."""
        return False

    @abstractmethod
    def find_opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        """Return the opener. Seats without tiles do not count; raises ValueError if no seat has one."""

    # A turn.

    @property
    def scores_tiles(self) -> bool:
        """Whether placing a tile can score."""
        return True

    @property
    def has_bonuses(self) -> bool:
        """Whether hexagons and bridges score."""
        return False

    def score_placement(self, board: Board, placement: Placement) -> Score:
        """Return the score of a legal placement; on an empty table, as the opening of a round."""
        return self.compute_score(board.tableau, *board.plies_by_placement[placement])

    @abstractmethod
    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        """Return the same for the numbers of `engine.board.tableau`."""

    def compute_points(self, tableau: Tableau, cell: int, way: int) -> int:
        """Return its points only; faster for comparing many placements."""
        score = self.compute_score(tableau, cell, way)
        return score.base + score.bonus

    def scores_only_pips(self, table: TileTable, demand: int) -> bool:
        """Return whether any tile is known to score only its pips at this demand."""
        return False

    def find_reward(self, tile: Tile, score: Score, *, opening: bool, bonus_tile: bool) -> Reward | None:
        """Return the bonus to choose for a placement, besides its points."""
        return None

    def decide_follow_up(self, earned: Score, reward: Reward | None, *, bonus_tiles: int, left: bool) -> FollowUp:
        """Return what follows a placement; `bonus_tiles` includes it, `left` is whether tiles are left."""
        if reward is not None:
            return "choice"
        if left and bonus_tiles > 1:
            return "tiles"
        if left and self.earns_further_turn(earned):
            return "further"
        return "next"

    def earns_further_turn(self, score: Score) -> bool:
        """Return whether the placement gives its seat a further turn."""
        return False

    @property
    def must_take_further_turn(self) -> bool:
        """Whether a playable further turn is mandatory."""
        return False

    @property
    def allows_partial_reward(self) -> bool:
        """Whether further tiles may be chosen if only one can be placed."""
        return False

    @property
    def max_draws(self) -> int:
        """Tiles that may be drawn in one turn."""
        return 0

    @property
    def draw_cost(self) -> int:
        """Points per drawn tile."""
        return 0

    @property
    def may_draw_freely(self) -> bool:
        """Whether a player who could play may draw instead."""
        return False

    def compute_failed_turn_cost(self, drawn: int, left: int) -> int:
        """Return the cost of a turn without a placement, including its draws; `left` tiles are in the boneyard."""
        return 0

    # The end of a round and of the match.

    @property
    def ends_when_dead(self) -> bool:
        """Whether a round ends as soon as nothing can be drawn and no hand fits."""
        return False

    @property
    def out_bonus(self) -> int:
        """The fixed part of the award for going out."""
        return 0

    def compute_out_award(self, hands: Sequence[Sequence[Tile]]) -> int:
        """Return the award for going out, given the other hands."""
        return self.out_bonus + sum(map(sum_pips, hands))

    def list_block_winners(self, totals: Sequence[int], tiles: Sequence[int] | None) -> list[int]:
        """Return the winners of a blocked round, as indexes into `totals`. `tiles` counts the hands."""
        return [seat for seat, total in enumerate(totals) if total == min(totals)]

    def compute_block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        """Return the award of each hand total in a blocked round: winners get the differences to their own."""
        winners = self.list_block_winners(totals, tiles)
        return compute_awards("differences", totals, winners)

    @property
    def finish(self) -> Finish:
        return "round"

    @property
    def shares_ties(self) -> bool:
        """Whether equal totals share the win; else a further round is played."""
        return True

    def list_match_winners(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Return the winners of the match by winning its last round, of those who `reached` the target."""
        return []


def sum_pips(hand: Sequence[Tile]) -> int:
    return sum(map(count_pips, hand))


def compute_awards(reading: str, totals: Sequence[int], winners: Collection[int]) -> list[int]:
    """Return the award of each seat in a blocked round; only `winners` earn points. `differences`: the sum of what
    others hold more; `others_minus_own`: what all others hold less one's own, at least 0; `others_all`: what they hold.
    """
    if reading == "others_minus_own":
        earned = [max(0, sum(totals) - 2 * own) for own in totals]
    elif reading == "others_all":
        earned = [sum(totals) - own for own in totals]
    else:
        earned = [sum([max(0, other - own) for other in totals]) for own in totals]
    return [earned[seat] if seat in winners else 0 for seat in range(len(totals))]


def judge_placement(board: Board, placement: Placement, rules: Rules, hand: Collection[Tile] | None = None) -> Score:
    """Return the score of a placement before the cost of drawing. Raises RuleError with the first reason against it.
    `hand` is the mover's; None checks the table only. The first tile may lie anywhere; which tile must open is not
    checked.
    """
    tile = placement.tile
    if tile not in rules.tiles:
        mirror = to_canonical(mirror_tile(tile))
        exists = mirror if mirror in rules.tiles else None
        raise RuleError(Violation.NO_SUCH_TILE, tile=tile, shown=placement.shown_labels, exists=exists)
    board.check(placement, hand)
    return rules.compute_score(board.tableau, *board.plies_by_placement[placement])


OpeningTie = Literal["next_tile", "next_unique_sum"]
"""Tie-break for equal highest sums: the seats' next tiles, or the highest sum that only one seat holds."""


def find_highest_opening(
    hands: Sequence[Sequence[Tile]], *, tie: OpeningTie = "next_tile", zero_instead: bool = False
) -> Opening:
    """Return the opener. Seats without tiles do not count; raises ValueError if no seat has one. The highest triple
    (quad) must open; with `zero_instead` its holder may use that of zeros. Without a triple the highest sum opens; tied
    seats compare their next sums, and finally the lowest seat opens.
    """
    held = [seat for seat, hand in enumerate(hands) if hand]
    if not held:
        raise ValueError("nobody holds a tile")
    triples = [(tile, seat) for seat in held for tile in hands[seat] if is_triple(tile)]
    if triples:
        tile, seat = max(triples)
        zero = (0,) * len(tile)
        if zero_instead and tile != zero and zero in hands[seat]:
            return Opening(seat, (zero, tile))
        return Opening(seat, (tile,))
    seat, top = _find_highest_sum(hands, held, tie)
    return Opening(seat, tuple(sorted(tile for tile in hands[seat] if count_pips(tile) == top)))


def find_opening_by_lot(hands: Sequence[Sequence[Tile]], lot: int) -> Opening:
    """Return the opener by lot: number `lot` of the seats with tiles, with any tile."""
    held = [seat for seat, hand in enumerate(hands) if hand]
    seat = held[lot % len(held)]
    return Opening(seat, tuple(sorted(hands[seat])))


def _find_highest_sum(hands: Sequence[Sequence[Tile]], held: Sequence[int], tie: OpeningTie) -> tuple[int, int]:
    sums = {seat: sorted(map(count_pips, hands[seat]), reverse=True) for seat in held}
    if tie == "next_unique_sum":
        for top in sorted({total for totals in sums.values() for total in totals}, reverse=True):
            holders = [seat for seat in held if top in sums[seat]]
            if len(holders) == 1:
                return holders[0], top
    seat = max(held, key=lambda seat: (sums[seat], -seat))
    return seat, sums[seat][0]
