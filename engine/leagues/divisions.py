"""Divisions of a season, promotion and relegation."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.leagues.season import MAX_DIVISION, MIN_DIVISION, MIN_PLAYERS

LARGE_DIVISION: Final = 6  # divisions of this size or more promote and relegate two players, smaller ones one
UNRATED: Final = float("-inf")


def compute_division_sizes(players: int, wanted: int) -> list[int]:
    """Return the sizes of the divisions, the highest first: four to six players, as near to `wanted` as an even split
    allows. Seven players form one division. Raises ValueError for fewer than four.
    """
    if players < MIN_PLAYERS:
        raise ValueError(f"{players} are too few for a division")
    counts = range(-(-players // MAX_DIVISION), players // MIN_DIVISION + 1) or [1]
    count = min(counts, key=lambda one: (abs(players / one - wanted), one))
    least, more = divmod(players, count)
    # The lowest divisions are larger, because newcomers begin there.
    return [least + (place >= count - more) for place in range(count)]


def seed_players(entrants: Mapping[int, int | None], ratings: Mapping[int, float]) -> list[int]:
    """Return the players by strength: by the season before, then newcomers by rating, then unrated ones by sign-up."""
    returning = sorted((place, player) for player, place in entrants.items() if place is not None)
    new = [player for player, place in entrants.items() if place is None]
    new.sort(key=lambda player: (-ratings.get(player, UNRATED), player))
    return [player for _, player in returning] + new


def split_divisions(players: Sequence[int], wanted: int) -> tuple[tuple[int, ...], ...]:
    """Split players, strongest first, into divisions."""
    found, start = [], 0
    for size in compute_division_sizes(len(players), wanted):
        found.append(tuple(players[start : start + size]))
        start += size
    return tuple(found)


def count_place_changes(sizes: Sequence[int]) -> list[int]:
    """Return how many players change places between each division and the next, if all players stay."""
    return [2 if min(sizes[upper : upper + 2]) >= LARGE_DIVISION else 1 for upper in range(len(sizes) - 1)]


def seed_next_season(ranked: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the seeding of the next season. `ranked` has the remaining players of each division, best first, `sizes`
    the initial sizes. The last of a division change places with the first of the next one.
    """
    moving = [
        min(most, len(ranked[upper]) // 2, len(ranked[upper + 1]) // 2)
        for upper, most in enumerate(count_place_changes(sizes))
    ]
    found: list[int] = []
    for place, one in enumerate(ranked):
        up = moving[place - 1] if place else 0
        down = moving[place] if place < len(moving) else 0
        from_above = ranked[place - 1][len(ranked[place - 1]) - up :] if up else []
        from_below = ranked[place + 1][:down] if down else []
        found += [*from_above, *one[up : len(one) - down], *from_below]
    return tuple(found)
