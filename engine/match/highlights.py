"""Highlights of a finished match: its decisive move, and the course of the totals."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.match.event_log import EventLog, Told
from engine.match.events import Placed, Undone


@dataclass(frozen=True, slots=True)
class Highlight:
    """The winner's most important placement."""

    placed: Placed
    before: int  # the winner's total
    after: int
    leads: bool  # whether it took the lead
    decided: bool  # whether it decided the match: it brought more than the winner's margin, or the final lead


def stood(told: Sequence[Told]) -> list[Told]:
    """Return the events that were not undone."""
    kept: list[Told] = []
    for one in told:
        if not isinstance(one.event, Undone):
            kept.append(one)
            continue
        while kept:
            last = kept.pop().event
            if isinstance(last, Placed) and last.seat == one.event.seat:
                break
    return kept


def totals(event_log: EventLog) -> list[tuple[int, ...]]:
    """Return all totals by seat: at the start, and after every event that stayed."""
    return [(0,) * len(event_log.match.seats), *(told.totals for told in stood(event_log.told))]


def highlight(event_log: EventLog) -> Highlight | None:
    """Return the decisive move: the winner's best placement if it exceeds the final margin, else the one that took the
    final lead, else the best one. Of equal ones the latest. None while the match runs, or if no tile of its winner
    scored; of several winners the first counts.
    """
    ended = event_log.match.ended
    if ended is None:
        return None
    winner = ended.places.index(1)
    made, lead = _placements(event_log, winner)
    if not made:
        return None
    best = max(reversed(made), key=lambda one: one.placed.points)
    if best.placed.points <= 0:
        return None
    ahead = ended.totals[winner] - max(total for seat, total in enumerate(ended.totals) if seat != winner)
    if best.placed.points > ahead or lead is None:
        return Highlight(best.placed, best.before, best.after, best.leads, best.placed.points > ahead)
    return lead


def _placements(event_log: EventLog, winner: int) -> tuple[list[Highlight], Highlight | None]:
    """Return all placements of the winner, and the one with the final lead, if any."""
    made: list[Highlight] = []
    lead: Highlight | None = None
    before = (0,) * len(event_log.match.seats)
    for told in stood(event_log.told):
        led, leads = _leads(winner, before), _leads(winner, told.totals)
        event = told.event
        if isinstance(event, Placed) and event.seat == winner:
            made.append(Highlight(event, before[winner], told.totals[winner], leads and not led, decided=True))
        if leads != led:
            # There is no lead to take while all totals are 0.
            lead = made[-1] if made and made[-1].placed is event and any(before) else None
        before = told.totals
    return made, lead


def _leads(seat: int, standing: Sequence[int]) -> bool:
    return all(total < standing[seat] for other, total in enumerate(standing) if other != seat)
