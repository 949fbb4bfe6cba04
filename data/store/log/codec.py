"""Encode the events of a match's log as a kind and a JSON body."""

from typing import Any, Final, get_args

import msgspec

from data.store.connection.store_errors import LogDamaged
from engine.families import RULES_OF
from engine.match.events import Started
from engine.match.shuffle import version_of
from engine.table.table_events import LogEvent

KINDS: Final[dict[str, type[LogEvent]]] = {kind.__name__.lower(): kind for kind in get_args(LogEvent)}
"""The class of each kind of event, by its name in the log: "placed", "joined"."""
_DECODERS: Final = {name: msgspec.json.Decoder(kind) for name, kind in KINDS.items() if kind is not Started}


class _Started(msgspec.Struct):
    rules: dict[str, Any]
    seats: int
    computers: tuple[int, ...]
    by_hand: bool
    commitment: str
    shuffle: int
    contributions: tuple[str, ...]


def kind_of(event: LogEvent) -> str:
    return type(event).__name__.lower()


def to_event(kind: str, body: str, *, match_id: int, seq: int) -> LogEvent:
    """Decode the event of a row. Raises LogDamaged for unknown events: a log must have no gaps."""
    if kind not in KINDS:
        raise LogDamaged(match_id, seq, f"its kind {kind!r} is unknown", newer=True)
    try:
        if kind == "started":
            return _started(body)
        return _DECODERS[kind].decode(body)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LogDamaged(match_id, seq, str(error)) from error


def _started(body: str) -> Started:
    began = msgspec.json.decode(body, type=_Started)
    name = began.rules.get("family")
    family = RULES_OF.get(str(name))
    if family is None:
        raise ValueError(f"its family of rules {name!r} is unknown")
    rules = msgspec.convert(began.rules, family)
    if began.shuffle != version_of(began.contributions):
        raise ValueError(f"its version of the shuffle is {began.shuffle}, which is not that of what was added")
    return Started(
        rules, began.seats, began.computers, began.by_hand, began.commitment, began.shuffle, began.contributions
    )
