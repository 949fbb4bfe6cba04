"""Choices inside a turn: a bonus or further tiles, a further turn or the end of this one (RULES §4, §5)."""

from engine.actions import Option
from engine.errors import RuleBroken, Why
from engine.events import Chose
from engine.match import Match
from engine.rules import Reward
from engine.turns import can_place_bonus, reward_to_choose


def options(match: Match) -> tuple[Option, ...]:
    """What the seat to act may choose now beside placing a tile; empty where there is nothing to choose."""
    if match.ended:
        return ()
    if match.choosing:
        board, hand = match.board, match.seats[match.turn].hand
        return ("points", "tiles") if can_place_bonus(board.tableau, board.hand(hand), match.rules) else ("points",)
    if match.bonus_tiles:
        # What cannot be placed any more lapses.
        return () if match.legal(match.turn) else ("stop",)
    if match.further:
        must = match.rules.must_go_on and match.board.has_legal(match.seats[match.turn].hand)
        return () if must else ("stop",)
    return ()


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
    assert match.choosing
    return reward_to_choose(match.rules, match.board.tableau)
