"""The record of a match: one text to read, to paste into an issue, and to re-run (docs/reference/records.md).

`write` makes it from events, `read` makes events from it, `rerun` checks them. There is no I/O: the caller passes a
function that finds the rules of a game.
"""

from engine.record.header import FindRules, Header
from engine.record.proof import Proof, noted, prove
from engine.record.reading import Record, RecordEntry, read
from engine.record.record_rerun import Fault, Rerun, Step, rerun, steps
from engine.record.text import Line, RecordDamaged
from engine.record.writing import write

__all__ = [
    "Fault",
    "FindRules",
    "Header",
    "Line",
    "Proof",
    "Record",
    "RecordDamaged",
    "RecordEntry",
    "Rerun",
    "Step",
    "noted",
    "prove",
    "read",
    "rerun",
    "steps",
    "write",
]
