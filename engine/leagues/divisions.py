"""Who plays in which division, and who goes up and down."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.leagues.season import LEAST_DIVISION, LEAST_PLAYERS, MOST_DIVISION

LARGE: Final = 6
"""From so many players on two of a division go up and two go down; below it one does."""

NOBODY_RATED: Final = float("-inf")


def division_sizes(players: int, wanted: int) -> list[int]:
    """How many play in each division, the highest first: four to six, as near to what is wanted as all come out even.

    Seven can be divided in no such way, and play in one. Raises ValueError for fewer than four.
    """
    if players < LEAST_PLAYERS:
        raise ValueError(f"{players} are too few for a division")
    counts = range(-(-players // MOST_DIVISION), players // LEAST_DIVISION + 1) or [1]
    count = min(counts, key=lambda one: (abs(players / one - wanted), one))
    least, more = divmod(players, count)
    # The lowest ones are the larger ones: newcomers begin there.
    return [least + (place >= count - more) for place in range(count)]


def seeded(entrants: Mapping[int, int | None], ratings: Mapping[int, float]) -> list[int]:
    """The players by strength: who played the season before in the order that it led to, and behind them the newcomers
    by their ratings; who has none comes last, in the order of signing up.
    """
    came = sorted((place, player) for player, place in entrants.items() if place is not None)
    new = [player for player, place in entrants.items() if place is None]
    new.sort(key=lambda player: (-ratings.get(player, NOBODY_RATED), player))
    return [player for _, player in came] + new


def divided(players: Sequence[int], wanted: int) -> tuple[tuple[int, ...], ...]:
    """These players, strongest first, in divisions."""
    found, start = [], 0
    for size in division_sizes(len(players), wanted):
        found.append(tuple(players[start : start + size]))
        start += size
    return tuple(found)


def change_places(sizes: Sequence[int]) -> list[int]:
    """How many change places between each division and the one below it, where nobody has left."""
    return [2 if min(sizes[upper : upper + 2]) >= LARGE else 1 for upper in range(len(sizes) - 1)]


def order_after(ranked: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[int, ...]:
    """The players in the order in which the next season seats them.

    `ranked` are those of each division who did not leave, best first, `sizes` how many each had at the beginning. The
    last of a division change places with the first of the one below it.
    """
    moving = [
        min(most, len(ranked[upper]) // 2, len(ranked[upper + 1]) // 2)
        for upper, most in enumerate(change_places(sizes))
    ]
    found: list[int] = []
    for place, one in enumerate(ranked):
        up = moving[place - 1] if place else 0
        down = moving[place] if place < len(moving) else 0
        from_above = ranked[place - 1][len(ranked[place - 1]) - up :] if up else []
        from_below = ranked[place + 1][:down] if down else []
        found += [*from_above, *one[up : len(one) - down], *from_below]
    return tuple(found)
