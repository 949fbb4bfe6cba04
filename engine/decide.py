"""The rulebook in order: what happens when a seat asks for something (RULES §3).

`decide` changes nothing; it answers with events, or refuses with `RuleBroken`.
"""

from collections.abc import Sequence
from typing import assert_never

from engine.actions import Action, Draw, Pass, Play, Resign
from engine.board import Placement
from engine.bonuses import Score
from engine.errors import RuleBroken, Why
from engine.events import (
    Drew,
    Event,
    Passed,
    Placed,
    Resigned,
    Started,
)
from engine.match import Match
from engine.placing import judge
from engine.rounds import after_round, blocked, deal, hands_in_play, is_dead, match_ended, went_out
from engine.rules import Rules
from engine.shuffle import commitment


def start(rules: Rules, *, seats: int, computers: Sequence[int], by_hand: bool, secret: bytes) -> list[Event]:
    """The first two events of a match. Raises RuleBroken(SEAT_COUNT) when so many cannot play."""
    if not rules.min_seats <= seats <= rules.max_seats:
        raise RuleBroken(Why.SEAT_COUNT, seats=seats, least=rules.min_seats, most=rules.max_seats)
    return [
        Started(rules, seats, tuple(computers), by_hand, commitment(secret)),
        deal(rules, list(range(seats)), seats, 1, secret),
    ]


def decide(match: Match, action: Action, secret: bytes) -> list[Event]:
    """What happens. `secret` orders the next deal, should the round end. Raises RuleBroken with the reason.

    A seat the table does not have is a mistake of the caller: ValueError.
    """
    if not 0 <= action.seat < len(match.seats):
        raise ValueError(f"the table has no seat {action.seat}")
    if match.ended:
        raise RuleBroken(Why.MATCH_OVER)
    if match.seats[action.seat].resigned:
        raise RuleBroken(Why.RESIGNED)
    if isinstance(action, Resign):
        return _resign(match, action.seat, secret)
    if action.seat != match.turn:
        raise RuleBroken(Why.NOT_YOUR_TURN, turn=match.turn)
    match action:
        case Play():
            return _play(match, action, secret)
        case Draw(seat):
            _must_play(match, seat)
            if not match.boneyard:
                raise RuleBroken(Why.BONEYARD_EMPTY)
            if not match.can_draw():
                raise RuleBroken(Why.DRAW_LIMIT, limit=match.rules.most_draws)
            return _draw(match, seat, secret)
        case Pass(seat):
            _must_play(match, seat)
            if match.can_draw():
                raise RuleBroken(Why.MUST_DRAW, drawn=match.drawn, limit=match.rules.most_draws)
            return _fail(match, seat, secret)
        case _:
            assert_never(action)


def forced(match: Match) -> Action | None:
    """The action that the rules leave no choice about: the one opening tile, a draw, a pass. None otherwise.

    Where to place a tile is always somebody's choice, even when only one place is left (docs/decisions).
    """
    if match.ended:
        return None
    seat = match.turn
    if not match.board.placed:
        if len(match.choices) > 1:
            return None
        return Play(seat, match.choices[0], match.board.lattice.first, 0)
    if match.board.has_legal(match.seats[seat].hand):
        return None
    return Draw(seat) if match.can_draw() else Pass(seat)


def check(match: Match, play: Play) -> Score:
    """What this placement would score before drawing costs. Raises RuleBroken with the first reason against it."""
    earned = judge(match.board, _placement(match, play), match.rules, match.seats[play.seat].hand)
    if not match.board.placed and (play.tile not in match.choices or play.cell != match.board.lattice.first):
        raise RuleBroken(Why.WRONG_OPENING, tile=play.tile, choices=match.choices)
    return earned


def _placement(match: Match, play: Play) -> Placement:
    # A rotation of 4 is a rotation of 1: what is judged must be what is laid.
    return Placement(play.tile, play.cell, play.rotation % match.board.lattice.sides)


def _must_play(match: Match, seat: int) -> None:
    if match.rules.voluntary_draw == "on" and match.board.placed:
        return
    legal = match.legal(seat)
    if legal:
        raise RuleBroken(Why.MUST_PLAY, moves=tuple(legal))


def _play(match: Match, play: Play, secret: bytes) -> list[Event]:
    earned = check(match, play)
    placement = _placement(match, play)
    points = earned.points - match.rules.draw_penalty * match.drawn
    placed = Placed(
        seat=play.seat,
        tile=placement.tile,
        cell=placement.cell,
        rotation=placement.rotation,
        base=earned.base,
        hexagons=earned.hexagons,
        bridge=earned.bridge,
        bonus=earned.bonus,
        drawn=match.drawn,
        points=points,
    )
    hands = hands_in_play(match)
    hands[play.seat] = tuple(tile for tile in hands[play.seat] if tile != play.tile)
    turn = {play.seat: points}
    if not hands[play.seat]:
        return [placed, *after_round(match, went_out(match, play.seat, hands), turn, match.active, secret)]
    if is_dead(match, hands, match.boneyard, placement):
        return [placed, *after_round(match, blocked(match, hands, match.active), turn, match.active, secret)]
    return [placed]


def _draw(match: Match, seat: int, secret: bytes) -> list[Event]:
    drew = Drew(seat, match.boneyard[-1])
    hands = hands_in_play(match)
    hands[seat] += (match.boneyard[-1],)
    if not is_dead(match, hands, match.boneyard[:-1]):
        return [drew]
    # The referee sees that nobody can go on: the draws are paid, the failed turn is not.
    drawn = match.drawn + 1
    passed = Passed(seat, drawn, -match.rules.draw_penalty * drawn)
    ended = blocked(match, hands, match.active)
    return [drew, passed, *after_round(match, ended, {seat: passed.points}, match.active, secret)]


def _fail(match: Match, seat: int, secret: bytes) -> list[Event]:
    passed = Passed(seat, match.drawn, -match.rules.failing_costs(match.drawn))
    if any(other != seat and other not in match.failed for other in match.active):
        return [passed]
    ended = blocked(match, hands_in_play(match), match.active)
    return [passed, *after_round(match, ended, {seat: passed.points}, match.active, secret)]


def _resign(match: Match, seat: int, secret: bytes) -> list[Event]:
    resigned = Resigned(seat)
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats or all(match.seats[other].computer for other in left):
        # Nobody is left to play with, or only computers: the match is decided as it stands.
        totals = [other.total for other in match.seats]
        return [resigned, match_ended(match, totals, left, secret)]
    if not match.board.placed and match.turn == seat:
        # The opener left before opening: the round is dealt anew to those who stay.
        return [resigned, deal(match.rules, left, len(match.seats), match.round + 1, secret)]
    hands = [() if other == seat else hand for other, hand in enumerate(hands_in_play(match))]
    if all(other in match.failed for other in left) or is_dead(match, hands, match.boneyard):
        paid: list[Event] = []
        if match.turn != seat and match.drawn:
            # Somebody was in the middle of a turn: the draws are paid, as where a draw shows that nobody can go on.
            paid = [Passed(match.turn, match.drawn, -match.rules.draw_penalty * match.drawn)]
        turn = {event.seat: event.points for event in paid if isinstance(event, Passed)}
        return [resigned, *paid, *after_round(match, blocked(match, hands, left), turn, left, secret)]
    return [resigned]
