"""The table around a match: who sits, the clock, questions, absence, a moderator's acts. As pure as the match itself.

`decide` answers with events or refuses with a reason; `evolve` folds them; whose turn it is, what is due and what is to
be said are functions of them. Nothing in the rest of `engine` knows of it.
"""

from engine.table.decide_table import Decided, decide
from engine.table.evolve import Entry, evolve, replay
from engine.table.refusals import No, Refused
from engine.table.table_state import TableState

__all__ = ["Decided", "Entry", "No", "Refused", "TableState", "decide", "evolve", "replay"]
