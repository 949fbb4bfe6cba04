"""The course of a match that is over: what happened and stood, and how the table stood after it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.board.tableau import Ply
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.events import Chose, Dealt, Drew, Event, MatchEnded, Passed, Placed, Started, Undone
from engine.match.simulation import Simulation
from engine.match.state import Match, evolve, started


class NotOverError(ValueError):
    """A match still runs: nothing is told of it."""


@dataclass(frozen=True, slots=True)
class Stood:
    """An event that was not taken back, and the match after it."""

    at: int
    """Its number in the match's log, from 0."""
    event: Event
    match: Match


@dataclass(frozen=True, slots=True)
class Decision:
    """A place where the rules left a seat a choice."""

    at: int
    """The event that it led to."""
    before: Match
    made: Action


def rounds_of(log: Sequence[Event]) -> list[list[Stood]]:
    """The rounds of a match in order, each with its deal first and its end last. What was taken back is left out.

    Raises NotOverError unless the match has ended.
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
    """What came after the placement goes back with it."""
    while True:
        event = stood.pop().event
        if isinstance(event, Placed) and event.seat == seat:
            return


def asked_in(stood: Iterable[Stood]) -> list[Decision]:
    """Where somebody had a choice in a round: an event before which the rules allowed more than one move."""
    before: Match | None = None
    found = []
    for one in stood:
        if before is not None and (made := decided_by(one.event, before)) is not None:
            found.append(Decision(one.at, before, made))
        before = one.match
    return found


def decided_by(event: Event, before: Match) -> Action | None:
    """What the seat to act asked for by this; None where it had no choice, or where nobody asked."""
    action: Action
    match event:
        case Placed(seat, tile, cell, rotation):
            action = Play(seat, tile, cell, rotation)
        case Chose(seat, option) if option != "both":
            action = Choose(seat, option)
        case Drew(seat):
            action = Draw(seat)
        case Passed(seat):
            action = Pass(seat)
        case _:
            return None
    # The points of a bonus that the last tile earned come by themselves, when its turn is over.
    if action.seat != before.turn or before.round_over is not None or before.ended is not None:
        return None
    one = Simulation.of(before)
    moves = one.moves()
    return action if len(moves) > 1 and ply_of(one, moves, action) is not None else None


def ply_of(one: Simulation, moves: Iterable[Ply], action: Action) -> Ply | None:
    """Which of these moves an action is."""
    return next((move for move in moves if one.action(move) == action), None)
