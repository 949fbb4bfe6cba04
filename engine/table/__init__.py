"""The table around a match: seats, clock, questions, absence and moderation; pure, as the match itself.

`decide` returns events or raises a refusal; `evolve` applies them. Whose turn it is, what is due and which posts to
send are functions of them. The rest of `engine` does not import this package.
"""

from engine.table.decide_table import Decided, decide
from engine.table.evolve import Entry, evolve, replay
from engine.table.refusals import No, Refused
from engine.table.table_state import TableState

__all__ = ["Decided", "Entry", "No", "Refused", "TableState", "decide", "evolve", "replay"]
