"""What a seat may ask for."""

from typing import Literal

from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.events import fact


@fact
class Play:
    """Place a tile of one's hand. The opening tile goes on the lattice's first cell."""

    seat: int
    tile: Tile
    cell: Cell
    rotation: int


@fact
class Draw:
    """Take one tile from the boneyard because none fits."""

    seat: int


@fact
class Pass:
    """End a turn in which nothing fits and nothing more can be drawn."""

    seat: int


Option = Literal["points", "tiles", "stop"]
"""What may be chosen inside a turn: the points of a bonus, or further tiles instead; and to go no further."""


@fact
class Choose:
    """Say how a turn goes on: which bonus to take, or that it ends here."""

    seat: int
    option: Option


@fact
class Resign:
    """Leave the match for good; the seat takes the last place that is still open."""

    seat: int


@fact
class TakeBack:
    """Undo one's last placement: by oneself while nobody has acted and nothing hidden has come to light since."""

    seat: int
    agreed: bool = False
    """Whether everybody at the table has allowed it, with all that was placed since. Whoever asks must know that."""


Action = Play | Draw | Pass | Choose | Resign | TakeBack
