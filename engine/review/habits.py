"""What kind of mistake a choice was, told by what was done beside our best guess."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from engine.actions import Action, Choose, Play
from engine.tiles import is_triple, pips

Habit = Literal["hexagon", "bridge", "option", "draw", "place", "triple", "heavy", "light", "tile"]
"""A hexagon or a bridge was missed; another of the options of a turn was better, as points or tiles; somebody drew who
had better placed, or the other way about; the right tile came to lie in another place; a triple was kept; or a heavier
tile, a lighter one, or another of the same weight was the one to place."""

HABITS: Final[Sequence[Habit]] = get_args(Habit)


@dataclass(frozen=True, slots=True)
class HabitCount:
    """One kind of mistake: how often it was made, and how many points it cost together."""

    habit: Habit
    times: int
    lost: float


def habit_of(made: Action, best: Action, *, hexagon: bool = False, bridge: bool = False) -> Habit:
    """The kind of mistake that `made` is beside `best`, where a `hexagon` or a `bridge` may have been missed."""
    if hexagon or bridge:
        return "hexagon" if hexagon else "bridge"
    if not (isinstance(made, Play) and isinstance(best, Play)):
        return "option" if isinstance(made, Choose) or isinstance(best, Choose) else "draw"
    if made.tile == best.tile:
        return "place"
    if is_triple(best.tile) and not is_triple(made.tile):
        return "triple"
    if pips(best.tile) == pips(made.tile):
        return "tile"
    return "heavy" if pips(best.tile) > pips(made.tile) else "light"


def costliest_first(habits: Iterable[HabitCount]) -> tuple[HabitCount, ...]:
    """What cost most first."""
    return tuple(sorted(habits, key=lambda one: (-one.lost, HABITS.index(one.habit))))
