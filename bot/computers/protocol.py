"""The protocol of external players: lines of JSON by `data/seat-1.schema.json` (docs/reference/player-protocol.md).

Messages derive from a `PlayerView` alone, without the fingerprint, which would reveal a replayed deal.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, assert_never

import data
from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.tiles import count_pips, format_tile_notation
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.events import Chose, Drew, Passed, Placed, Resigned, RoundEvent
from engine.match.player_view import Move, PlayerView, SeatView, list_legal_actions
from engine.match.rules import Rules

VERSION: Final = 1
SCHEMA: Final = Path(data.__file__).parent / "seat-1.schema.json"
MAX_ANSWER_BYTES: Final = 4096  # bytes a line
JsonObject = dict[str, Any]


class InvalidAnswerError(ValueError):
    """A line is no valid answer. The message tells the author of the program why."""


def build_hello(limit: float) -> JsonObject:
    """Return the first message to a program. It answers with `{"protocol": 1}`."""
    return {"type": "hello", "protocol": VERSION, "limit_ms": round(limit * 1000)}


def build_match_start(rules: Rules, number: int, seats: int, seat: int, seed: int) -> JsonObject:
    """Return the message that begins a match. `seed` seeds the program, so that a match is repeatable."""
    options = {name: getattr(rules, name) for name in rules.list_options()}
    return {
        "type": "match",
        "match": number,
        "game": rules.game,
        "options": options,
        "seats": seats,
        "seat": seat,
        "target": rules.goal,
        "tiles": _format_tiles(rules.tiles),
        "luck": seed,
    }


def build_question(number: int, view: PlayerView, limit: float) -> JsonObject:
    """Return a question; the answer is the number of one of its `actions`."""
    by_play = {_get_move_key(move): move for move in view.moves}
    actions = [_serialize_action(action, by_play, view) for action in list_legal_actions(view)]
    return {
        "type": "choose",
        "ask": number,
        "limit_ms": round(limit * 1000),
        "actions": actions,
        "seen": serialize_view(view),
    }


def build_fault(number: int, why: str) -> JsonObject:
    return {"type": "fault", "ask": number, "why": why}


def build_match_end(number: int, totals: Sequence[int], places: Sequence[int]) -> JsonObject:
    return {"type": "end", "match": number, "totals": list(totals), "places": list(places)}


def encode_line(message: JsonObject) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def parse_answer(text: bytes) -> Mapping[str, object]:
    """Parse an answer to a JSON object. Raises InvalidAnswerError."""
    if len(text) > MAX_ANSWER_BYTES:
        raise InvalidAnswerError(f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidAnswerError(f"the answer is no line of JSON: {_quote_bytes(text)}") from error
    if not isinstance(message, dict):
        raise InvalidAnswerError(f"the answer is no object of JSON: {_quote_bytes(text)}")
    return message


def require_protocol(answer: Mapping[str, object]) -> None:
    spoken = answer.get("protocol")
    if spoken != VERSION or isinstance(spoken, bool):
        raise InvalidAnswerError(f"it speaks protocol {_quote_value(spoken)}; this is protocol {VERSION}")


def parse_action(answer: Mapping[str, object], view: PlayerView) -> Action:
    """Return the action that an answer names. Raises InvalidAnswerError."""
    actions, number = list_legal_actions(view), answer.get("action")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(actions):
        raise InvalidAnswerError(f"action is a number from 0 to {len(actions) - 1}; not {_quote_value(number)}")
    return actions[number]


def serialize_view(view: PlayerView) -> JsonObject:
    """Return a view as plain values. Tiles, cells and placements are written as in docs/reference/records.md."""
    assert view.viewer is not None
    bonus = view.reward
    return {
        "seat": view.viewer,
        "round": view.round,
        "turn": view.turn,
        "drawn": view.drawn,
        "seats": [_serialize_seat(seat) for seat in view.seats],
        "boneyard": view.boneyard,
        "aside": view.aside,
        "table": [str(tile) for tile in view.tiles],
        "places": [_serialize_place(place) for place in view.places],
        "dead": [str(cell) for cell in view.dead],
        "failed": list(view.failed),
        "left": list(view.resigned_seats),
        "latched": view.latched,
        "bonus": bonus and {"points": bonus.points, "tiles": bonus.tiles, "both": bonus.both},
        "bonus_tiles": view.bonus_tiles,
        "further": view.further,
        "history": [_serialize_event(act) for act in view.history],
    }


def _serialize_event(event: RoundEvent) -> JsonObject:
    match event:
        case Placed(seat, tile, cell, rotation, points=points):
            return {"seat": seat, "did": "place", "placement": str(Placement(tile, cell, rotation)), "points": points}
        case Chose(seat, option, points):
            return {"seat": seat, "did": option, "points": points}
        case Drew(seat):
            return {"seat": seat, "did": "draw"}
        case Passed(seat, _, points):
            return {"seat": seat, "did": "pass", "points": points}
        case Resigned(seat):
            return {"seat": seat, "did": "resign"}
    assert_never(event)


def _serialize_seat(seat: SeatView) -> JsonObject:
    names = ("seat", "total", "change", "tiles", "resigned", "hexagons", "bridges", "best")
    hand = None if seat.hand is None else _format_tiles(seat.hand)
    return {name: getattr(seat, name) for name in names} | {"hand": hand}


def _serialize_place(place: Place) -> JsonObject:
    touch = place.touch
    return {
        "letter": place.letter,
        "cell": str(place.cell),
        "needs": list(place.needs),
        "touch": touch and {"corner": touch.corner, "numbers": list(touch.numbers)},
    }


def _format_tiles(tiles: Sequence[tuple[int, ...]]) -> list[str]:
    return [format_tile_notation(tile) for tile in tiles]


def _get_move_key(move: Move) -> tuple[object, ...]:
    return move.placement.tile, move.placement.cell, move.placement.rotation


def _serialize_action(action: Action, moves: Mapping[tuple[object, ...], Move], view: PlayerView) -> JsonObject:
    """Return an action with its immediate effect, flat, so that simple programs can read it."""
    match action:
        case Play(_, tile, cell, rotation):
            move = moves[tile, cell, rotation]
            return {
                "do": "place",
                "placement": str(move.placement),
                "tile": format_tile_notation(tile),
                "letter": move.letter,
                "points": move.points,
                "pips": count_pips(tile),
                "hexagons": move.hexagons,
                "bridge": move.bridge,
            }
        case Choose(_, option):
            return {"do": option, "points": view.reward.points if view.reward and option == "points" else 0}
        case Draw():
            return {"do": "draw", "points": -view.rules.draw_cost}
        case Pass():
            return {"do": "pass", "points": -view.rules.compute_failed_turn_cost(view.drawn, view.boneyard)}
    raise AssertionError(f"{action} is not asked of anybody")


def _quote_bytes(text: bytes) -> str:
    return _quote_value(text[:60].decode(errors="replace"))


def _quote_value(value: object) -> str:
    return ascii(value)[:80]
