"""Swiss pairings after the Dutch system of FIDE's handbook (C.04.3).

Players with equal points meet, upper half against lower half in order; an odd one moves down to fewer points. No pair
meets twice, and no player gets a second bye. The player with fewer first seats gets it. Unlike the handbook, which
compares whole rounds, each player from the top gets the first opponent that leaves a pairing for all below.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

from engine.leagues.round_robin import Pairing, list_berger_rounds

PastPairs = AbstractSet[frozenset[int]]  # pairs that have met
Opponents = Mapping[int, AbstractSet[int]]  # earlier opponents by player
Graph = Mapping[int, AbstractSet[int]]  # neighbours by vertex
BYE: Final = -1  # the opponent of a player with a bye
MAX_STEPS: Final = 300  # pairings that a search for a round and the later ones tries: the bot waits for it
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


def pair_swiss_round(players: Sequence[SwissPlayer], past_pairs: PastPairs, later_rounds: int = 0) -> SwissRound | None:
    """Return the next round of these players, strongest first; None if they cannot all be paired.

    The round leaves `later_rounds` further ones without a repeated pair or a second bye, or as many as possible.
    """
    ranked = sorted(players, key=lambda one: -one.points)  # sorting keeps who is the stronger one among equals
    if len(ranked) < 2:
        return None
    if len(ranked) % 2:
        past_pairs = past_pairs | {frozenset((BYE, one.player)) for one in ranked if one.has_had_bye}
    for later in range(later_rounds, -1, -1):
        found = _find_table_round(ranked, past_pairs, later) or _find_round(ranked, past_pairs, later)
        if found is not None:
            return found
    return None


def order_seats(one: SwissPlayer, other: SwissPlayer, *, first: bool = True) -> Pairing:
    """Return both in the order of seats: fewer first seats, then the last second seat, else as `first` says."""
    own_key, other_key = (one.balance, one.last), (other.balance, other.last)
    if own_key != other_key:
        first = own_key < other_key
    return (one.player, other.player) if first else (other.player, one.player)


def _find_round(ranked: Sequence[SwissPlayer], past_pairs: PastPairs, later: int) -> SwissRound | None:
    imbalanced_pairs: PastPairs = {
        frozenset((one.player, other.player)) for one, other in combinations(ranked, 2) if _is_imbalanced(one, other)
    }
    resting: Sequence[SwissPlayer | None] = [None]
    if len(ranked) % 2:
        resting = [one for one in reversed(ranked) if not one.has_had_bye]
    steps = iter(range(MAX_STEPS))
    for bye in resting:
        playing = [one for one in ranked if one is not bye]
        for excluded_pairs in [past_pairs | imbalanced_pairs, past_pairs] if imbalanced_pairs else [past_pairs]:
            candidates = _iterate_pairings(playing, _group_opponents(excluded_pairs))
            for pairs, _ in zip(candidates, steps, strict=False):
                found = _build_round(pairs, bye)
                if _can_play(_list_vertices(ranked), past_pairs | _list_pairs(found), later, steps):
                    return found
    return None


def _find_table_round(ranked: Sequence[SwissPlayer], past_pairs: PastPairs, later: int) -> SwissRound | None:
    """Return the round of the Berger tables with the closest scores, if (nearly) all pairs are to meet anyway."""
    vertices, players = _list_vertices(ranked), {one.player: one for one in ranked}
    played = max((len(opponents) for opponents in _group_opponents(past_pairs).values()), default=0)
    rounds = _list_table_rounds(vertices, past_pairs)
    # In the last round, any new pairs will do.
    if later == 0 or played + 1 + later < len(vertices) - 2 or len(rounds) < later + 1:
        return None

    def find_bye(one: frozenset[frozenset[int]]) -> SwissPlayer | None:
        return next((players[player] for pair in one if BYE in pair for player in pair if player != BYE), None)

    def compute_badness(one: frozenset[frozenset[int]]) -> tuple[int, int, int]:
        pairs = [[players[player] for player in pair] for pair in one if BYE not in pair]
        imbalance = sum(max(0, one.balance * other.balance) for one, other in pairs)
        bye = find_bye(one)
        stronger = 0 if bye is None else len(ranked) - ranked.index(bye)
        return imbalance, stronger, sum((one.points - other.points) ** 2 for one, other in pairs)

    chosen = min(rounds, key=compute_badness)
    bye = find_bye(chosen)
    opponents = {player: players[other] for pair in chosen if BYE not in pair for player, other in permutations(pair)}
    pairs = [(one, opponents[one.player]) for one in ranked if one is not bye]
    return _build_round([(one, other) for one, other in pairs if ranked.index(one) < ranked.index(other)], bye)


def _build_round(pairs: Sequence[tuple[SwissPlayer, SwissPlayer]], bye: SwissPlayer | None) -> SwissRound:
    # In the first round every other board begins with the stronger player.
    seated = (order_seats(one, other, first=board % 2 == 0) for board, (one, other) in enumerate(pairs))
    return SwissRound(tuple(seated), None if bye is None else bye.player)


def _list_pairs(one: SwissRound) -> PastPairs:
    bye_pairs = set() if one.bye is None else {frozenset((BYE, one.bye))}
    return {*map(frozenset, one.pairs), *bye_pairs}


def _list_vertices(players: Sequence[SwissPlayer]) -> list[int]:
    """Return the players, and the bye as one more if their number is odd."""
    return [*sorted(one.player for one in players), *[BYE] * (len(players) % 2)]


def _is_imbalanced(one: SwissPlayer, other: SwissPlayer) -> bool:
    return one.balance * other.balance > 0 and min(abs(one.balance), abs(other.balance)) >= MAX_SEAT_IMBALANCE


def _iterate_pairings(
    ranked: Sequence[SwissPlayer], before: Opponents
) -> Iterator[tuple[tuple[SwissPlayer, SwissPlayer], ...]]:
    """Yield the pairings of all these players, best first: the lowest boards change first."""
    if not ranked:
        yield ()
        return
    top, *free = ranked
    if not _can_pair([one.player for one in ranked], before):
        return
    for other in _rank_opponents(top, free):
        if other.player not in before.get(top.player, ()):
            for pairs in _iterate_pairings([one for one in free if one is not other], before):
                yield ((top, other), *pairs)


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
    return _has_perfect_matching(_build_graph(players, before))


def _build_graph(players: Sequence[int], before: Opponents) -> Graph:
    """Return the possible opponents of each player."""
    all_players = {*players}
    return {one: all_players - before.get(one, set()) - {one} for one in players}


def _has_perfect_matching(graph: Graph) -> bool:
    # Dirac (1952): if every vertex has at least half of the vertices as neighbours, there is a Hamiltonian cycle, and
    # every other edge of it is a pairing. So only the last of many rounds need a search.
    if 2 * min(map(len, graph.values()), default=0) >= len(graph):
        return True
    return any(True for _ in _iterate_matchings(graph))


def _iterate_matchings(graph: Graph) -> Iterator[list[Pairing]]:
    """Yield the perfect matchings of a graph."""
    if not graph:
        yield []
        return
    fewest = min(graph, key=lambda one: len(graph[one]))
    for other in sorted(graph[fewest]):
        gone = {fewest, other}
        for pairs in _iterate_matchings({one: near - gone for one, near in graph.items() if one not in gone}):
            yield [(fewest, other), *pairs]


def _can_play(players: Sequence[int], past_pairs: PastPairs, rounds: int, steps: Iterator[int]) -> bool:
    """Return whether a search of limited `steps` finds so many more rounds without a repeated pair."""
    if rounds == 0 or len(_list_table_rounds(players, past_pairs)) >= rounds:
        return True
    return _has_disjoint_matchings(_build_graph(players, _group_opponents(past_pairs)), rounds, steps)


def _has_disjoint_matchings(graph: Graph, count: int, steps: Iterator[int]) -> bool:
    """Return whether a search of limited `steps` finds so many perfect matchings without a common edge."""
    # Each matching takes one neighbour; the last one needs half of the vertices as neighbours (Dirac, above).
    fewest = min(map(len, graph.values()), default=0)
    if count == 0 or 2 * (fewest - count + 1) >= len(graph):
        return True
    if fewest < count:
        return False
    for pairs in _iterate_matchings(graph):
        if next(steps, None) is None:
            return False
        taken = dict(pairs) | {other: one for one, other in pairs}
        if _has_disjoint_matchings({one: near - {taken[one]} for one, near in graph.items()}, count - 1, steps):
            return True
    return False


def _list_table_rounds(players: Sequence[int], past_pairs: PastPairs) -> list[frozenset[frozenset[int]]]:
    """Return the rounds of the Berger tables in which only new pairs meet."""
    rounds = (
        frozenset(frozenset((players[one], players[other])) for one, other in pairs)
        for pairs in list_berger_rounds(len(players))
    )
    return [one for one in rounds if not one & past_pairs]
