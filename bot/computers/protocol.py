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
from engine.board.tiles import pips, tile_text
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.events import Chose, Drew, InRound, Passed, Placed, Resigned
from engine.match.player_view import Move, PlayerView, SeatView, legal_actions
from engine.match.rules import Rules

VERSION: Final = 1
SCHEMA: Final = Path(data.__file__).parent / "seat-1.schema.json"
MOST_ANSWER: Final = 4096  # bytes a line
JsonObject = dict[str, Any]


class BadAnswer(ValueError):  # noqa: N818 - the answer is what is bad
    """A line is no valid answer. The message tells the author of the program why."""


def hello(limit: float) -> JsonObject:
    """Return the first message to a program. It answers with `{"protocol": 1}`."""
    return greeting() | {"limit_ms": round(limit * 1000)}


def greeting() -> JsonObject:
    return {"type": "hello", "protocol": VERSION}


def match_begins(rules: Rules, number: int, seats: int, seat: int, luck: int) -> JsonObject:
    """Return the message that begins a match. `luck` seeds the program, so that a match is repeatable."""
    shown = {name: getattr(rules, name) for name in rules.options()}
    return {
        "type": "match",
        "match": number,
        "game": rules.game,
        "options": shown,
        "seats": seats,
        "seat": seat,
        "target": rules.target,
        "tiles": _tiles(rules.tiles),
        "luck": luck,
    }


def to_choose(number: int, seen: PlayerView, limit: float) -> JsonObject:
    """Return a question; the answer is the number of one of its `actions`."""
    by_play = {_key(move): move for move in seen.moves}
    actions = [_action(action, by_play, seen) for action in legal_actions(seen)]
    return {
        "type": "choose",
        "ask": number,
        "limit_ms": round(limit * 1000),
        "actions": actions,
        "seen": seen_told(seen),
    }


def fault(number: int, why: str) -> JsonObject:
    return {"type": "fault", "ask": number, "why": why}


def match_ends(number: int, totals: Sequence[int], places: Sequence[int]) -> JsonObject:
    return {"type": "end", "match": number, "totals": list(totals), "places": list(places)}


def as_line(message: JsonObject) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def read_answer(text: bytes) -> Mapping[str, object]:
    """Parse an answer to a JSON object. Raises BadAnswer."""
    if len(text) > MOST_ANSWER:
        raise BadAnswer(f"the answer is longer than {MOST_ANSWER} bytes")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"the answer is no line of JSON: {_shown(text)}") from error
    if not isinstance(found, dict):
        raise BadAnswer(f"the answer is no object of JSON: {_shown(text)}")
    return found


def require_protocol(answer: Mapping[str, object]) -> None:
    if answer.get("protocol") != VERSION or isinstance(answer.get("protocol"), bool):
        raise BadAnswer(f"it speaks protocol {_said(answer.get('protocol'))}; this is protocol {VERSION}")


def action_of(answer: Mapping[str, object], seen: PlayerView) -> Action:
    """Return the action that an answer names. Raises BadAnswer."""
    actions, number = legal_actions(seen), answer.get("action")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(actions):
        raise BadAnswer(f"action is a number from 0 to {len(actions) - 1}; not {_said(number)}")
    return actions[number]


def seen_told(seen: PlayerView) -> JsonObject:
    """Return a view as plain values. Tiles, cells and placements are written as in docs/reference/records.md."""
    assert seen.viewer is not None
    bonus = seen.reward
    return {
        "seat": seen.viewer,
        "round": seen.round,
        "turn": seen.turn,
        "drawn": seen.drawn,
        "seats": [_seat(seat) for seat in seen.seats],
        "boneyard": seen.boneyard,
        "aside": seen.aside,
        "table": [str(lies) for lies in seen.tiles],
        "places": [_place(place) for place in seen.places],
        "dead": [str(cell) for cell in seen.dead],
        "failed": list(seen.failed),
        "left": list(seen.left),
        "latched": seen.latched,
        "bonus": bonus and {"points": bonus.points, "tiles": bonus.tiles, "both": bonus.both},
        "bonus_tiles": seen.bonus_tiles,
        "further": seen.further,
        "history": [_act(act) for act in seen.history],
    }


def _act(act: InRound) -> JsonObject:
    match act:
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
    assert_never(act)


def _seat(seat: SeatView) -> JsonObject:
    names = ("seat", "total", "change", "tiles", "resigned", "hexagons", "bridges", "best")
    hand = None if seat.hand is None else _tiles(seat.hand)
    return {name: getattr(seat, name) for name in names} | {"hand": hand}


def _place(place: Place) -> JsonObject:
    touch = place.touch
    return {
        "letter": place.letter,
        "cell": str(place.cell),
        "needs": list(place.needs),
        "touch": touch and {"corner": touch.corner, "numbers": list(touch.numbers)},
    }


def _tiles(tiles: Sequence[tuple[int, ...]]) -> list[str]:
    return [tile_text(tile) for tile in tiles]


def _key(move: Move) -> tuple[object, ...]:
    return move.placement.tile, move.placement.cell, move.placement.rotation


def _action(action: Action, moves: Mapping[tuple[object, ...], Move], seen: PlayerView) -> JsonObject:
    """Return an action with its immediate effect, flat, so that simple programs can read it."""
    match action:
        case Play(_, tile, cell, rotation):
            move = moves[tile, cell, rotation]
            return {
                "do": "place",
                "placement": str(move.placement),
                "tile": tile_text(tile),
                "letter": move.letter,
                "points": move.points,
                "pips": pips(tile),
                "hexagons": move.hexagons,
                "bridge": move.bridge,
            }
        case Choose(_, option):
            return {"do": option, "points": seen.reward.points if seen.reward and option == "points" else 0}
        case Draw():
            return {"do": "draw", "points": -seen.rules.draw_cost}
        case Pass():
            return {"do": "pass", "points": -seen.rules.failing_costs(seen.drawn, seen.boneyard)}
    raise AssertionError(f"{action} is not asked of anybody")


def _shown(text: bytes) -> str:
    return _said(text[:60].decode(errors="replace"))


def _said(value: object) -> str:
    return ascii(value)[:80]
