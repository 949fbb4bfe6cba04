"""Every number and every named option of a game, in one frozen value that travels in a match's first event (RULES §3).

Where the sources differ, the readings are options. Their names and values are those of RULES §3.1.
"""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from engine.lattice import LATTICES, Lattice
from engine.tiles import TILE_SETS, Tile, tile_set

TileSet = Literal["trio56", "trio84", "mac76"]
HexagonScale = Literal["per_hexagon", "stepped"]
BridgeExtension = Literal["two_sides", "opposite_point", "none"]
BonusStacking = Literal["hexagon_only", "sum"]
ZeroOpening = Literal["only_if_top", "holder_may_choose"]
OpeningTie = Literal["next_tile", "next_unique_sum"]
OpeningChoice = Literal["rule", "any_tile"]
Switch = Literal["off", "on"]
DrawLimit = int | Literal["unlimited"]
BlockDetection = Literal["full_circle", "immediate"]
BlockedBonus = Literal["differences", "others_minus_own", "none"]
BlockedWinner = Literal["lowest_total", "fewest_tiles"]
BlockedTie = Literal["each", "none"]
FinalRound = Literal["latched", "at_round_end"]
GameWinner = Literal["most_points", "round_winner"]
GameTie = Literal["shared", "extra_round"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a table plays by. Raises ValueError, naming the field, when the values make no game."""

    game: str
    lattice: str
    tile_set: TileSet
    min_seats: int
    max_seats: int
    deal: tuple[int, ...]
    """Tiles a hand, from `min_seats` to `max_seats` players."""
    target: int
    """Points that make the running round the last."""

    triple_opening: int
    """Added to the sum of a triple that opens."""
    zero_opening_score: int
    """The flat score of opening with the triple of zeros."""
    zero_opening: ZeroOpening
    """Whether the holder of the highest triple may open with the triple of zeros instead."""
    opening_tie: OpeningTie
    """Between equal highest sums: the tied seats' next tiles decide, or the highest sum that one seat alone holds."""
    opening_choice: OpeningChoice
    """The opener is found by the rule, or by lot and plays any tile for its sum."""

    hexagons: tuple[int, ...]
    """The bonus for closing one, two, three hexagons with one tile."""
    hexagons_stepped: tuple[int, ...]
    """The same under `hexagon_scale` stepped."""
    hexagon_scale: HexagonScale
    bridge: int
    bridge_extension: BridgeExtension
    """What a tile with two or three side neighbours needs to count as a bridge."""
    bonus_stacking: BonusStacking
    """Whether a tile that closes a hexagon may also score a bridge."""

    draw_limit: DrawLimit
    """Tiles that may be drawn in one turn."""
    draw_penalty: int
    """Points each drawn tile costs."""
    voluntary_draw: Switch
    """Whether somebody who could play may draw instead."""
    failed_turn: int
    """Points a turn without a placement costs, once, on top of the draws."""
    empty_boneyard_penalty: int
    """The same where the turn failed because the boneyard was empty."""

    going_out: int
    """Added to the opponents' tiles for the seat that empties its hand."""
    block_detection: BlockDetection
    """A round is blocked when everybody failed in turn, or as soon as no hand fits an empty boneyard."""
    blocked_bonus: BlockedBonus
    blocked_winner: BlockedWinner
    blocked_tie: BlockedTie

    final_round: FinalRound
    """Reaching the target at any moment makes the round the last, or having reached it when the round is over."""
    game_winner: GameWinner
    """Of several who reached the target the one with most points wins, or the winner of the round."""
    game_tie: GameTie

    def __post_init__(self) -> None:
        _check(self.lattice in LATTICES, f"lattice must be one of {', '.join(LATTICES)}")
        for name, values in CHOICES.items():
            _check(getattr(self, name) in values, f"{name} must be one of {', '.join(values)}")
        _check(1 <= self.min_seats <= self.max_seats, "min_seats must be from 1 to max_seats")
        seats = self.max_seats - self.min_seats + 1
        _check(len(self.deal) == seats, f"deal must have {seats} numbers, one for each number of seats")
        most = max(seats * hand for seats, hand in enumerate(self.deal, self.min_seats))
        _check(min(self.deal) > 0 and most <= len(self.tiles), "deal must leave every hand a tile from the set")
        _check(1 <= self.target <= 100_000, "target must be from 1 to 100000")
        for name in ("hexagons", "hexagons_stepped"):
            _check(len(getattr(self, name)) == 3, f"{name} must have three numbers: for one, two and three at once")
        if self.draw_limit != UNLIMITED:
            _check(
                isinstance(self.draw_limit, int) and 0 <= self.draw_limit <= 100,
                "draw_limit must be from 0 to 100, or unlimited",
            )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set."""
        return tile_set(self.tile_set)

    @property
    def plane(self) -> Lattice:
        """The lattice itself, where `lattice` is its name."""
        return LATTICES[self.lattice]

    @property
    def hexagon_bonuses(self) -> tuple[int, ...]:
        """What one, two, three hexagons pay under the scale that is played."""
        return self.hexagons if self.hexagon_scale == "per_hexagon" else self.hexagons_stepped

    @property
    def most_draws(self) -> int:
        """Tiles that may be drawn in one turn, as a number."""
        return len(self.tiles) if isinstance(self.draw_limit, str) else self.draw_limit

    def hand_size(self, seats: int) -> int:
        """Tiles a hand when `seats` play; a table that people have left deals as if it were as small as allowed."""
        return self.deal[max(seats, self.min_seats) - self.min_seats]

    def failing_costs(self, drawn: int) -> int:
        """The points that a turn without a placement costs after so many draws."""
        stuck = self.failed_turn if drawn >= self.most_draws else self.empty_boneyard_penalty
        return self.draw_penalty * drawn + stuck

    def with_option(self, name: str, value: str) -> "Rules":
        """The rules under one option, as somebody wrote it. Raises ValueError with what is allowed."""
        meant: Any = value
        if name in CHOICES:
            _check(value in CHOICES[name], f"{name} is {', '.join(CHOICES[name])}; not {value!r}")
        elif (name, value) != ("draw_limit", UNLIMITED):
            _check(name in NUMBERS, f"there is no option {name!r}; there is {', '.join(OPTIONS)}")
            number = value.isascii() and value.isdigit() and len(value) <= 6
            _check(number, f"{name} is a whole number{' or unlimited' if name == 'draw_limit' else ''}; not {value!r}")
            meant = int(value)
        return replace(self, **{name: meant})


UNLIMITED: Final = "unlimited"

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "tile_set": get_args(TileSet),
    "zero_opening": get_args(ZeroOpening),
    "opening_tie": get_args(OpeningTie),
    "opening_choice": get_args(OpeningChoice),
    "hexagon_scale": get_args(HexagonScale),
    "bridge_extension": get_args(BridgeExtension),
    "bonus_stacking": get_args(BonusStacking),
    "voluntary_draw": get_args(Switch),
    "block_detection": get_args(BlockDetection),
    "blocked_bonus": get_args(BlockedBonus),
    "blocked_winner": get_args(BlockedWinner),
    "blocked_tie": get_args(BlockedTie),
    "final_round": get_args(FinalRound),
    "game_winner": get_args(GameWinner),
    "game_tie": get_args(GameTie),
}
"""The options that are a choice between named readings."""

NUMBERS: Final = ("target", "draw_limit", "empty_boneyard_penalty")
"""The options that are a number; `draw_limit` may also be unlimited."""

OPTIONS: Final = tuple(sorted((*CHOICES, *NUMBERS)))
"""The names of everything a table may play differently."""

assert set(TILE_SETS) == set(CHOICES["tile_set"])


def _check(true: bool, message: str) -> None:
    if not true:
        raise ValueError(message)
