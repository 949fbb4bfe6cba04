"""Encode the events of a match's log as a kind and a JSON body."""

from typing import Any, Final, get_args

import msgspec

from data.store.connection.store_errors import DamagedLog
from engine.families import RULES_OF
from engine.match.events import Started
from engine.match.shuffle import choose_version
from engine.table.table_events import LogEvent

KINDS: Final[dict[str, type[LogEvent]]] = {kind.__name__.lower(): kind for kind in get_args(LogEvent)}
"""The class of each kind of event, by its name in the log: "placed", "joined"."""
_DECODERS: Final = {name: msgspec.json.Decoder(kind) for name, kind in KINDS.items() if kind is not Started}


class _StartedBody(msgspec.Struct):
    rules: dict[str, Any]
    seats: int
    computers: tuple[int, ...]
    by_hand: bool
    commitment: str
    shuffle: int
    contributions: tuple[str, ...]


def get_kind(event: LogEvent) -> str:
    return type(event).__name__.lower()


def to_event(kind: str, body: str, *, match_id: int, seq: int) -> LogEvent:
    """Decode the event of a row. Raises DamagedLog for unknown events: a log must have no gaps."""
    if kind not in KINDS:
        raise DamagedLog(match_id, seq, f"its kind {kind!r} is unknown", is_newer=True)
    try:
        if kind == "started":
            return _decode_started(body)
        return _DECODERS[kind].decode(body)
    except (msgspec.MsgspecError, ValueError) as error:
        raise DamagedLog(match_id, seq, str(error)) from error


def _decode_started(body: str) -> Started:
    decoded = msgspec.json.decode(body, type=_StartedBody)
    name = decoded.rules.get("family")
    family = RULES_OF.get(str(name))
    if family is None:
        raise ValueError(f"its family of rules {name!r} is unknown")
    rules = msgspec.convert(decoded.rules, family)
    if decoded.shuffle != choose_version(decoded.contributions):
        raise ValueError(f"its version of the shuffle is {decoded.shuffle}, which is not that of what was added")
    return Started(**msgspec.structs.asdict(decoded) | {"rules": rules})
