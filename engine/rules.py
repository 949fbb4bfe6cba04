"""Every number of a game, in one frozen value that travels inside the match's first event (RULES §3)."""

from dataclasses import dataclass

from engine.lattice import LATTICES, Lattice
from engine.tiles import TILE_SETS, Tile, tile_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a table plays by. Raises ValueError, naming the field, when the numbers make no game."""

    game: str
    lattice: str
    tile_set: str
    min_seats: int
    max_seats: int
    deal: tuple[int, ...]
    """Tiles a hand, from `min_seats` to `max_seats` players."""
    target: int
    """Points that make the running round the last."""
    triple_opening: int
    """Added to the sum of a triple that opens."""
    zero_opening: int
    """The flat score of opening with the triple of zeros."""
    hexagons: tuple[int, ...]
    """The bonus for closing one, two, three hexagons with one tile."""
    bridge: int
    draw_limit: int
    """Tiles that may be drawn in one turn."""
    draw_penalty: int
    """Points each drawn tile costs."""
    failed_turn: int
    """Points a turn without a placement costs, once, on top of the draws."""
    going_out: int
    """Added to the opponents' tiles for the seat that empties its hand."""

    def __post_init__(self) -> None:
        _check(self.lattice in LATTICES, f"lattice must be one of {', '.join(LATTICES)}")
        _check(self.tile_set in TILE_SETS, f"tile_set must be one of {', '.join(TILE_SETS)}")
        _check(1 <= self.min_seats <= self.max_seats, "min_seats must be from 1 to max_seats")
        seats = self.max_seats - self.min_seats + 1
        _check(len(self.deal) == seats, f"deal must have {seats} numbers, one for each number of seats")
        most = max(seats * hand for seats, hand in enumerate(self.deal, self.min_seats))
        _check(min(self.deal) > 0 and most <= len(self.tiles), "deal must leave every hand a tile from the set")
        _check(1 <= self.target <= 100_000, "target must be from 1 to 100000")
        _check(len(self.hexagons) == 3, "hexagons must have three numbers: for one, two and three at once")
        _check(self.draw_limit >= 0, "draw_limit must not be negative")

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set."""
        return tile_set(self.tile_set)

    @property
    def plane(self) -> Lattice:
        """The lattice itself, where `lattice` is its name."""
        return LATTICES[self.lattice]

    def hand_size(self, seats: int) -> int:
        """Tiles a hand when `seats` play; a table that people have left deals as if it were as small as allowed."""
        return self.deal[max(seats, self.min_seats) - self.min_seats]


def _check(true: bool, message: str) -> None:
    if not true:
        raise ValueError(message)
