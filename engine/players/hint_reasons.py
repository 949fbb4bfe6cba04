"""What can be said for a move to somebody who asks what to play: facts with numbers, that anybody can check.

It takes what the seat sees and nothing else, so a hint tells of no hidden tile. A player of the levels says which move
it is; why somebody would make it is found here.

    found = hint(seen, player("master", seen.rules, weights).choose(seen, rng))
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from engine.board.board import Board
from engine.board.lattice import Cell, number_of
from engine.board.tableau import Tableau
from engine.board.tiles import Tile, pips
from engine.match.actions import Action, Choose, Play
from engine.match.bonuses import BonusRules
from engine.match.following import Following
from engine.match.player_view import Move, PlayerView, legal_actions


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
    """No other move scores more, not with its bonus either: this many points, and at least so many more than the next
    best, which may be none.
    """

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
    """It earns points or further tiles, or both, beside its own points; no tiles where they cannot be placed."""

    points: int
    tiles: int
    both: bool


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A further turn follows, in which a tile can be placed."""


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
class Holder:
    """The only other seat of the match, and how many of the tiles that the viewer does not see it holds."""

    seat: int
    tiles: int


@dataclass(frozen=True, slots=True)
class LeavesFew:
    """Of the tiles that the viewer does not see so many fit anywhere afterwards, and so many do before."""

    unseen: int
    after: int
    before: int
    holder: Holder | None = None
    """Whom it leaves them; None where several hold what is not seen."""


@dataclass(frozen=True, slots=True)
class LeavesFewest:
    """Of the tiles that the viewer does not see so many fit anywhere afterwards, and after no other move fewer, nor
    where the turn is ended without one.
    """

    unseen: int
    after: int
    holder: Holder | None = None


@dataclass(frozen=True, slots=True)
class KeepsMost:
    """Of the tiles that are left in the hand so many fit anywhere afterwards, and after no other move more, nor
    where the turn is ended without one.
    """

    held: int
    fitting: int


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
    | LeavesFewest
    | KeepsMost
    | Heaviest
    | Weighs
)


def worth(reason: Reason) -> float:
    """About how many points it is worth to whoever decides: it only says which come first."""
    match reason:
        case OnlyMove():
            return 1000
        case GoesOut(bonus):
            return 200 + bonus
        case ScoresMost(_, more):
            return 5 + more if more else 4
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
        case LeavesFewest():
            return 4.5
        case KeepsMost(_, fitting):
            return 5 + fitting / 2
        case Heaviest(heavy):
            return heavy / 3
        case _:
            assert_never(reason)


MOST_REASONS: Final = 3
"""So many are told of a move, those that are worth most."""
FEW: Final = 2
"""Other places at which a tile still fits that is said to fit rarely."""
SEVERAL: Final = 2
"""Of so many tiles it is told how many fit."""
MUCH: Final = 0.1
"""The part of the tiles that the viewer does not see which must have fitted before, and not any more, to be told
of; and at most half of them may fit still.
"""


@dataclass(frozen=True, slots=True)
class Hint:
    """A move with its reasons, the weightiest first."""

    action: Action
    move: Move | None
    """The placement; None where no tile is to be placed."""
    reasons: tuple[Reason, ...]


def hint(seen: PlayerView, action: Action) -> Hint:
    """Why the seat that is looking would do this, which must be allowed to it now."""
    move = _placement(seen, action)
    if move is None:
        return Hint(action, None, tuple(_of_no_tile(seen, action)))
    found = sorted(_of_tile(seen, move), key=worth, reverse=True)
    return Hint(action, move, tuple(found[:MOST_REASONS]))


def _placement(seen: PlayerView, action: Action) -> Move | None:
    if not isinstance(action, Play):
        return None
    lies = action.tile, action.cell, action.rotation
    return next(move for move in seen.moves if move.placement == lies)


def _of_no_tile(seen: PlayerView, action: Action) -> Iterator[Reason]:
    if len(legal_actions(seen)) == 1:
        yield OnlyMove()
    elif isinstance(action, Choose) and seen.reward is not None:
        best: dict[Tile, int] = {}
        for move in seen.moves:
            best[move.placement.tile] = max(move.points, best.get(move.placement.tile, move.points))
        most = sum(sorted(best.values(), reverse=True)[: seen.reward.tiles])
        yield Weighs(seen.reward.points, seen.reward.tiles, most)


def _of_tile(seen: PlayerView, move: Move) -> Iterator[Reason]:
    assert seen.mine is not None
    assert seen.mine.hand is not None
    kept = [tile for tile in seen.mine.hand if tile != move.placement.tile]
    if not kept:
        yield GoesOut(seen.rules.out_bonus)
    yield from _made(seen, move)
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


def _made(seen: PlayerView, move: Move) -> Iterator[Reason]:
    rules, following = seen.rules, Following(seen)
    bridge = rules.bridge if move.bridge and isinstance(rules, BonusRules) else 0
    if move.hexagons:
        cost = rules.draw_cost * seen.drawn
        yield Closes(move.hexagons, move.points + cost - move.base - bridge)
    if move.bridge:
        yield Bridges(bridge)
    if move.reward is not None:
        tiles = move.reward.tiles if following.brings_tiles(move) else 0
        yield Earns(move.reward.points, tiles, move.reward.both)
    if following.brings_turn(move):
        yield GoesOn()


def _scored(seen: PlayerView, move: Move) -> Iterator[Reason]:
    others = [other for other in seen.moves if other != move]
    if not seen.rules.scores_tiles or not any(other.points < move.points for other in others):
        return
    # Another move may score less by itself, and more with its bonus.
    more = min(worth_of(move) - max(map(worth_of, others)) for worth_of in (_points, _with_bonus))
    if more >= 0:
        yield ScoresMost(move.points, more)


def _points(move: Move) -> int:
    return move.points


def _with_bonus(move: Move) -> int:
    return move.points + (move.reward.points if move.reward is not None else 0)


def _fitted(seen: PlayerView, move: Move) -> Iterator[Reason]:
    places: dict[Tile, set[Cell]] = {}
    for one in seen.moves:
        places.setdefault(one.placement.tile, set()).add(one.placement.cell)
    mine = places.pop(move.placement.tile)
    if places and len(mine) - 1 <= FEW and len(mine) < min(map(len, places.values())):
        yield RarelyFits(move.placement.tile, len(mine) - 1)


def _left_behind(seen: PlayerView, move: Move, kept: list[Tile]) -> Iterator[Reason]:
    """What the table is like afterwards, for the viewer and for all others."""
    board = seen.rules.board()
    for lies in seen.tiles:
        board.place(lies)
    tableau, own = board.tableau, board.hand(kept)
    unseen = tableau.table.whole & ~tableau.played & ~own & ~board.hand([move.placement.tile])
    fitting = _fitting(tableau)
    hidden, before = unseen.bit_count(), (fitting & unseen).bit_count()
    after, keeps = _fit_after(board, move, unseen, own)
    whole = board.hand([*kept, move.placement.tile])
    all_after = [_fit_after(board, other, unseen, whole) for other in seen.moves]
    if len(legal_actions(seen)) > len(seen.moves):
        # Who places nothing leaves the table as it is.
        all_after.append([before, (fitting & own).bit_count()])
    others, own_kept = [theirs for theirs, _ in all_after], [mine for _, mine in all_after]
    if hidden < SEVERAL or (keeps and _goes_on(seen, move)):
        pass  # before anybody else is to move it is another table
    elif before > after and before - after >= MUCH * hidden and 2 * after <= hidden:
        yield LeavesFew(hidden, after, before, _holder(seen))
    elif min(others) == after < max(others):
        yield LeavesFewest(hidden, after, _holder(seen))
    if len(kept) >= SEVERAL and min(own_kept) < keeps == max(own_kept):
        yield KeepsMost(len(kept), keeps)
    chances = _chances(seen, tableau, own)
    tableau.place(*board.plies[move.placement])
    safe = [one for one in chances & _chances(seen, tableau, own) if not _takers(tableau, one.cell) & unseen]
    # Of several the best, and of those that are as good the first by the letters.
    letters = [place.cell for place in seen.places]
    yield from sorted(safe, key=lambda one: (-one.bonus, letters.index(one.cell), one.tile))[:1]


def _goes_on(seen: PlayerView, move: Move) -> bool:
    """Whether a further tile must be placed after this one, if one fits."""
    return seen.bonus_tiles > 1 or (move.corner and seen.rules.must_go_on)


def _holder(seen: PlayerView) -> Holder | None:
    """Who holds tiles that the viewer does not see, where that can only be one."""
    if len(seen.seats) != 2 or seen.viewer is None:
        return None
    other = 1 - seen.viewer
    return Holder(other, seen.seats[other].tiles)


def _fit_after(board: Board, move: Move, *hands: int) -> list[int]:
    """Of each of these hands how many tiles fit anywhere after a move, the one that it places left out."""
    tableau, placed = board.tableau, board.hand([move.placement.tile])
    tableau.place(*board.plies[move.placement])
    fitting = _fitting(tableau) & ~placed
    tableau.undo()
    return [(fitting & hand).bit_count() for hand in hands]


def _chances(seen: PlayerView, tableau: Tableau, hand: int) -> set[Keeps]:
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
