"""A match's log as text: each event under its own name, its body as JSON, read back to the same value."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from data.store.errors import LogDamaged
from data.store.values import LobbyEvent, LobbyKind
from engine.events import Event, Started
from engine.families import RULES_OF

_DECODERS: dict[str, msgspec.json.Decoder[Event]] = {
    kind.__name__.lower(): msgspec.json.Decoder(kind) for kind in get_args(Event) if kind is not Started
}
OLDEST = "triominoes"
"""The family of rules that do not name theirs: there was one only."""


class _Started(msgspec.Struct):
    """The first event before its rules have been read."""

    rules: dict[str, Any]
    seats: int
    computers: tuple[int, ...]
    by_hand: bool
    commitment: str


_LOBBY = frozenset(get_args(LobbyKind))


def kind_of(event: Event | LobbyEvent) -> str:
    """The name of an event in the log: "placed", "joined"."""
    return event.kind if isinstance(event, LobbyEvent) else type(event).__name__.lower()


def encode(event: Event | LobbyEvent) -> str:
    """The body of an event."""
    return to_text(event.facts if isinstance(event, LobbyEvent) else event)


def decode(kind: str, body: str, *, match_id: int, seq: int) -> Event | None:
    """The engine's event of a row, None for what happened around the match.

    Raises LogDamaged rather than leave out what it does not know: a log with a hole would replay to a wrong table.
    """
    if kind in _LOBBY:
        return None
    if kind != "started" and kind not in _DECODERS:
        raise LogDamaged(match_id, seq, f"its kind {kind!r} is unknown")
    try:
        return _started(body) if kind == "started" else _DECODERS[kind].decode(body)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LogDamaged(match_id, seq, str(error)) from error


def _started(body: str) -> Started:
    """The first event, whose rules are those of one family."""
    began = msgspec.json.decode(body, type=_Started)
    stated = {"family": OLDEST, **began.rules}
    family = RULES_OF.get(str(stated["family"]))
    if family is None:
        raise ValueError(f"its family of rules {stated['family']!r} is unknown")
    rules = msgspec.convert(stated, family)
    return Started(rules, began.seats, began.computers, began.by_hand, began.commitment)


def to_text(value: object) -> str:
    """JSON text."""
    return msgspec.json.encode(value).decode()


def to_mapping(text: str) -> Mapping[str, Any]:
    """The JSON object of a settings or body column."""
    return msgspec.json.decode(text, type=dict[str, Any])
