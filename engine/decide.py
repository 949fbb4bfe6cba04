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
    Dealt,
    Drew,
    Event,
    MatchEnded,
    Passed,
    Placed,
    Resigned,
    RoundEnded,
    Started,
)
from engine.match import Match
from engine.opening import opening
from engine.placing import judge
from engine.rules import Rules
from engine.shuffle import commitment, shuffled
from engine.tiles import Tile


def start(rules: Rules, *, seats: int, computers: Sequence[int], by_hand: bool, secret: bytes) -> list[Event]:
    """The first two events of a match. Raises RuleBroken(SEAT_COUNT) when so many cannot play."""
    if not rules.min_seats <= seats <= rules.max_seats:
        raise RuleBroken(Why.SEAT_COUNT, seats=seats, least=rules.min_seats, most=rules.max_seats)
    return [
        Started(rules, seats, tuple(computers), by_hand, commitment(secret)),
        deal(rules, list(range(seats)), seats, 1, secret),
    ]


def deal(rules: Rules, active: Sequence[int], seats: int, number: int, secret: bytes) -> Dealt:
    """Round `number` of a match, dealt to the seats that are still in it."""
    order = shuffled(rules.tiles, secret, number)
    size = rules.hand_size(len(active))
    hands: list[tuple[Tile, ...]] = [()] * seats
    for place, seat in enumerate(active):
        hands[seat] = tuple(order[place * size : (place + 1) * size])
    opener, choices = opening(hands)
    return Dealt(number, tuple(hands), tuple(order[len(active) * size :]), opener, choices)


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
                raise RuleBroken(Why.DRAW_LIMIT, limit=match.rules.draw_limit)
            return [Drew(seat, match.boneyard[-1])]
        case Pass(seat):
            _must_play(match, seat)
            if match.can_draw():
                raise RuleBroken(Why.MUST_DRAW, drawn=match.drawn, limit=match.rules.draw_limit)
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
    hands = _hands(match)
    hands[play.seat] = tuple(tile for tile in hands[play.seat] if tile != play.tile)
    if hands[play.seat]:
        return [placed]
    award = match.rules.going_out + sum(sum(tile) for hand in hands for tile in hand)
    awards = tuple(award if seat == play.seat else 0 for seat in range(len(hands)))
    ended = RoundEnded(match.round, play.seat, tuple(hands), awards)
    return [placed, *_after_round(match, ended, {play.seat: points}, match.active, secret)]


def _fail(match: Match, seat: int, secret: bytes) -> list[Event]:
    points = -(match.rules.draw_penalty * match.drawn + match.rules.failed_turn)
    passed = Passed(seat, match.drawn, points)
    if any(other != seat and other not in match.failed for other in match.active):
        return [passed]
    return [passed, *_after_round(match, _blocked(match, match.active), {seat: points}, match.active, secret)]


def _blocked(match: Match, active: Sequence[int]) -> RoundEnded:
    """The round in which nobody could place: the lowest hands win the differences."""
    hands = [tuple(seat.hand) if number in active else () for number, seat in enumerate(match.seats)]
    awards = [0] * len(hands)
    for seat, award in zip(active, block_awards([sum(map(sum, hands[seat])) for seat in active]), strict=True):
        awards[seat] = award
    return RoundEnded(match.round, None, tuple(hands), tuple(awards))


def block_awards(totals: Sequence[int]) -> list[int]:
    """What each hand total earns in a blocked round: every lowest one, the sum of the others' differences to it."""
    lowest = min(totals)
    award = sum(total - lowest for total in totals)
    return [award if total == lowest else 0 for total in totals]


def _after_round(
    match: Match, ended: RoundEnded, turn: dict[int, int], active: Sequence[int], secret: bytes
) -> list[Event]:
    """The end of a round and what follows it for the `active` seats: the next deal, or the end of the match.

    `turn` has the points of the turn that ended the round, which the match has not counted yet.
    """
    totals = [
        seat.total + turn.get(number, 0) + award
        for number, (seat, award) in enumerate(zip(match.seats, ended.awards, strict=True))
    ]
    # Awards are never negative, so a turn that reached the target is seen here too.
    if match.latched or max(totals) >= match.rules.target:
        return [ended, _ended(match, totals, active, secret)]
    return [ended, deal(match.rules, active, len(match.seats), match.round + 1, secret)]


def _resign(match: Match, seat: int, secret: bytes) -> list[Event]:
    resigned = Resigned(seat)
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats or all(match.seats[other].computer for other in left):
        # Nobody is left to play with, or only computers: the match is decided as it stands.
        totals = [other.total for other in match.seats]
        return [resigned, _ended(match, totals, left, secret)]
    if not match.board.placed and match.turn == seat:
        # The opener left before opening: the round is dealt anew to those who stay.
        return [resigned, deal(match.rules, left, len(match.seats), match.round + 1, secret)]
    if all(other in match.failed for other in left):
        return [resigned, *_after_round(match, _blocked(match, left), {}, left, secret)]
    return [resigned]


def _ended(match: Match, totals: Sequence[int], active: Sequence[int], secret: bytes) -> MatchEnded:
    left = [*match.left, *(seat for seat in match.active if seat not in active)]
    return MatchEnded(tuple(totals), places(totals, left), secret.hex())


def places(totals: Sequence[int], left: Sequence[int] = ()) -> tuple[int, ...]:
    """The place of each seat from 1: by total, ties shared; then those who `left`, the first to go last."""
    # Those who stayed come first and compare totals; no two left at the same moment.
    rank = [(-left.index(seat), 0) if seat in left else (-len(left), -total) for seat, total in enumerate(totals)]
    return tuple(1 + sum(other < mine for other in rank) for mine in rank)


def _hands(match: Match) -> list[tuple[Tile, ...]]:
    """What is held and in play: the tiles of a seat that resigned are not."""
    return [() if seat.resigned else tuple(seat.hand) for seat in match.seats]
