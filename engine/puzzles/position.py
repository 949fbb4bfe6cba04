"""The position of a puzzle: a round that was played from a deal up to somebody's choice, in few words.

    match = match_at(rules, position)
    seen = see(match, match.turn)

The deal comes from a secret as in every match, and what the rules force is not written down, so a position takes some
hundred letters. Nobody sat there: rounds for puzzles are played by computers, and by nobody else.
"""

from dataclasses import dataclass, replace
from typing import Final, assert_never

from engine.board.board import Placement
from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.match.decide import decide, forced, start
from engine.match.errors import RuleBroken
from engine.match.events import Placed
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.match.state import Match, evolve, replay
from engine.record.text import parse_placement

SEATS: Final = 2
"""So many play in the rounds that puzzles are taken from."""
SHORTEST_SECRET: Final = 8
"""Bytes."""

_OPTIONS: Final[dict[str, Option]] = {"points": "points", "tiles": "tiles", "stop": "stop"}


class PositionDamaged(ValueError):  # noqa: N818 - the position is what is damaged
    """There is no such position by these rules. The message says which move cannot be."""


@dataclass(frozen=True, slots=True)
class Position:
    """A round up to somebody's choice."""

    secret: str
    """Where the deal comes from, as hexadecimal digits."""
    moves: tuple[str, ...]
    """What was chosen, in order: placements as in records, `draw`, `pass`, `points`, `tiles`, `stop`."""
    hand: tuple[str, ...] = ()
    """The tiles of whoever is to choose, where others were put into that hand; empty where it is as it was played."""


def match_at(rules: Rules, position: Position) -> Match:
    """The round as it stands there. Raises PositionDamaged."""
    try:
        secret = bytes.fromhex(position.secret)
    except ValueError as error:
        raise PositionDamaged(f"{position.secret!r} is no secret") from error
    if len(secret) < SHORTEST_SECRET:
        raise PositionDamaged(f"the secret is shorter than {SHORTEST_SECRET} bytes")
    match = replay(start(rules, seats=SEATS, computers=(), by_hand=False, secret=secret))
    for text in position.moves:
        to_choice(match, secret)
        carry_out(match, action_named(text, match), secret)
    to_choice(match, secret)
    if match.round_over is not None or match.ended is not None or match.round != 1:
        raise PositionDamaged("the round is over there")
    if position.hand:
        redeal(match, [_tile(text, rules) for text in position.hand])
    return match


def hidden_tiles(match: Match) -> list[Tile]:
    """All tiles that do not lie on the table, lowest first."""
    return sorted({*match.rules.tiles} - match.board.tiles)


def redeal(match: Match, hand: list[Tile]) -> None:
    """Give whoever is to choose these tiles instead of as many others, and those to whoever had these.

    Raises PositionDamaged.
    """
    seat = match.seats[match.turn]
    if len(hand) != len({*hand}) or len(hand) != len(seat.hand) or {*hand} & match.board.tiles:
        raise PositionDamaged("no such hand can be given there")
    instead = iter([tile for tile in seat.hand if tile not in hand])
    wanted = {*hand} - {*seat.hand}
    for other in match.seats:
        if other is not seat:
            other.hand = [next(instead) if tile in wanted else tile for tile in other.hand]
    match.boneyard = [next(instead) if tile in wanted else tile for tile in match.boneyard]
    match.aside = tuple(next(instead) if tile in wanted else tile for tile in match.aside)
    seat.hand = hand.copy()


def to_choice(match: Match, secret: bytes) -> None:
    """Do what the rules force, up to the next choice or the end of the round."""
    while match.round_over is None and (action := forced(match)) is not None:
        carry_out(match, action, secret)


def carry_out(match: Match, action: Action, secret: bytes) -> None:
    """Do this, and nothing that comes after the end of the round. Raises PositionDamaged where it is not allowed."""
    if match.round_over is not None or match.ended is not None:
        raise PositionDamaged("the round is over before the last move")
    try:
        events = decide(match, action, secret)
    except RuleBroken as error:
        raise PositionDamaged(f"{action_text(action)} is not allowed there") from error
    for event in events:
        evolve(match, event)
        if match.round_over is not None:
            return


def after(match: Match, placement: Placement) -> Match:
    """The same round with one more tile of whoever is to choose, who is to choose again: everybody else waits.

    Raises RuleBroken where it does not fit.
    """
    seat, twin = match.turn, match.copy()
    placed = decide(twin, Play(seat, placement.tile, placement.cell, placement.rotation), bytes(SHORTEST_SECRET))[0]
    assert isinstance(placed, Placed)
    evolve(twin, placed)
    twin.turn, twin.drawn, twin.bonus_tiles, twin.choosing, twin.further = seat, 0, 0, False, False
    return twin


def _tile(text: str, rules: Rules) -> Tile:
    try:
        tile = parse_labels(text, rules.plane.sides)
    except ValueError as error:
        raise PositionDamaged(str(error)) from error
    if tile not in rules.tiles:
        raise PositionDamaged(f"the set has no tile {text}")
    return tile


def action_text(action: Action) -> str:
    """An action as a position tells it."""
    match action:
        case Play(_, tile, cell, rotation):
            return str(Placement(tile, cell, rotation))
        case Choose(_, option):
            return option
        case Draw():
            return "draw"
        case Pass():
            return "pass"
        case Resign() | TakeBack():
            raise ValueError("nobody resigns or takes back in a puzzle")
        case _:
            assert_never(action)


def action_named(text: str, match: Match) -> Action:
    """What a position tells of whoever is to choose. Raises PositionDamaged."""
    seat = match.turn
    if text in _OPTIONS:
        return Choose(seat, _OPTIONS[text])
    if text in {"draw", "pass"}:
        return Draw(seat) if text == "draw" else Pass(seat)
    try:
        lies = parse_placement(text, match.rules)
    except ValueError as error:
        raise PositionDamaged(str(error)) from error
    return Play(seat, lies.tile, lies.cell, lies.rotation)


def unmarked(seen: PlayerView, before: PlayerView) -> PlayerView:
    """The table without the points, hexagons and bridges of moves, and these in no order that tells anything.

    `before` is what was seen where the puzzle begins: tiles that are tried out have neither scored nor made anything.
    """
    moves = sorted(map(_plain, seen.moves), key=lambda move: (move.placement.tile, _order(seen, move), str(move)))
    seats = tuple(
        replace(then, tiles=now.tiles, hand=now.hand) for then, now in zip(before.seats, seen.seats, strict=True)
    )
    return replace(
        seen,
        moves=tuple(moves),
        seats=seats,
        hexagons=before.hexagons,
        newest=before.newest,
        bridges=before.bridges,
        latched=before.latched,
        last=before.last,
        history=before.history,
    )


def _plain(move: Move) -> Move:
    return replace(move, points=0, base=0, hexagons=0, bridge=False, matched=0, corner=False, beside=None, reward=None)


def _order(seen: PlayerView, move: Move) -> int:
    """Places come in the order of their letters, of which the later ones have two."""
    return [place.letter for place in seen.places].index(move.letter)
