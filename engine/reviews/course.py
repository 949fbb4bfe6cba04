"""The course of a finished match: the events that were not undone, and the state after each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.board.tableau import Ply
from engine.match.actions import Action, Resign, Undo, to_action
from engine.match.events import Dealt, Event, MatchEnded, Placed, Started, Undone
from engine.match.simulation import Simulation
from engine.match.state import Match, apply_event, create_match


class NotOverError(ValueError):
    """The match is still running, so it cannot be reviewed."""


@dataclass(frozen=True, slots=True)
class CourseEntry:
    """An event that was not undone, and the match after it."""

    at: int  # index in the match's log, from 0
    event: Event
    match: Match


@dataclass(frozen=True, slots=True)
class Decision:
    at: int  # index of the resulting event
    before: Match
    action: Action


def list_rounds(log: Sequence[Event]) -> list[list[CourseEntry]]:
    """Return the rounds of a match in order, each from its deal to its end, without undone events. Raises NotOverError
    unless the match has ended.
    """
    if not log or not isinstance(log[-1], MatchEnded):
        raise NotOverError("the match is not over")
    first, *others = log
    assert isinstance(first, Started)
    match, found = create_match(first), list[list[CourseEntry]]()
    for at, event in enumerate(others, 1):
        apply_event(match, event)
        if isinstance(event, Dealt):
            found.append([])
        elif isinstance(event, Undone):
            _undo_placement(found[-1], event.seat)
            continue
        found[-1].append(CourseEntry(at, event, match.copy()))
    return found


def _undo_placement(entries: list[CourseEntry], seat: int) -> None:
    while True:
        event = entries.pop().event
        if isinstance(event, Placed) and event.seat == seat:
            return


def list_decisions(entries: Iterable[CourseEntry]) -> list[Decision]:
    """Return the choices of a round: events before which more than one move was legal."""
    before: Match | None = None
    found = []
    for entry in entries:
        if before is not None and (action := find_decided_action(entry.event, before)) is not None:
            found.append(Decision(entry.at, before, action))
        before = entry.match
    return found


def find_decided_action(event: Event, before: Match) -> Action | None:
    """Return the action behind an event; None if the seat had no choice, or did not act."""
    action = to_action(event)
    if action is None or isinstance(action, Resign | Undo):
        return None
    # The points of a bonus by the last tile come automatically after the turn.
    if action.seat != before.turn or before.round_over is not None or before.ended is not None:
        return None
    simulation = Simulation.from_match(before)
    moves = simulation.list_moves()
    return action if len(moves) > 1 and find_ply(simulation, moves, action) is not None else None


def find_ply(simulation: Simulation, moves: Iterable[Ply], action: Action) -> Ply | None:
    """Return the move that an action is."""
    return next((move for move in moves if simulation.to_action(move) == action), None)
