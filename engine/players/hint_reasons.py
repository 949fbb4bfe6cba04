"""Reasons for a move in a hint: verifiable facts with numbers.

Hints use only the player's view, so they reveal no hidden tile. A computer player chooses the move; this module finds
reasons for it.
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
    """The only legal action."""


@dataclass(frozen=True, slots=True)
class GoesOut:
    """It is the last tile of the hand."""

    bonus: int  # the fixed part of the award for going out


@dataclass(frozen=True, slots=True)
class ScoresMost:
    """No other move scores more, even with its bonus: these points, and at least `more` than the next best."""

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
    """It earns points, further tiles, or both, besides its own points; 0 tiles if they cannot be placed."""

    points: int
    tiles: int
    both: bool


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A further turn follows in which a tile can be placed."""


@dataclass(frozen=True, slots=True)
class RarelyFits:
    """The tile fits few other places, fewer than any other playable tile."""

    tile: Tile
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Keeps:
    """Afterwards a tile of the hand earns this bonus at an open place that no unseen tile fits."""

    tile: Tile
    cell: Cell
    bonus: int


@dataclass(frozen=True, slots=True)
class Holder:
    """The only other seat of the match, and its share of the unseen tiles."""

    seat: int
    tiles: int


@dataclass(frozen=True, slots=True)
class LeavesFew:
    """Of the unseen tiles, `after` fit after the move and `before` before it."""

    unseen: int
    after: int
    before: int
    holder: Holder | None = None  # who holds them; None with several other seats


@dataclass(frozen=True, slots=True)
class LeavesFewest:
    """Of the unseen tiles, `after` fit after the move, and after no other move or stop fewer."""

    unseen: int
    after: int
    holder: Holder | None = None


@dataclass(frozen=True, slots=True)
class KeepsMost:
    """Of the rest of the hand, `fitting` tiles fit after the move, and after no other move or stop more."""

    held: int
    fitting: int


@dataclass(frozen=True, slots=True)
class Heaviest:
    """It is the heaviest tile of the hand."""

    pips: int


@dataclass(frozen=True, slots=True)
class Weighs:
    """A bonus: its points, its further tiles, and the best score of these as the table stands."""

    points: int
    tiles: int
    most: int


Gains = OnlyMove | GoesOut | ScoresMost | Closes | Bridges | Earns | GoesOn
Reason = Gains | RarelyFits | Keeps | LeavesFew | LeavesFewest | KeepsMost | Heaviest | Weighs


def worth(reason: Reason) -> float:
    """Return the approximate value of a reason in points; it only orders the reasons."""
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


MOST_REASONS: Final = 3  # reasons shown per move, the best ones
FEW: Final = 2  # other places of a tile that "rarely fits", at most
SEVERAL: Final = 2  # fewest tiles for which the number of fitting ones is shown
MUCH: Final = 0.1
"""Fraction of the unseen tiles that must no longer fit to be mentioned; at most half of them may still fit."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A move with its reasons, the best first."""

    action: Action
    move: Move | None  # None without a placement
    reasons: tuple[Reason, ...]


def hint(seen: PlayerView, action: Action) -> Hint:
    """Return the reasons for a legal action of the viewer."""
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
        if not seen.bonus_tiles:  # the offered moves must have a successor
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
    # Another move may score less alone, and more with its bonus.
    more = move.points - max(other.points for other in others)
    more = min(more, _with_bonus(move) - max(map(_with_bonus, others)))
    if more >= 0:
        yield ScoresMost(move.points, more)


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
    """Yield facts about the table after the move, for the viewer and for the others."""
    board = seen.rules.board(seen.tiles)
    tableau, own = board.tableau, board.hand(kept)
    unseen = tableau.table.whole & ~tableau.played & ~own & ~board.hand([move.placement.tile])
    fitting = tableau.fitting()
    hidden, before = unseen.bit_count(), (fitting & unseen).bit_count()
    after, keeps = _fit_after(board, move, unseen, own)
    whole = board.hand([*kept, move.placement.tile])
    all_after = [_fit_after(board, other, unseen, whole) for other in seen.moves]
    if len(legal_actions(seen)) > len(seen.moves):
        # Stopping does not change the table.
        all_after.append([before, (fitting & own).bit_count()])
    others, own_kept = [theirs for theirs, _ in all_after], [mine for _, mine in all_after]
    must_go_on = seen.bonus_tiles > 1 or (move.corner and seen.rules.must_go_on)
    if hidden < SEVERAL or (keeps and must_go_on):
        pass  # the table changes before the other seats move
    elif before > after and before - after >= MUCH * hidden and 2 * after <= hidden:
        yield LeavesFew(hidden, after, before, _holder(seen))
    elif min(others) == after < max(others):
        yield LeavesFewest(hidden, after, _holder(seen))
    if len(kept) >= SEVERAL and min(own_kept) < keeps == max(own_kept):
        yield KeepsMost(len(kept), keeps)
    chances = _chances(seen, tableau, own)
    tableau.place(*board.plies[move.placement])
    masks, demands = tableau.table.masks, tableau.open()
    safe = chances & _chances(seen, tableau, own)
    safe = {one for one in safe if not masks[demands[number_of(one.cell)]] & unseen}
    # The best one, then the first by letter.
    letters = [place.cell for place in seen.places]
    yield from sorted(safe, key=lambda one: (-one.bonus, letters.index(one.cell), one.tile))[:1]


def _holder(seen: PlayerView) -> Holder | None:
    if len(seen.seats) != 2 or seen.viewer is None:
        return None
    other = 1 - seen.viewer
    return Holder(other, seen.seats[other].tiles)


def _fit_after(board: Board, move: Move, *hands: int) -> list[int]:
    """Return for each hand how many tiles fit after a move, without its own tile."""
    tableau, placed = board.tableau, board.hand([move.placement.tile])
    tableau.place(*board.plies[move.placement])
    fitting = tableau.fitting() & ~placed
    tableau.undo()
    return [(fitting & hand).bit_count() for hand in hands]


def _chances(seen: PlayerView, tableau: Tableau, hand: int) -> set[Keeps]:
    found, table = set(), tableau.table
    for number, way in tableau.legal(hand):
        earned, tile = seen.rules.earned(tableau, number, way), table.turned[way].tile
        reward = seen.rules.reward(tile, earned, opening=False, bonus_tile=False)
        bonus = earned.bonus + (reward.points if reward is not None else 0)
        if bonus and seen.place(cell := tableau.grid.cell(number)) is not None:
            found.add(Keeps(tile, cell, bonus))
    return found
