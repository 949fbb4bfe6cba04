"""Check whether each action in a log was legal when it was written."""

from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned
from engine.match.state import Match

ACTION_EVENTS = Placed | Drew | Passed | Chose | Resigned  # Events that a seat causes


def is_legal(match: Match, event: Event) -> bool:
    """Return whether the rules allow this event next. Events without an action are always allowed."""
    if not isinstance(event, ACTION_EVENTS):
        return True
    if match.ended or match.round_over:
        return False
    if isinstance(event, Resigned):
        return not match.seats[event.seat].resigned
    if match.turn != event.seat:
        return False
    if not isinstance(event, Placed):
        return True
    legal = [(lies.tile, lies.cell, lies.rotation) for lies in match.list_legal_moves(event.seat)]
    return (event.tile, event.cell, event.rotation) in legal
