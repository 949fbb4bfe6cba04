"""The table around a match: seats, clock, questions, absence and moderation; pure, as the match itself.

`decide` returns events or raises a refusal; `evolve` applies them. Whose turn it is, what is due and which posts to
send are functions of them. The rest of `engine` does not import this package.
"""

from engine.table.decide_table import TableDecision, decide
from engine.table.evolve import LogEntry, apply_event, replay
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import TableState

__all__ = ["LogEntry", "Refusal", "RefusalError", "TableDecision", "TableState", "apply_event", "decide", "replay"]
