"""The bracket of a knock-out tournament; the two strongest players can meet only in the last round.

If the players are no power of two, the strongest get a bye in the first round.
"""

from collections.abc import Iterable, Mapping

from engine.leagues.round_robin import Pairing
from engine.leagues.season import Fixture, Season

Slots = tuple[int | None, ...]  # a round of the bracket from top to bottom; neighbours meet; None: empty


def list_seeds(size: int) -> tuple[int, ...]:
    """Return the seeds from 0 in bracket order, for a size that is a power of two: 1 8 4 5 2 7 3 6."""
    order: tuple[int, ...] = (0,)
    while len(order) < size:
        order = tuple(seed for one in order for seed in (one, 2 * len(order) - 1 - one))
    return order


def count_bracket_rounds(players: int) -> int:
    return max(0, players - 1).bit_length()


def list_slots(season: Season, round_: int) -> Slots:
    """Return the slots of a round, from 0, as far as earlier rounds are decided."""
    players = season.divisions[0]
    order = list_seeds(1 << count_bracket_rounds(len(players)))
    slots: Slots = tuple(players[seed] if seed < len(players) else None for seed in order)
    for number in range(round_):
        slots = tuple(_find_winner(season, number, slots[at : at + 2]) for at in range(0, len(slots), 2))
    return slots


def pair_bracket_round(season: Season, round_: int) -> tuple[tuple[Pairing, ...], tuple[int, ...]]:
    """Return the pairs of a round that begins now, and the byes. Players who left do not count."""
    slots = [None if one in season.leavers else one for one in list_slots(season, round_)]
    pairs, byes = [], []
    for upper, lower in zip(slots[::2], slots[1::2], strict=True):
        if upper is not None and lower is not None:
            pairs.append((upper, lower))
        elif upper is not None or lower is not None:
            byes.append(upper if upper is not None else lower)
    return tuple(pairs), tuple(one for one in byes if one is not None)


def find_champion(season: Season) -> int | None:
    """Return the winner; None while it runs, without players, or if a moderator ended it."""
    if season.state != "over" or season.is_stopped:
        return None
    left = [one for one in list_slots(season, season.round + 1) if one is not None and one not in season.leavers]
    return left[0] if len(left) == 1 else None


def count_rounds_won(season: Season) -> Mapping[int, int]:
    """Return the number of rounds that each player has won; all of them for the champion."""
    rounds_won = dict.fromkeys(season.divisions[0], 0)
    for number in range(season.round + 1):
        for player in list_slots(season, number + 1):
            if player is not None:
                rounds_won[player] = number + 1
    return rounds_won


def _find_winner(season: Season, round_: int, pair: Slots) -> int | None:
    present = [one for one in pair if one is not None]
    fixture = find_fixture(season, round_, present)
    if fixture is None:
        # Only one of them was present when the round began.
        remaining = [one for one in present if one in season.byes.get(round_, ())]
        return remaining[0] if remaining else None
    decision = season.decisions.get(fixture.number)
    if decision is None:
        return None
    first, second = decision.points
    if first != second:
        return fixture.first if first > second else fixture.second
    # After a tie or an unplayed match the higher seed advances, as announced.
    remaining = [one for one in present if one not in season.leavers]
    return min(remaining, key=season.divisions[0].index, default=None)


def find_fixture(season: Season, round_: int, players: Iterable[int | None]) -> Fixture | None:
    pair = {*players}
    return next((one for one in season.fixtures if one.round == round_ and {*one.players} == pair), None)
