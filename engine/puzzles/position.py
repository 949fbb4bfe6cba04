"""The position of a puzzle: a round from its deal to a choice, as a short text.

The deal comes from a secret as in every match, and forced moves are omitted, so a position takes about a hundred
characters. Only computers play the rounds for puzzles.
"""

from dataclasses import dataclass, replace
from typing import Final

from engine.board.board import Placement
from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Action, Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.errors import RuleError
from engine.match.events import Placed
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, replay
from engine.record.text import format_choice, parse_choice

SEATS: Final = 2
MIN_SECRET_BYTES: Final = 8  # in bytes


class DamagedPositionError(ValueError):
    """The position is impossible under these rules. The message names the wrong move."""


@dataclass(frozen=True, slots=True)
class Position:
    """A round up to a choice."""

    secret: str  # hexadecimal; determines the deal
    moves: tuple[str, ...]  # choices in order: placements as in records, `draw`, `pass`, `points`, `tiles`, `stop`
    hand: tuple[str, ...] = ()  # replaces the hand of the seat to move; empty: as played


def build_match(rules: Rules, position: Position) -> Match:
    """Return the match at the position. Raises DamagedPositionError."""
    try:
        secret = bytes.fromhex(position.secret)
    except ValueError as error:
        raise DamagedPositionError(f"{position.secret!r} is no secret") from error
    if len(secret) < MIN_SECRET_BYTES:
        raise DamagedPositionError(f"the secret is shorter than {MIN_SECRET_BYTES} bytes")
    match = replay(start(rules, seats=SEATS, computers=(), by_hand=False, secret=secret))
    for text in position.moves:
        play_to_choice(match, secret)
        apply_action(match, parse_action(text, match), secret)
    play_to_choice(match, secret)
    if match.round_over is not None or match.ended is not None or match.round != 1:
        raise DamagedPositionError("the round is over there")
    if position.hand:
        redeal(match, [_parse_tile(text, rules) for text in position.hand])
    return match


def list_hidden_tiles(match: Match) -> list[Tile]:
    """Return all tiles that are not on the table, lowest first."""
    return sorted({*match.rules.tiles} - match.board.tiles)


def redeal(match: Match, hand: list[Tile]) -> None:
    """Give the seat to move these tiles, and its own to their former holders. Raises DamagedPositionError."""
    seat = match.seats[match.turn]
    if len(hand) != len({*hand}) or len(hand) != len(seat.hand) or {*hand} & match.board.tiles:
        raise DamagedPositionError("no such hand can be given there")
    instead = iter([tile for tile in seat.hand if tile not in hand])
    wanted = {*hand} - {*seat.hand}
    for other in match.seats:
        if other is not seat:
            other.hand = [next(instead) if tile in wanted else tile for tile in other.hand]
    match.boneyard = [next(instead) if tile in wanted else tile for tile in match.boneyard]
    match.aside = tuple(next(instead) if tile in wanted else tile for tile in match.aside)
    seat.hand = hand.copy()


def play_to_choice(match: Match, secret: bytes) -> None:
    """Do the forced moves, up to the next choice or the end of the round."""
    while match.round_over is None and (action := find_forced_action(match)) is not None:
        apply_action(match, action, secret)


def apply_action(match: Match, action: Action, secret: bytes) -> None:
    """Do an action, without anything after the end of the round. Raises DamagedPositionError if it is illegal."""
    if match.round_over is not None or match.ended is not None:
        raise DamagedPositionError("the round is over before the last move")
    try:
        events = decide(match, action, secret)
    except RuleError as error:
        raise DamagedPositionError(f"{format_choice(action)} is not allowed there") from error
    for event in events:
        apply_event(match, event)
        if match.round_over is not None:
            return


def play_tile(match: Match, placement: Placement) -> Match:
    """Play a tile of the seat to move, which moves again. Raises RuleError if it does not fit."""
    seat, twin = match.turn, match.copy()
    placed = decide(twin, Play(seat, placement.tile, placement.cell, placement.rotation), bytes(MIN_SECRET_BYTES))[0]
    assert isinstance(placed, Placed)
    apply_event(twin, placed)
    twin.turn, twin.drawn, twin.bonus_tiles, twin.choosing, twin.further = seat, 0, 0, False, False
    return twin


def _parse_tile(text: str, rules: Rules) -> Tile:
    try:
        tile = parse_labels(text, rules.plane.sides)
    except ValueError as error:
        raise DamagedPositionError(str(error)) from error
    if tile not in rules.tiles:
        raise DamagedPositionError(f"the set has no tile {text}")
    return tile


def parse_action(text: str, match: Match) -> Action:
    """Parse an action of the seat to move. Raises DamagedPositionError."""
    try:
        return parse_choice(text, match.turn, match.rules)
    except ValueError as error:
        raise DamagedPositionError(str(error)) from error


def hide_scores(view: PlayerView, before: PlayerView) -> PlayerView:
    """Return the view without points, hexagons and bridges of moves, in an order that reveals nothing. `before` is the
    view at the start of the puzzle: tiles on trial have not scored.
    """
    moves = [
        replace(move, points=0, base=0, hexagons=0, bridge=False, matched=0, corner=False, beside=None, reward=None)
        for move in view.moves
    ]
    # Compare indexes, since the later letters have two characters.
    letters = [place.letter for place in view.places]
    moves.sort(key=lambda move: (move.placement.tile, letters.index(move.letter), str(move)))
    seats = tuple(
        replace(then, tiles=now.tiles, hand=now.hand) for then, now in zip(before.seats, view.seats, strict=True)
    )
    return replace(
        view,
        moves=tuple(moves),
        seats=seats,
        hexagons=before.hexagons,
        newest=before.newest,
        bridges=before.bridges,
        latched=before.latched,
        last=before.last,
        history=before.history,
    )
