"""Triominoes: numbers on the corners of triangles, hexagons and bridges (RULES §3, options §3.1)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from engine.board.demands import TileTable
from engine.board.tableau import Tableau
from engine.board.tiles import MAX_VALUES, Tile, count_pips, get_tile_set, is_triple
from engine.match.bonuses import BonusRules, compute_bonus
from engine.match.errors import OptionFault
from engine.match.options import MATCH_NUMBERS, MAX_TARGET, Switch, require
from engine.match.rules import Finish, Opening, OpeningTie, Rules, Score, compute_awards, find_highest_opening, sum_pips

MAX_PENALTY: Final = 100  # a round brings its best player some 60 to 100 points
MAX_TILES_LOSE_OWN: Final = 84  # tiles of the largest set whose rounds bring more than losing all hands costs


@dataclass(frozen=True, slots=True, kw_only=True)
class TriominoRules(BonusRules):
    tile_set: str
    deal: tuple[int, ...]  # hand sizes from `min_seats` to `max_seats` players
    hand_size: int = 0  # the same for any number of players; 0: `deal`; absent in older logs
    scoring: Literal["usual", "children"] = "usual"
    """The points of `children_points`, and no others, for children; absent in older logs."""
    children_points: tuple[int, int, int, int] = (1, 1, 1, 5)  # a tile, a bridge, each hexagon, going out

    triple_opening: int  # added to the sum of an opening triple
    zero_opening_score: int  # score of opening with the triple of zeros
    zero_opening: Literal["only_if_top", "holder_may_choose"]
    """Whether the holder of the highest triple may open with that of zeros."""
    opening_tie: OpeningTie
    opening_choice: Literal["rule", "any_tile"]
    """The opener is found by the rule, or by lot and plays any tile for its sum."""
    opening_no_triple: Literal["highest_sum", "draw_until_triple"] = "highest_sum"
    """What happens if no triple was dealt; absent in older logs."""

    draw_limit: int | Literal["unlimited"]  # per turn
    draw_penalty: int  # points per drawn tile
    voluntary_draw: Switch  # whether a player who could play may draw
    failed_turn: int  # points per turn without a placement, on top of the draws
    empty_boneyard_penalty: int  # the same if the turn failed because the boneyard was empty
    draws_spent_penalty: Literal["once", "additional"] = "once"
    """Whether a last draw that emptied the boneyard costs both; absent in older logs."""

    going_out: int  # added to the opponents' tiles for going out
    block_detection: Literal["full_circle", "immediate"]
    """Blocked when all failed in turn, or as soon as no hand fits an empty boneyard."""
    blocked_bonus: Literal["differences", "others_minus_own", "others_all", "lose_own", "none"]
    """What a blocked round pays."""
    blocked_winner: Literal["lowest_total", "fewest_tiles"]
    blocked_tie: Literal["each", "none"]

    final_round: Literal["latched", "at_round_end"]
    """The target makes the round the last at any moment, or only at its end."""
    game_winner: Literal["most_points", "round_winner"]  # who wins if several reached the target
    game_tie: Literal["shared", "extra_round"]

    numbers: ClassVar[Mapping[str, tuple[int, int]]] = {
        **MATCH_NUMBERS,
        "hand_size": (0, 30),
        "zero_opening_score": (0, 100),
        "draw_limit": (0, 100),
        "empty_boneyard_penalty": (0, MAX_TARGET),
    }
    unlimited: ClassVar[tuple[str, ...]] = ("draw_limit",)
    tile_sets: ClassVar[tuple[str, ...]] = ("trio56", "trio84", "mac76")

    def check(self) -> None:
        seats = self.max_seats - self.min_seats + 1
        require(len(self.deal) == seats, f"deal must have {seats} numbers, one for each number of seats")
        most = max(seats * hand for seats, hand in enumerate(self.deal, self.min_seats))
        require(min(self.deal) > 0 and most <= len(self.tiles), "deal must leave every hand a tile from the set")
        self.check_bonuses()

    def require_playable(self, seats: int | None = None) -> None:
        """See `Options.require_playable`. The limits are from random games."""
        Rules.require_playable(self, seats)
        most = len(self.tiles) // (seats or self.min_seats)
        if self.hand_size == 1 or self.hand_size > most:
            fault = OptionFault.TOO_FEW_TILES if self.hand_size > most else OptionFault.UNPLAYABLE
            self.refuse(fault, "leaves no tiles to play", name="hand_size", allowed=("0", f"2-{most}"))
        others = [value for value in self.get_readings()["blocked_bonus"] if value != "lose_own"]
        if self.blocked_bonus == "lose_own" and self.max_draws == 0:
            self.refuse(
                OptionFault.NEVER_ENDS, "costs too much where nothing is drawn", name="blocked_bonus", allowed=others
            )
        if self.blocked_bonus == "lose_own" and len(self.tiles) > MAX_TILES_LOSE_OWN:
            self.refuse(
                OptionFault.NEVER_ENDS, "costs too much with so many tiles", name="blocked_bonus", allowed=others
            )
        if self.empty_boneyard_penalty > MAX_PENALTY:
            self.refuse(
                OptionFault.NEVER_ENDS,
                "costs more than a round brings",
                name="empty_boneyard_penalty",
                allowed=[f"0-{MAX_PENALTY}"],
            )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return get_tile_set(self.tile_set)

    def compute_hand_size(self, seats: int) -> int:
        usual = self.deal[max(seats, self.min_seats) - self.min_seats]
        return min(self.hand_size, len(self.tiles) // max(seats, 1)) or usual

    @property
    def has_boneyard(self) -> bool:
        return True

    @property
    def draws_for_triple(self) -> bool:
        return self.opening_no_triple == "draw_until_triple"

    @property
    def has_random_opener(self) -> bool:
        return self.opening_choice == "any_tile"

    def find_opening(self, hands: Sequence[Sequence[Tile]]) -> Opening:
        return find_highest_opening(hands, tie=self.opening_tie, zero_instead=self.zero_opening == "holder_may_choose")

    def compute_score(self, tableau: Tableau, cell: int, way: int) -> Score:
        table = tableau.table
        if not tableau.placed_ways:
            return self.compute_opening_score(table.oriented_tiles[way].tile)
        base = table.pips_by_way[way]
        if self.scores_only_pips(table, tableau.demands.get(cell, 0)):
            return _PLAIN_SCORES[base]
        hexagons, bridge, bonus = compute_bonus(tableau, cell, self)
        if self.scoring == "children":
            return Score(self.children_points[0], bonus, hexagons, bridge)
        return Score(base, bonus, hexagons, bridge) if hexagons or bridge else _PLAIN_SCORES[base]

    def scores_only_pips(self, table: TileTable, demand: int) -> bool:
        """See `Rules.scores_only_pips`: hexagons and bridges match all corners, unless any side of a bridge counts."""
        return (
            bool(table.unlabelled_places[demand])
            and not table.has_wild_labels
            and self.bridge_extension != "any_side"
            and self.scoring == "usual"
        )

    @property
    def hexagon_bonuses(self) -> tuple[int, ...]:
        each = self.children_points[2]
        return (each, 2 * each, 3 * each) if self.scoring == "children" else self.choose_hexagon_bonuses()

    @property
    def bridge_bonus(self) -> int:
        return self.children_points[1] if self.scoring == "children" else self.bridge

    def compute_opening_score(self, tile: Tile) -> Score:
        if self.scoring == "children":
            return Score(self.children_points[0])
        if not is_triple(tile) or self.has_random_opener:
            return Score(count_pips(tile))
        return Score(count_pips(tile), self.zero_opening_score if sum(tile) == 0 else self.triple_opening)

    @property
    def max_draws(self) -> int:
        return len(self.tiles) if isinstance(self.draw_limit, str) else self.draw_limit

    @property
    def draw_cost(self) -> int:
        return 0 if self.scoring == "children" else self.draw_penalty

    @property
    def may_draw_freely(self) -> bool:
        return self.voluntary_draw == "on"

    def compute_failed_turn_cost(self, drawn: int, left: int) -> int:
        """See `Rules.compute_failed_turn_cost`: one penalty, unless both reasons are charged."""
        if self.scoring == "children":
            return 0
        stuck = self.failed_turn if drawn >= self.max_draws else self.empty_boneyard_penalty
        if 0 < drawn == self.max_draws and not left and self.draws_spent_penalty == "additional":
            stuck += self.empty_boneyard_penalty
        return self.draw_penalty * drawn + stuck

    @property
    def ends_when_dead(self) -> bool:
        return self.block_detection == "immediate"

    @property
    def out_bonus(self) -> int:
        return self.children_points[3] if self.scoring == "children" else self.going_out

    def compute_out_award(self, hands: Sequence[Sequence[Tile]]) -> int:
        return self.out_bonus + (0 if self.scoring == "children" else sum(map(sum_pips, hands)))

    def list_block_winners(self, totals: Sequence[int], tiles: Sequence[int] | None) -> list[int]:
        """See `Rules.list_block_winners`: the lowest hands, or those with the fewest tiles."""
        measure = totals if self.blocked_winner == "lowest_total" or tiles is None else tiles
        winners = [seat for seat, held in enumerate(measure) if held == min(measure)]
        return [] if self.blocked_tie == "none" and len(winners) > 1 else winners

    def compute_block_awards(self, totals: Sequence[int], tiles: Sequence[int] | None = None) -> list[int]:
        """See `Rules.compute_block_awards`: by default every lowest hand wins the others' differences to it."""
        if self.blocked_bonus == "none" or self.scoring == "children":
            return [0] * len(totals)
        if self.blocked_bonus == "lose_own":
            return [-own for own in totals]
        return compute_awards(self.blocked_bonus, totals, self.list_block_winners(totals, tiles))

    @property
    def finish(self) -> Finish:
        return "latched" if self.final_round == "latched" else "round"

    @property
    def shares_ties(self) -> bool:
        return self.game_tie == "shared"

    def list_match_winners(self, won_round: Collection[int], reached: Sequence[int]) -> list[int]:
        """See `Rules.list_match_winners`: the round's winners, if several reached the target and the option says so."""
        if self.game_winner == "most_points" or self.rounds or len(reached) < 2:
            return []
        return [seat for seat in reached if seat in won_round]


# Scores without bonuses by pips, the most common case.
_PLAIN_SCORES = tuple(map(Score, range(3 * MAX_VALUES)))
