"""The actions of a seat."""

from typing import Literal

from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned, Undone, value_class


@value_class
class Play:
    """Place a tile of the hand. The opening tile is placed on the lattice's first cell."""

    seat: int
    tile: Tile
    cell: Cell
    rotation: int


@value_class
class Draw:
    """Draw one tile from the boneyard because none fits."""

    seat: int


@value_class
class Pass:
    """End a turn in which nothing fits and nothing can be drawn."""

    seat: int


Option = Literal["points", "tiles", "stop"]  # a choice within a turn: points of a bonus, further tiles instead, or stop


@value_class
class Choose:
    """Choose a bonus, or end the turn."""

    seat: int
    option: Option


@value_class
class Resign:
    """Leave the match; the seat takes the last open place."""

    seat: int


@value_class
class Undo:
    """Undo the seat's last placement: alone if no other seat has acted and nothing hidden was revealed since."""

    seat: int
    agreed: bool = False  # whether all players agreed to undo it and everything since; the caller must check that


Action = Play | Draw | Pass | Choose | Resign | Undo


def to_action(event: Event) -> Action | None:
    """Return the action behind an event; None for an automatic one."""
    match event:
        case Placed():
            return Play(event.seat, event.tile, event.cell, event.rotation)
        case Chose(seat, option):
            return None if option == "both" else Choose(seat, option)
        case Drew(seat):
            return Draw(seat)
        case Passed(seat):
            return Pass(seat)
        case Resigned(seat):
            return Resign(seat)
        case Undone(seat, agreed):
            return Undo(seat, agreed)
        case _:
            return None
