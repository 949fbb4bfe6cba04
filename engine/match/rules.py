"""What a table plays by: every number and every named option of a game, in one frozen value.

It travels in a match's first event, so that a later change of a file changes no old match. Each family of games has a
class of its own, whose fields are the keys of its files in `data/games`, and which answers the questions that a match
asks; where the sources differ, the readings are options, named as in RULES.

`judge` checks and scores one placement. Reasons against it come in the order of RULES §2 and §5: no such tile,
occupied, already played, not in hand, off the board, no side contact (not next to the last tile), side mismatch, corner
mismatch. `opening_of` finds who opens a round, and with which tile (RULES §3).
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.board.board import Board, Placement
from engine.board.demands import TileTable
from engine.board.lattice import LATTICES, Cell, Fit, Labels, Lattice, cells_within
from engine.board.tableau import Tableau
from engine.board.tiles import Tile, canonical, is_triple, mirrored, pips, rotation_showing
from engine.match.errors import RuleBroken, Why
from engine.match.options import Options, require

Finish = Literal["latched", "round", "turn"]
"""When the target counts: reached at any moment it makes the round the last, or totals are looked at when the round is
over, or the first to have it after a turn wins at once."""


Follows = Literal["next", "choice", "tiles", "further"]
"""What comes after a placement: the next seat's turn; a choice between bonuses; further tiles of a bonus that has been
chosen; or a further turn of the same seat, if it likes."""


class Score(NamedTuple):
    """What a placement is worth before the cost of drawing, and what it made."""

    base: int
    """Points for the labels of the tile."""
    bonus: int = 0
    hexagons: int = 0
    bridge: bool = False
    matched: int = 0
    """Corners that had a number before."""
    corner: bool = False
    """Whether it meets the last tile in a point only."""
    beside: int | None = None
    """Pips of other tiles that were counted with it, where they are."""

    @property
    def points(self) -> int:
        """Base and bonus together."""
        return self.base + self.bonus


class Opening(NamedTuple):
    """The seat that opens and the tiles it may open with."""

    seat: int
    tiles: tuple[Tile, ...]


class Reward(NamedTuple):
    """What a seat may take beside the points of its placement: points, or further tiles, or both."""

    points: int
    tiles: int
    both: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(Options, ABC):
    """What every family states. Raises ValueError, naming the field, when the values make no game."""

    game: str
    family: str
    """Which class of rules reads the file."""
    lattice: str
    min_seats: int
    max_seats: int
    target: int
    """Points that end the match; 0 where a single deal decides."""

    def __post_init__(self) -> None:
        require(self.lattice in LATTICES, f"lattice must be one of {', '.join(LATTICES)}")
        self.require_readings()
        require(1 <= self.min_seats <= self.max_seats, "min_seats must be from 1 to max_seats")
        # Before the tiles are made: some of the numbers say how many there are.
        self.require_numbers()
        require(all(len(tile) == self.plane.sides for tile in self.tiles), "tile_set must have tiles for the lattice")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError, naming the field, for what only this family can know to be wrong."""

    # The tiles and the table.

    @property
    def plane(self) -> Lattice:
        """The lattice itself, where `lattice` is its name."""
        return LATTICES[self.lattice]

    @property
    @abstractmethod
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set."""

    @property
    def fit(self) -> Fit:
        """How tiles go together."""
        return Fit()

    @property
    def labels(self) -> Labels:
        """Where the labels of a tile lie."""
        return self.fit.labels

    @property
    def wild_stands(self) -> int | None:
        """The number that a wild label counts as once it lies; None leaves it wild."""
        return self.fit.wild_stands

    @property
    def bounds(self) -> frozenset[Cell]:
        """The cells of a board with an edge; none where tiles may go anywhere."""
        return cells_within(self.plane, self.fit)

    def board(self) -> Board:
        """An empty table."""
        return Board(self.plane, self.fit, self.tiles)

    def lay(self, cell: Cell, shown: Tile) -> Placement:
        """The placement that shows these labels on a cell; whether the set has such a tile is not asked."""
        tile = tuple(sorted(shown)) if self.fit.free else canonical(shown)
        rotation = rotation_showing(tile, shown, free=self.fit.free)
        assert rotation is not None, "a tile shows its own labels in some rotation"
        return Placement(tile, cell, rotation)

    # The deal and the opening.

    def hand_size(self, seats: int) -> int:
        """Tiles a hand when `seats` play; a table that people have left deals as if it were as small as allowed."""
        return len(self.tiles) // max(seats, self.min_seats)

    @property
    def has_boneyard(self) -> bool:
        """Whether tiles that are not dealt can be drawn; else they are set aside."""
        return False

    @property
    def by_lot(self) -> bool:
        """Whether the opener is found by lot and plays any tile."""
        return False

    @abstractmethod
    def opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        """Who opens. Seats without tiles take no part; raises ValueError when nobody has one."""

    # A turn.

    @property
    def scores_tiles(self) -> bool:
        """Whether placing a tile can score at all."""
        return True

    @property
    def has_bonuses(self) -> bool:
        """Whether hexagons and bridges score."""
        return False

    def score(self, board: Board, placement: Placement) -> Score:
        """What a legal placement earns; on an empty table, as the opening of a round."""
        return self.earned(board.tableau, *board.plies[placement])

    @abstractmethod
    def earned(self, tableau: Tableau, cell: int, way: int) -> Score:
        """The same in the numbers of `engine.board.tableau`: what every family states."""

    def points_of(self, tableau: Tableau, cell: int, way: int) -> int:
        """The points of that alone, for whoever compares many placements."""
        score = self.earned(tableau, cell, way)
        return score.base + score.bonus

    def scores_pips(self, table: TileTable, demand: int) -> bool:
        """Whether it is known that any tile scores its pips and no more where a cell demands this."""
        return False

    def reward(self, tile: Tile, score: Score, *, opening: bool, bonus_tile: bool) -> Reward | None:
        """What may be taken for placing a tile beside its points."""
        return None

    @property
    def turns_go_on(self) -> bool:
        """Whether anything can follow a placement inside its turn: a choice, further tiles, a further turn."""
        return False

    def what_follows(self, earned: Score, reward: Reward | None, *, bonus_tiles: int, left: bool) -> Follows:
        """What comes after a placement whose seat has `bonus_tiles`, this one included, and may have tiles `left`."""
        if reward is not None:
            return "choice"
        if left and bonus_tiles > 1:
            return "tiles"
        if left and self.goes_on(earned):
            return "further"
        return "next"

    def goes_on(self, score: Score) -> bool:
        """Whether the placement gives its seat a further turn."""
        return False

    @property
    def must_go_on(self) -> bool:
        """Whether a further turn must be taken where it can."""
        return False

    @property
    def partial_reward(self) -> bool:
        """Whether further tiles may be taken though only one of them can be placed."""
        return False

    @property
    def most_draws(self) -> int:
        """Tiles that may be drawn in one turn."""
        return 0

    @property
    def draw_cost(self) -> int:
        """Points that each drawn tile costs."""
        return 0

    @property
    def may_draw_freely(self) -> bool:
        """Whether somebody who could play may draw instead."""
        return False

    def failing_costs(self, drawn: int, left: int) -> int:
        """The points that a turn without a placement costs after so many draws, the draws included.

        `left` is what is still in the boneyard.
        """
        return 0

    # The end of a round and of the match.

    @property
    def ends_when_dead(self) -> bool:
        """Whether the referee ends a round as soon as nothing can be drawn and no hand fits."""
        return False

    @property
    def out_bonus(self) -> int:
        """The fixed part of what going out earns."""
        return 0

    def out_award(self, hands: Sequence[Sequence[Tile]]) -> int:
        """What the seat that empties its hand earns, given what all others hold."""
        return self.out_bonus + sum(map(pips_of, hands))

    def block_winners(self, totals: Sequence[int], tiles: Sequence[int] | None) -> list[int]:
        """Whose hands win a blocked round, by their place in `totals`. `tiles` counts the hands."""
        return [seat for seat, total in enumerate(totals) if total == min(totals)]

    def block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        """What each hand total earns in a blocked round: the winners get the differences to their own."""
        winners = self.block_winners(totals, tiles)
        return awards("differences", totals, winners)

    @property
    def finish(self) -> Finish:
        """When the target counts."""
        return "round"

    @property
    def shares_ties(self) -> bool:
        """Whether equal totals share the win; else a further round is played."""
        return True

    def ahead(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """Those who win the match because they won its last round, of those who `reached` the target."""
        return []


def pips_of(hand: Sequence[Tile]) -> int:
    """The pips of a whole hand."""
    return sum(map(pips, hand))


def awards(reading: str, totals: Sequence[int], winners: Collection[int]) -> list[int]:
    """What each seat earns in a blocked round, by what the hands hold: only `winners` earn anything.

    `differences`: the sum of what others hold more; `others_minus_own`: what all others hold together less one's own,
    once, and never a loss.
    """
    if reading == "others_minus_own":
        earned = [max(0, sum(totals) - 2 * own) for own in totals]
    else:
        earned = [sum([max(0, other - own) for other in totals]) for own in totals]
    return [earned[seat] if seat in winners else 0 for seat in range(len(totals))]


def judge(board: Board, placement: Placement, rules: Rules, hand: Collection[Tile] | None = None) -> Score:
    """What the placement earns before the cost of drawing. Raises RuleBroken with the first reason against it.

    `hand` is what the mover holds; None where only the table counts. The first tile may lie anywhere and is scored
    as an opening; which tile must open is for whoever knows the hands.
    """
    tile = placement.tile
    if tile not in rules.tiles:
        raise RuleBroken(Why.NO_SUCH_TILE, tile=tile, shown=placement.shown, exists=_twin(tile, rules))
    board.check(placement, hand)
    return rules.earned(board.tableau, *board.plies[placement])


def _twin(tile: Tile, rules: Rules) -> Tile | None:
    """The tile with the same labels the other way round, when the set has that one."""
    mirror = canonical(mirrored(tile))
    return mirror if mirror in rules.tiles else None


OpeningTie = Literal["next_tile", "next_unique_sum"]
"""Between equal highest sums: the tied seats' next tiles decide, or the highest sum that one seat alone holds."""


def opening_of(
    hands: Sequence[Sequence[Tile]], *, tie: OpeningTie = "next_tile", zero_instead: bool = False
) -> Opening:
    """Who opens. Seats without tiles take no part; raises ValueError when nobody has one.

    The highest triple (quad) must open; with `zero_instead` its holder may open with the one of zeros. Without one the
    highest sum opens; tied seats compare their sums from the top, and the lowest seat settles what is then still equal.
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
    seat, top = _highest_sum(hands, held, tie)
    return Opening(seat, tuple(sorted(tile for tile in hands[seat] if pips(tile) == top)))


def drawn_by_lot(hands: Sequence[Sequence[Tile]], lot: int) -> Opening:
    """The opener where it is found by lot: seat number `lot` of those who hold tiles, with any of them."""
    held = [seat for seat, hand in enumerate(hands) if hand]
    seat = held[lot % len(held)]
    return Opening(seat, tuple(sorted(hands[seat])))


def _highest_sum(hands: Sequence[Sequence[Tile]], held: Sequence[int], tie: OpeningTie) -> tuple[int, int]:
    """The seat with the highest sum, and that sum, after ties."""
    sums = {seat: sorted(map(pips, hands[seat]), reverse=True) for seat in held}
    if tie == "next_unique_sum":
        for top in sorted({total for totals in sums.values() for total in totals}, reverse=True):
            holders = [seat for seat in held if top in sums[seat]]
            if len(holders) == 1:
                return holders[0], top
    seat = max(held, key=lambda seat: (sums[seat], -seat))
    return seat, sums[seat][0]
