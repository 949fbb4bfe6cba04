"""The record of a match: one text that people read, paste into an issue and re-run (docs/records.md).

`write` makes it from a match's events, `read` makes events of it again, `rerun` puts them before the referee. There is
no I/O here: text goes in and out, and the numbers of a game come from a function that the caller has.
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
