"""What can be said for a move to somebody who asks what to play: facts with numbers, that anybody can check.

It takes what the seat sees and nothing else, so a hint tells of no hidden tile. A player of the levels says which move
it is; why somebody would make it is found here.

    found = hint(seen, player("master", seen.rules, weights).choose(seen, rng))
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from engine.actions import Action, Choose, Play
from engine.bonuses import BonusRules
from engine.grid import number_of
from engine.lattice import Cell
from engine.legal import legal_actions
from engine.seen import Move, Seen
from engine.tableau import Tableau
from engine.tiles import Tile, pips

MOST_REASONS: Final = 3
"""So many are told of a move, those that are worth most."""
FEW: Final = 2
"""Other places at which a tile still fits that is said to fit rarely."""
MUCH: Final = 0.1
"""The part of the tiles that the viewer does not see which must have fitted before, and not any more, to be told of; and
at most half of them may fit still.
"""


@dataclass(frozen=True, slots=True)
class OnlyMove:
    """The rules allow nothing else."""


@dataclass(frozen=True, slots=True)
class GoesOut:
    """It is the last tile of the hand."""

    bonus: int
    """The fixed part of what going out earns."""


@dataclass(frozen=True, slots=True)
class ScoresMost:
    """No other move scores as much: this many points, and so many more than the next best."""

    points: int
    more: int


@dataclass(frozen=True, slots=True)
class Closes:
    """It closes so many hexagons."""

    hexagons: int
    bonus: int


@dataclass(frozen=True, slots=True)
class Bridges:
    """It earns the bonus of a bridge."""

    bonus: int


@dataclass(frozen=True, slots=True)
class Earns:
    """It earns points or further tiles, or both, beside its own points."""

    points: int
    tiles: int
    both: bool


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A further turn follows."""


@dataclass(frozen=True, slots=True)
class RarelyFits:
    """The tile fits at so many other places, and each of the others that can be placed now at more."""

    tile: Tile
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Keeps:
    """Afterwards a tile of the hand earns this bonus at a place that is open now, and no tile that the viewer does not
    see fits there.
    """

    tile: Tile
    cell: Cell
    bonus: int


@dataclass(frozen=True, slots=True)
class LeavesFew:
    """Of the tiles that the viewer does not see so many fit anywhere afterwards, and so many do before."""

    unseen: int
    after: int
    before: int


@dataclass(frozen=True, slots=True)
class Heaviest:
    """It is the heaviest tile of the hand, by so many pips."""

    pips: int


@dataclass(frozen=True, slots=True)
class Weighs:
    """Of a bonus: its points, its further tiles, and what the best of these would score as the table stands."""

    points: int
    tiles: int
    most: int


Reason = (
    OnlyMove
    | GoesOut
    | ScoresMost
    | Closes
    | Bridges
    | Earns
    | GoesOn
    | RarelyFits
    | Keeps
    | LeavesFew
    | Heaviest
    | Weighs
)


@dataclass(frozen=True, slots=True)
class Hint:
    """A move with its reasons, the weightiest first."""

    action: Action
    move: Move | None
    """The placement; None where no tile is to be placed."""
    reasons: tuple[Reason, ...]


def hint(seen: Seen, action: Action) -> Hint:
    """Why the seat that is looking would do this, which must be allowed to it now."""
    move = _placement(seen, action)
    if move is None:
        return Hint(action, None, tuple(_of_no_tile(seen, action)))
    found = sorted(_of_tile(seen, move), key=_worth, reverse=True)
    return Hint(action, move, tuple(found[:MOST_REASONS]))


def _placement(seen: Seen, action: Action) -> Move | None:
    if not isinstance(action, Play):
        return None
    lies = action.tile, action.cell, action.rotation
    return next(move for move in seen.moves if move.placement == lies)


def _worth(reason: Reason) -> float:
    """About how many points it is worth to whoever decides: it only says which come first."""
    match reason:
        case OnlyMove():
            return 1000
        case GoesOut(bonus):
            return 200 + bonus
        case ScoresMost(_, more):
            return 5 + more
        case Closes(_, bonus) | Bridges(bonus):
            return 10 + bonus
        case Earns(points) | Weighs(points):
            return 10 + points
        case GoesOn():
            return 10
        case RarelyFits(tile, elsewhere):
            return pips(tile) / (1 + elsewhere)
        case Keeps(_, _, bonus):
            return bonus / 2
        case LeavesFew(unseen, after, before):
            return (20 if not after else 0) + 30 * (before - after) / unseen
        case Heaviest(heavy):
            return heavy / 3
        case _:
            assert_never(reason)


def _of_no_tile(seen: Seen, action: Action) -> Iterator[Reason]:
    if len(legal_actions(seen)) == 1:
        yield OnlyMove()
    elif isinstance(action, Choose) and seen.reward is not None:
        best: dict[Tile, int] = {}
        for move in seen.moves:
            best[move.placement.tile] = max(move.points, best.get(move.placement.tile, move.points))
        most = sum(sorted(best.values(), reverse=True)[: seen.reward.tiles])
        yield Weighs(seen.reward.points, seen.reward.tiles, most)


def _of_tile(seen: Seen, move: Move) -> Iterator[Reason]:
    assert seen.mine is not None
    assert seen.mine.hand is not None
    kept = [tile for tile in seen.mine.hand if tile != move.placement.tile]
    if not kept:
        yield GoesOut(seen.rules.out_bonus)
    yield from _made(seen, move, left=bool(kept))
    if len(legal_actions(seen)) == 1:
        yield OnlyMove()
        return
    yield from _scored(seen, move)
    if not kept:
        return
    heavy = pips(move.placement.tile)
    if heavy > max(map(pips, kept)):
        yield Heaviest(heavy)
    if seen.tiles:
        if not seen.bonus_tiles:  # of these, those that no other can follow are not offered
            yield from _fitted(seen, move)
        yield from _left_behind(seen, move, kept)


def _made(seen: Seen, move: Move, *, left: bool) -> Iterator[Reason]:
    rules = seen.rules
    bridge = rules.bridge if move.bridge and isinstance(rules, BonusRules) else 0
    if move.hexagons:
        cost = rules.draw_cost * seen.drawn
        yield Closes(move.hexagons, move.points + cost - move.base - bridge)
    if move.bridge:
        yield Bridges(bridge)
    if move.reward is not None:
        # Without a tile to go on with there are only the points.
        yield Earns(move.reward.points, move.reward.tiles if left else 0, move.reward.both)
    if move.corner and left:
        yield GoesOn()


def _scored(seen: Seen, move: Move) -> Iterator[Reason]:
    others = [other.points for other in seen.moves if other != move]
    if others and seen.rules.scores_tiles and move.points > max(others):
        yield ScoresMost(move.points, move.points - max(others))


def _fitted(seen: Seen, move: Move) -> Iterator[Reason]:
    places: dict[Tile, set[Cell]] = {}
    for one in seen.moves:
        places.setdefault(one.placement.tile, set()).add(one.placement.cell)
    mine = places.pop(move.placement.tile)
    if places and len(mine) - 1 <= FEW and len(mine) < min(map(len, places.values())):
        yield RarelyFits(move.placement.tile, len(mine) - 1)


def _left_behind(seen: Seen, move: Move, kept: list[Tile]) -> Iterator[Reason]:
    """What the table is like afterwards, for the viewer and for all others."""
    board = seen.rules.board()
    for lies in seen.tiles:
        board.place(lies)
    tableau, own = board.tableau, board.hand(kept)
    unseen = tableau.table.whole & ~tableau.played & ~own & ~board.hand([move.placement.tile])
    before, chances = _fitting(tableau) & unseen, _chances(seen, tableau, own)
    tableau.place(*board.plies[move.placement])
    after = _fitting(tableau) & unseen
    hidden, left, fewer = unseen.bit_count(), after.bit_count(), before.bit_count() - after.bit_count()
    if fewer > 0 and fewer >= MUCH * hidden and 2 * left <= hidden:
        yield LeavesFew(hidden, left, before.bit_count())
    safe = [one for one in chances & _chances(seen, tableau, own) if not _takers(tableau, one.cell) & unseen]
    # Of several the best, and of those that are as good the first by the letters.
    letters = [place.cell for place in seen.places]
    yield from sorted(safe, key=lambda one: (-one.bonus, letters.index(one.cell), one.tile))[:1]


def _chances(seen: Seen, tableau: Tableau, hand: int) -> set[Keeps]:
    """The bonuses that these tiles would earn at places that have a letter now."""
    found, table = set(), tableau.table
    for number, way in tableau.legal(hand):
        earned, tile = seen.rules.earned(tableau, number, way), table.turned[way].tile
        reward = seen.rules.reward(tile, earned, opening=False, bonus_tile=False)
        bonus = earned.bonus + (reward.points if reward is not None else 0)
        if bonus and seen.place(cell := tableau.grid.cell(number)) is not None:
            found.add(Keeps(tile, cell, bonus))
    return found


def _fitting(tableau: Tableau) -> int:
    """The tiles that fit anywhere."""
    masks, found = tableau.table.masks, 0
    for demand in tableau.open().values():
        found |= masks[demand]
    return found


def _takers(tableau: Tableau, cell: Cell) -> int:
    """The tiles that fit an open cell."""
    return tableau.table.masks[tableau.open()[number_of(cell)]]
