"""Highlights of a finished match: its decisive move, and the course of the totals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.match.event_log import EventLog, PublicEvent
from engine.match.events import Placed, RoundEnded, Undone


@dataclass(frozen=True, slots=True)
class Highlight:
    """The winner's most important placement. Going out is part of it."""

    placed: Placed
    going_out: int  # points for going out with it
    before: int  # the winner's total
    after: int
    takes_lead: bool  # whether it took the lead
    is_decisive: bool  # whether it decided the match: it brought more than the winner's margin, or the final lead

    @property
    def points(self) -> int:
        return self.placed.points + self.going_out


def drop_undone(events: Sequence[PublicEvent]) -> list[PublicEvent]:
    """Return the events that were not undone."""
    kept: list[PublicEvent] = []
    for one in events:
        if not isinstance(one.event, Undone):
            kept.append(one)
            continue
        while kept:
            last = kept.pop().event
            if isinstance(last, Placed) and last.seat == one.event.seat:
                break
    return kept


def list_totals(event_log: EventLog) -> list[tuple[int, ...]]:
    """Return all totals by seat: at the start, and after every event that stayed."""
    return [_list_head_starts(event_log), *(entry.totals for entry in drop_undone(event_log.events))]


def _list_head_starts(event_log: EventLog) -> tuple[int, ...]:
    return tuple(event_log.match.rules.list_head_starts(len(event_log.match.seats)))


def find_highlight(event_log: EventLog) -> Highlight | None:
    """Return the decisive move: the winner's best placement if it exceeds the final margin, else the placement that
    took the final lead, else the best one. Of equal ones the latest. None while the match runs, or if no tile of its
    winner scored; of several winners the first counts.
    """
    ended = event_log.match.ended
    if ended is None:
        return None
    winner = ended.places.index(1)
    placements, lead = _list_placements(event_log, winner)
    if not placements:
        return None
    best = max(reversed(placements), key=lambda one: one.points)
    if best.points <= 0:
        return None
    margin = ended.totals[winner] - max(total for seat, total in enumerate(ended.totals) if seat != winner)
    if best.points > margin or lead is None:
        return replace(best, is_decisive=best.points > margin)
    return lead


def _list_placements(event_log: EventLog, winner: int) -> tuple[list[Highlight], Highlight | None]:
    """Return all placements of the winner, and the one with the final lead, if any."""
    placements: list[Highlight] = []
    lead: int | None = None  # index of the placement with the lead
    before = _list_head_starts(event_log)
    for entry in drop_undone(event_log.events):
        event, after, is_own = entry.event, entry.totals[winner], True
        led, leads = _is_leading(winner, before), _is_leading(winner, entry.totals)
        if isinstance(event, Placed) and event.seat == winner:
            placements.append(Highlight(event, 0, before[winner], after, takes_lead=False, is_decisive=True))
        elif isinstance(event, RoundEnded) and event.out == winner and placements:
            placements[-1] = replace(placements[-1], going_out=event.awards[winner], after=after)
        else:
            is_own = False
        if leads != led:
            # There is no lead to take while all totals are 0.
            lead = len(placements) - 1 if is_own and leads and any(before) else None
        if is_own and leads and not led:
            placements[-1] = replace(placements[-1], takes_lead=True)
        before = entry.totals
    return placements, None if lead is None else placements[lead]


def _is_leading(seat: int, standing: Sequence[int]) -> bool:
    return all(total < standing[seat] for other, total in enumerate(standing) if other != seat)
