"""Reasons for a move in a hint: verifiable facts with numbers.

Hints use only the player's view, so they reveal no hidden tile. A computer player chooses the move; this module finds
reasons for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from engine.board.board import Board
from engine.board.lattice import Cell, encode_cell
from engine.board.tableau import Tableau
from engine.board.tiles import Tile, count_pips
from engine.match.actions import Action, Choose, Play
from engine.match.bonuses import BonusRules
from engine.match.following import FollowUpProbe
from engine.match.player_view import Move, PlayerView, list_legal_actions


@dataclass(frozen=True, slots=True)
class OnlyMove:
    """The only legal action."""


@dataclass(frozen=True, slots=True)
class GoingOut:
    """It is the last tile of the hand."""

    bonus: int  # the fixed part of the award for going out


@dataclass(frozen=True, slots=True)
class HighestScore:
    """No other move scores more, even with its bonus: these points, and at least `more` than the next best."""

    points: int
    margin: int


@dataclass(frozen=True, slots=True)
class ClosedHexagons:
    hexagons: int
    bonus: int


@dataclass(frozen=True, slots=True)
class BridgeBonus:
    bonus: int


@dataclass(frozen=True, slots=True)
class EarnedReward:
    """It earns points, further tiles, or both, besides its own points; 0 tiles if they cannot be placed."""

    points: int
    tiles: int
    both: bool


@dataclass(frozen=True, slots=True)
class FurtherTurn:
    """A further turn follows in which a tile can be placed."""


@dataclass(frozen=True, slots=True)
class RareFit:
    """The tile fits few other places, fewer than any other playable tile."""

    tile: Tile
    other_places: int


@dataclass(frozen=True, slots=True)
class KeptBonus:
    """Afterwards a tile of the hand earns this bonus at an open place that no unseen tile fits."""

    tile: Tile
    cell: Cell
    bonus: int


@dataclass(frozen=True, slots=True)
class OnlyOpponent:
    """The only other seat of the match, and its share of the unseen tiles."""

    seat: int
    tiles: int


@dataclass(frozen=True, slots=True)
class FewReplies:
    """Of the unseen tiles, `after` fit after the move and `before` before it."""

    unseen: int
    after: int
    before: int
    holder: OnlyOpponent | None = None  # who holds them; None with several other seats


@dataclass(frozen=True, slots=True)
class FewestReplies:
    """Of the unseen tiles, `after` fit after the move, and after no other move or stop fewer."""

    unseen: int
    after: int
    holder: OnlyOpponent | None = None


@dataclass(frozen=True, slots=True)
class MostPlayableHand:
    """Of the rest of the hand, `fitting` tiles fit after the move, and after no other move or stop more."""

    held: int
    fitting: int


@dataclass(frozen=True, slots=True)
class HeaviestTile:
    pips: int


@dataclass(frozen=True, slots=True)
class RewardComparison:
    """A bonus: its points, its further tiles, and the best score of these as the table stands."""

    points: int
    tiles: int
    most: int


Gains = OnlyMove | GoingOut | HighestScore | ClosedHexagons | BridgeBonus | EarnedReward | FurtherTurn
Reason = Gains | RareFit | KeptBonus | FewReplies | FewestReplies | MostPlayableHand | HeaviestTile | RewardComparison


def evaluate_reason(reason: Reason) -> float:
    """Return the approximate value of a reason in points; it only orders the reasons."""
    match reason:
        case OnlyMove():
            return 1000
        case GoingOut(bonus):
            return 200 + bonus
        case HighestScore(_, more):
            return 5 + more if more else 4
        case ClosedHexagons(_, bonus) | BridgeBonus(bonus):
            return 10 + bonus
        case EarnedReward(points) | RewardComparison(points):
            return 10 + points
        case FurtherTurn():
            return 10
        case RareFit(tile, elsewhere):
            return count_pips(tile) / (1 + elsewhere)
        case KeptBonus(_, _, bonus):
            return bonus / 2
        case FewReplies(unseen, after, before):
            return (20 if not after else 0) + 30 * (before - after) / unseen
        case FewestReplies():
            return 4.5
        case MostPlayableHand(_, fitting):
            return 5 + fitting / 2
        case HeaviestTile(heavy):
            return heavy / 3
        case _:
            assert_never(reason)


MAX_REASONS: Final = 3  # reasons shown per move, the best ones
MAX_OTHER_PLACES: Final = 2  # other places of a tile that "rarely fits", at most
MIN_TILES_SHOWN: Final = 2  # fewest tiles for which the number of fitting ones is shown
MIN_BLOCKED_FRACTION: Final = 0.1
"""Fraction of the unseen tiles that must no longer fit to be mentioned; at most half of them may still fit."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A move with its reasons, the best first."""

    action: Action
    move: Move | None  # None without a placement
    reasons: tuple[Reason, ...]


def build_hint(view: PlayerView, action: Action) -> Hint:
    """Return the reasons for a legal action of the viewer."""
    move = _find_move(view, action)
    if move is None:
        return Hint(action, None, tuple(_iterate_choice_reasons(view, action)))
    found = sorted(_iterate_move_reasons(view, move), key=evaluate_reason, reverse=True)
    return Hint(action, move, tuple(found[:MAX_REASONS]))


def _find_move(view: PlayerView, action: Action) -> Move | None:
    if not isinstance(action, Play):
        return None
    placement = action.tile, action.cell, action.rotation
    return next(move for move in view.moves if move.placement == placement)


def _iterate_choice_reasons(view: PlayerView, action: Action) -> Iterator[Reason]:
    if len(list_legal_actions(view)) == 1:
        yield OnlyMove()
    elif isinstance(action, Choose) and view.reward is not None:
        best: dict[Tile, int] = {}
        for move in view.moves:
            best[move.placement.tile] = max(move.points, best.get(move.placement.tile, move.points))
        most = sum(sorted(best.values(), reverse=True)[: view.reward.tiles])
        yield RewardComparison(view.reward.points, view.reward.tiles, most)


def _iterate_move_reasons(view: PlayerView, move: Move) -> Iterator[Reason]:
    assert view.own_seat is not None
    assert view.own_seat.hand is not None
    remaining = [tile for tile in view.own_seat.hand if tile != move.placement.tile]
    if not remaining:
        yield GoingOut(view.rules.out_bonus)
    yield from _iterate_gain_reasons(view, move)
    if len(list_legal_actions(view)) == 1:
        yield OnlyMove()
        return
    yield from _iterate_score_reasons(view, move)
    if not remaining:
        return
    heavy = count_pips(move.placement.tile)
    if heavy > max(map(count_pips, remaining)):
        yield HeaviestTile(heavy)
    if view.tiles:
        if not view.bonus_tiles:  # the offered moves must have a successor
            yield from _iterate_fit_reasons(view, move)
        yield from _iterate_table_reasons(view, move, remaining)


def _iterate_gain_reasons(view: PlayerView, move: Move) -> Iterator[Reason]:
    rules, following = view.rules, FollowUpProbe(view)
    bridge = rules.bridge_bonus if move.bridge and isinstance(rules, BonusRules) else 0
    if move.hexagons:
        cost = rules.draw_cost * view.drawn
        yield ClosedHexagons(move.hexagons, move.points + cost - move.base - bridge)
    if move.bridge:
        yield BridgeBonus(bridge)
    if move.reward is not None:
        tiles = move.reward.tiles if following.can_take_tiles(move) else 0
        yield EarnedReward(move.reward.points, tiles, move.reward.both)
    if following.can_move_again(move):
        yield FurtherTurn()


def _iterate_score_reasons(view: PlayerView, move: Move) -> Iterator[Reason]:
    others = [other for other in view.moves if other != move]
    if not view.rules.scores_tiles or not any(other.points < move.points for other in others):
        return
    # Another move may score less alone, and more with its bonus.
    margin = move.points - max(other.points for other in others)
    margin = min(margin, _compute_points_with_reward(move) - max(map(_compute_points_with_reward, others)))
    if margin >= 0:
        yield HighestScore(move.points, margin)


def _compute_points_with_reward(move: Move) -> int:
    return move.points + (move.reward.points if move.reward is not None else 0)


def _iterate_fit_reasons(view: PlayerView, move: Move) -> Iterator[Reason]:
    places: dict[Tile, set[Cell]] = {}
    for one in view.moves:
        places.setdefault(one.placement.tile, set()).add(one.placement.cell)
    own_places = places.pop(move.placement.tile)
    if places and len(own_places) - 1 <= MAX_OTHER_PLACES and len(own_places) < min(map(len, places.values())):
        yield RareFit(move.placement.tile, len(own_places) - 1)


def _iterate_table_reasons(view: PlayerView, move: Move, remaining: list[Tile]) -> Iterator[Reason]:
    """Yield facts about the table after the move, for the viewer and for the others."""
    board = view.rules.build_board(view.tiles)
    tableau, own = board.tableau, board.to_mask(remaining)
    unseen = tableau.table.full_mask & ~tableau.played_mask & ~own & ~board.to_mask([move.placement.tile])
    fitting = tableau.compute_fitting_tiles()
    hidden, before = unseen.bit_count(), (fitting & unseen).bit_count()
    after, own_after = _count_fitting_after(board, move, unseen, own)
    whole = board.to_mask([*remaining, move.placement.tile])
    all_after = [_count_fitting_after(board, other, unseen, whole) for other in view.moves]
    if len(list_legal_actions(view)) > len(view.moves):
        # Stopping does not change the table.
        all_after.append([before, (fitting & own).bit_count()])
    unseen_all_after, own_all_after = zip(*all_after, strict=True)
    must_go_on = view.bonus_tiles > 1 or (move.corner and view.rules.must_take_further_turn)
    if hidden < MIN_TILES_SHOWN or (own_after and must_go_on):
        pass  # the table changes before the other seats move
    elif before > after and before - after >= MIN_BLOCKED_FRACTION * hidden and 2 * after <= hidden:
        yield FewReplies(hidden, after, before, _find_only_opponent(view))
    elif min(unseen_all_after) == after < max(unseen_all_after):
        yield FewestReplies(hidden, after, _find_only_opponent(view))
    if len(remaining) >= MIN_TILES_SHOWN and min(own_all_after) < own_after == max(own_all_after):
        yield MostPlayableHand(len(remaining), own_after)
    bonuses = _find_open_bonuses(view, tableau, own)
    tableau.place(*board.plies_by_placement[move.placement])
    masks, demands = tableau.table.mask_by_demand, tableau.get_open_cells()
    safe_bonuses = bonuses & _find_open_bonuses(view, tableau, own)
    safe_bonuses = {one for one in safe_bonuses if not masks[demands[encode_cell(one.cell)]] & unseen}
    # The best one, then the first by letter.
    letters = [place.cell for place in view.places]
    yield from sorted(safe_bonuses, key=lambda one: (-one.bonus, letters.index(one.cell), one.tile))[:1]


def _find_only_opponent(view: PlayerView) -> OnlyOpponent | None:
    if len(view.seats) != 2 or view.viewer is None:
        return None
    other = 1 - view.viewer
    return OnlyOpponent(other, view.seats[other].tiles)


def _count_fitting_after(board: Board, move: Move, *hands: int) -> list[int]:
    """Return for each hand how many tiles fit after a move, without its own tile."""
    tableau, placed = board.tableau, board.to_mask([move.placement.tile])
    tableau.place(*board.plies_by_placement[move.placement])
    fitting = tableau.compute_fitting_tiles() & ~placed
    tableau.undo()
    return [(fitting & hand).bit_count() for hand in hands]


def _find_open_bonuses(view: PlayerView, tableau: Tableau, hand: int) -> set[KeptBonus]:
    found, table = set(), tableau.table
    for number, way in tableau.list_legal_moves(hand):
        earned, tile = view.rules.compute_score(tableau, number, way), table.oriented_tiles[way].tile
        reward = view.rules.find_reward(tile, earned, opening=False, bonus_tile=False)
        bonus = earned.bonus + (reward.points if reward is not None else 0)
        if bonus and view.find_place(cell := tableau.grid.decode_cell(number)) is not None:
            found.add(KeptBonus(tile, cell, bonus))
    return found
