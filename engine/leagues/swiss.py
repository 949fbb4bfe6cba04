"""Who meets whom in a round of a Swiss tournament, after the Dutch system of FIDE's handbook (C.04.3).

Those with equal points meet, the upper half of them the lower half in order; whoever finds nobody there goes on to
those with fewer points. Nobody meets anybody twice, and nobody rests twice. Whoever has had the first seat less often
has it. Unlike the handbook, which weighs whole rounds against one another, each player in turn, from the top, gets the
first opponent with whom everybody below can still be paired.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from engine.leagues.round_robin import Pairing

Met = AbstractSet[frozenset[int]]
"""The pairs that have met."""
Opponents = Mapping[int, AbstractSet[int]]
"""By player: whom they have met."""

SEATS_APART: Final = 2
"""Nobody has one of the seats more often than this beyond the other, as with colours in chess, if it can be helped."""


@dataclass(frozen=True, slots=True)
class SwissPlayer:
    """What a round has to know of somebody."""

    player: int
    points: int = 0
    balance: int = 0
    """How often they had the first seat, less how often the second."""
    last: int = 0
    """The seat they had last: 1 the first, -1 the second, 0 none."""
    rested: bool = False


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A round: pairs in the order of their seats, and who rests."""

    pairs: tuple[Pairing, ...]
    bye: int | None = None


def swiss_round(players: Sequence[SwissPlayer], met: Met) -> SwissRound | None:
    """The next round of these, the strongest first. None where not all can be paired any more."""
    ranked = sorted(players, key=lambda one: -one.points)  # sorting keeps who is the stronger one among equals
    if len(ranked) < 2:
        return None
    if len(ranked) % 2 == 0:
        pairs = _pairs(ranked, met)
        return None if pairs is None else SwissRound(pairs)
    for resting in [one for one in reversed(ranked) if not one.rested]:
        pairs = _pairs([one for one in ranked if one is not resting], met)
        if pairs is not None:
            return SwissRound(pairs, resting.player)
    return None


def seated(one: SwissPlayer, other: SwissPlayer, *, first: bool = True) -> Pairing:
    """Both in the order of their seats: who has had the first one less often has it, else who had the second one last,
    else `one` or not.
    """
    mine, theirs = (one.balance, one.last), (other.balance, other.last)
    if mine != theirs:
        first = mine < theirs
    return (one.player, other.player) if first else (other.player, one.player)


def _pairs(ranked: Sequence[SwissPlayer], met: Met) -> tuple[Pairing, ...] | None:
    """All of them paired, without leaving anybody with a seat far too often where that can be helped."""
    pairs = [(one, other) for one, other in combinations(ranked, 2) if _too_often(one, other)]
    kept_apart = {frozenset((one.player, other.player)) for one, other in pairs}
    found = _paired(ranked, met | kept_apart)
    return _paired(ranked, met) if found is None and kept_apart else found


def _too_often(one: SwissPlayer, other: SwissPlayer) -> bool:
    return one.balance * other.balance > 0 and min(abs(one.balance), abs(other.balance)) >= SEATS_APART


def _paired(ranked: Sequence[SwissPlayer], met: Met) -> tuple[Pairing, ...] | None:
    free, before = list(ranked), _opponents(met)
    if not _can_pair([one.player for one in free], before):
        return None
    found: list[Pairing] = []
    while free:
        top = free.pop(0)
        for other in _wanted(top, free):
            below = [one for one in free if one is not other]
            new = other.player not in before.get(top.player, ())
            if new and _can_pair([one.player for one in below], before):
                # In the first round every other board begins with the stronger one.
                found.append(seated(top, other, first=len(found) % 2 == 0))
                free = below
                break
    return tuple(found)


def _wanted(top: SwissPlayer, free: Sequence[SwissPlayer]) -> list[SwissPlayer]:
    """Whom somebody should meet, the best choice first: of equal points, beginning with their counterpart in the lower
    half, then who is nearest. Whoever has had the same seat more often, too, comes after the others of those points.
    """
    equal = sum(one.points == top.points for one in free)
    counterpart = (equal + 1) // 2 - 1

    def distance(place: int) -> int:
        if place >= equal:
            return place
        return place - counterpart if place >= counterpart else equal - place

    def badness(place: int) -> tuple[int, bool, int]:
        other = free[place]
        return -other.points, top.balance * other.balance > 0, distance(place)

    return [free[place] for place in sorted(range(len(free)), key=badness)]


def can_pair(players: Sequence[int], met: Met) -> bool:
    """Whether all of them can meet somebody they have not met."""
    return _can_pair(players, _opponents(met))


def _opponents(met: Met) -> Opponents:
    found: dict[int, set[int]] = {}
    for one, other in met:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def _can_pair(players: Sequence[int], before: Opponents) -> bool:
    if len(players) % 2:
        return False
    # The same as the first look below, without looking at each.
    if len(players) >= 2 * max((len(one) for one in before.values()), default=0) + 2:
        return True
    everybody = {*players}
    return _matched({one: everybody - before.get(one, set()) - {one} for one in players})


def _matched(graph: Mapping[int, AbstractSet[int]]) -> bool:
    """Whether a graph has a perfect matching, told by what each can be paired with."""
    if not graph:
        return True
    fewest = min(graph, key=lambda one: len(graph[one]))
    # Dirac (1952): where everybody can meet half of all, there is a way round through all of them, and every other step
    # of it is a pairing. So only the last few of many rounds are tried out.
    if 2 * len(graph[fewest]) >= len(graph):
        return True
    for other in sorted(graph[fewest]):
        gone = {fewest, other}
        if _matched({one: near - gone for one, near in graph.items() if one not in gone}):
            return True
    return False
