"""Choices inside a turn: a bonus or further tiles, a further turn or the end of this one (RULES §4, §5)."""

from collections.abc import Sequence

from engine.actions import Option
from engine.board import Placement
from engine.errors import RuleBroken, Why
from engine.events import Chose
from engine.match import Match, leaves_another
from engine.rules import Reward
from engine.tiles import Tile


def options(match: Match) -> tuple[Option, ...]:
    """What the seat to act may choose now beside placing a tile; empty where there is nothing to choose."""
    if match.ended:
        return ()
    if match.choosing:
        return ("points", "tiles") if can_place_bonus(match, match.seats[match.turn].hand) else ("points",)
    if match.bonus_tiles:
        # What cannot be placed any more lapses.
        return () if match.legal(match.turn) else ("stop",)
    if match.further:
        must = match.rules.must_go_on and match.board.has_legal(match.seats[match.turn].hand)
        return () if must else ("stop",)
    return ()


def can_place_bonus(match: Match, hand: Sequence[Tile], after: Placement | None = None) -> bool:
    """Whether a hand can place the further tiles of a bonus now, or after a placement: two of them one after the other.

    Where one is enough (`partial_bonus`), only the first is asked for.
    """
    board = match.board
    if after is not None:
        board.place(after)
    try:
        if match.rules.partial_reward:
            return board.has_legal(hand)
        return any(leaves_another(board, first, hand) for first in board.legal(hand))
    finally:
        if after is not None:
            board.undo()


def chosen(match: Match, seat: int, option: Option) -> Chose:
    """What comes of a choice. Raises RuleBroken when it is not there to be made."""
    open_ = options(match)
    if match.choosing:
        bonus = reward(match)
        if option == "tiles" and option not in open_:
            raise RuleBroken(Why.BONUS_TILES_IMPOSSIBLE, points=bonus.points, tiles=bonus.tiles)
        if option == "points":
            return Chose(seat, "points", bonus.points, 0)
        if option == "tiles":
            return Chose(seat, "tiles", 0, bonus.tiles)
    elif option == "stop" and option in open_:
        return Chose(seat, "stop", 0, 0)
    elif option == "stop" and (match.bonus_tiles or match.further):
        raise RuleBroken(Why.MUST_PLAY, moves=tuple(match.legal(seat)))
    if open_:
        raise RuleBroken(Why.MUST_CHOOSE, options=open_)
    raise RuleBroken(Why.NOTHING_TO_CHOOSE)


def reward(match: Match) -> Reward:
    """The bonus that the last placement earned, while it is to be chosen."""
    lies = match.board.last
    assert match.choosing
    assert lies is not None
    before = match.board.copy()
    before.undo()
    earned = match.rules.score(before, lies)
    found = match.rules.reward(lies, earned, opening=not before.placed, bonus_tile=False)
    assert found is not None, "a choice follows a bonus"
    return found
