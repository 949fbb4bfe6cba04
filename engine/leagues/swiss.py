"""Swiss pairings after the Dutch system of FIDE's handbook (C.04.3).

Players with equal points meet, upper half against lower half in order; an odd one moves down to fewer points. No pair
meets twice, and no player gets a second bye. The player with fewer first seats gets it. Unlike the handbook, which
compares whole rounds, each player from the top gets the first opponent that leaves a pairing for all below.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from engine.leagues.round_robin import Pairing

PastPairs = AbstractSet[frozenset[int]]  # pairs that have met
Opponents = Mapping[int, AbstractSet[int]]  # earlier opponents by player
MAX_SEAT_IMBALANCE: Final = 2  # largest imbalance of seats, as of colours in chess, if avoidable


@dataclass(frozen=True, slots=True)
class SwissPlayer:
    """The facts of a player that pairings need."""

    player: int
    points: int = 0
    balance: int = 0  # first seats less second seats
    last: int = 0  # last seat: 1 the first, -1 the second, 0 none
    has_had_bye: bool = False


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A round: pairs in the order of their seats, and the bye."""

    pairs: tuple[Pairing, ...]
    bye: int | None = None


def pair_swiss_round(players: Sequence[SwissPlayer], past_pairs: PastPairs) -> SwissRound | None:
    """Return the next round of these players, strongest first; None if they cannot all be paired."""
    ranked = sorted(players, key=lambda one: -one.points)  # sorting keeps who is the stronger one among equals
    if len(ranked) < 2:
        return None
    if len(ranked) % 2 == 0:
        pairs = _pair_players(ranked, past_pairs)
        return None if pairs is None else SwissRound(pairs)
    for resting in [one for one in reversed(ranked) if not one.has_had_bye]:
        pairs = _pair_players([one for one in ranked if one is not resting], past_pairs)
        if pairs is not None:
            return SwissRound(pairs, resting.player)
    return None


def order_seats(one: SwissPlayer, other: SwissPlayer, *, first: bool = True) -> Pairing:
    """Return both in the order of seats: fewer first seats, then the last second seat, else as `first` says."""
    own_key, other_key = (one.balance, one.last), (other.balance, other.last)
    if own_key != other_key:
        first = own_key < other_key
    return (one.player, other.player) if first else (other.player, one.player)


def _pair_players(ranked: Sequence[SwissPlayer], past_pairs: PastPairs) -> tuple[Pairing, ...] | None:
    pairs = [(one, other) for one, other in combinations(ranked, 2) if _is_imbalanced(one, other)]
    avoided_pairs = {frozenset((one.player, other.player)) for one, other in pairs}
    found = _pair_in_order(ranked, past_pairs | avoided_pairs)
    return _pair_in_order(ranked, past_pairs) if found is None and avoided_pairs else found


def _is_imbalanced(one: SwissPlayer, other: SwissPlayer) -> bool:
    return one.balance * other.balance > 0 and min(abs(one.balance), abs(other.balance)) >= MAX_SEAT_IMBALANCE


def _pair_in_order(ranked: Sequence[SwissPlayer], past_pairs: PastPairs) -> tuple[Pairing, ...] | None:
    free, before = list(ranked), _group_opponents(past_pairs)
    if not _can_pair([one.player for one in free], before):
        return None
    found: list[Pairing] = []
    while free:
        top = free.pop(0)
        for other in _rank_opponents(top, free):
            below = [one for one in free if one is not other]
            new = other.player not in before.get(top.player, ())
            if new and _can_pair([one.player for one in below], before):
                # In the first round every other board begins with the stronger player.
                found.append(order_seats(top, other, first=len(found) % 2 == 0))
                free = below
                break
    return tuple(found)


def _rank_opponents(top: SwissPlayer, free: Sequence[SwissPlayer]) -> list[SwissPlayer]:
    """Return the possible opponents, best first: equal points, starting with the counterpart in the lower half, then
    the nearest. Opponents with the same seat imbalance come after the others with those points.
    """
    equal = sum(one.points == top.points for one in free)
    counterpart = (equal + 1) // 2 - 1

    def compute_distance(place: int) -> int:
        if place >= equal:
            return place
        return place - counterpart if place >= counterpart else equal - place

    def compute_badness(place: int) -> tuple[int, bool, int]:
        other = free[place]
        return -other.points, top.balance * other.balance > 0, compute_distance(place)

    return [free[place] for place in sorted(range(len(free)), key=compute_badness)]


def can_pair(players: Sequence[int], past_pairs: PastPairs) -> bool:
    """Return whether all of them can meet a new opponent."""
    return _can_pair(players, _group_opponents(past_pairs))


def _group_opponents(past_pairs: PastPairs) -> Opponents:
    found: dict[int, set[int]] = {}
    for one, other in past_pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def _can_pair(players: Sequence[int], before: Opponents) -> bool:
    if len(players) % 2:
        return False
    # A quick form of the first check in `_has_perfect_matching`.
    if len(players) >= 2 * max((len(one) for one in before.values()), default=0) + 2:
        return True
    everybody = {*players}
    return _has_perfect_matching({one: everybody - before.get(one, set()) - {one} for one in players})


def _has_perfect_matching(graph: Mapping[int, AbstractSet[int]]) -> bool:
    """Return whether a graph, given by its neighbours, has a perfect matching."""
    if not graph:
        return True
    fewest = min(graph, key=lambda one: len(graph[one]))
    # Dirac (1952): if every vertex has at least half of the vertices as neighbours, there is a Hamiltonian cycle, and
    # every other edge of it is a pairing. So only the last of many rounds need a search.
    if 2 * len(graph[fewest]) >= len(graph):
        return True
    for other in sorted(graph[fewest]):
        gone = {fewest, other}
        if _has_perfect_matching({one: near - gone for one, near in graph.items() if one not in gone}):
            return True
    return False
