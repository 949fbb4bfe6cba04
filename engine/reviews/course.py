"""The course of a finished match: the events that were not undone, and the state after each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.board.tableau import Ply
from engine.match.actions import Action, Resign, TakeBack, action_of
from engine.match.events import Dealt, Event, MatchEnded, Placed, Started, Undone
from engine.match.simulation import Simulation
from engine.match.state import Match, evolve, started


class NotOverError(ValueError):
    """The match is still running, so it cannot be reviewed."""


@dataclass(frozen=True, slots=True)
class Stood:
    """An event that was not undone, and the match after it."""

    at: int  # index in the match's log, from 0
    event: Event
    match: Match


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice of a seat."""

    at: int  # index of the resulting event
    before: Match
    made: Action


def rounds_of(log: Sequence[Event]) -> list[list[Stood]]:
    """Return the rounds of a match in order, each from its deal to its end, without undone events. Raises NotOverError
    unless the match has ended.
    """
    if not log or not isinstance(log[-1], MatchEnded):
        raise NotOverError("the match is not over")
    first, *others = log
    assert isinstance(first, Started)
    match, found = started(first), list[list[Stood]]()
    for at, event in enumerate(others, 1):
        evolve(match, event)
        if isinstance(event, Dealt):
            found.append([])
        elif isinstance(event, Undone):
            _take_back(found[-1], event.seat)
            continue
        found[-1].append(Stood(at, event, match.copy()))
    return found


def _take_back(stood: list[Stood], seat: int) -> None:
    while True:
        event = stood.pop().event
        if isinstance(event, Placed) and event.seat == seat:
            return


def asked_in(stood: Iterable[Stood]) -> list[Decision]:
    """Return the choices of a round: events before which more than one move was legal."""
    before: Match | None = None
    found = []
    for one in stood:
        if before is not None and (made := decided_by(one.event, before)) is not None:
            found.append(Decision(one.at, before, made))
        before = one.match
    return found


def decided_by(event: Event, before: Match) -> Action | None:
    """Return the action behind an event; None if the seat had no choice, or did not act."""
    action = action_of(event)
    if action is None or isinstance(action, Resign | TakeBack):
        return None
    # The points of a bonus by the last tile come automatically after the turn.
    if action.seat != before.turn or before.round_over is not None or before.ended is not None:
        return None
    one = Simulation.of(before)
    moves = one.moves()
    return action if len(moves) > 1 and ply_of(one, moves, action) is not None else None


def ply_of(one: Simulation, moves: Iterable[Ply], action: Action) -> Ply | None:
    """Return the move that an action is."""
    return next((move for move in moves if one.action(move) == action), None)
