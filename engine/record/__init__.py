"""The record of a match: one text to read, to paste into an issue, and to re-run (docs/reference/records.md).

`write` makes it from events, `read` makes events from it, `rerun` checks them. There is no I/O: the caller passes a
function that finds the rules of a game.
"""

from engine.record.header import FindRules, Header
from engine.record.proof import Proof, normalize_fingerprint, prove
from engine.record.reading import Record, RecordEntry, read
from engine.record.record_rerun import RecordFault, Rerun, Step, list_steps, rerun
from engine.record.text import DamagedRecordError, Line
from engine.record.writing import write

__all__ = [
    "DamagedRecordError",
    "FindRules",
    "Header",
    "Line",
    "Proof",
    "Record",
    "RecordEntry",
    "RecordFault",
    "Rerun",
    "Step",
    "list_steps",
    "normalize_fingerprint",
    "prove",
    "read",
    "rerun",
    "write",
]
