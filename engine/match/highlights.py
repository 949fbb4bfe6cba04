"""What is remembered of a match that is over: its decisive move, and how the totals went."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.match.event_log import EventLog, Told
from engine.match.events import Placed, Undone


@dataclass(frozen=True, slots=True)
class Highlight:
    """The placement that did most for whoever won."""

    placed: Placed
    before: int
    """The winner's total before it."""
    after: int
    leads: bool
    """Whether it took the lead."""
    decided: bool
    """Whether the match turned on it: it brought more than the winner was ahead by, or the lead for good."""


def stood(told: Sequence[Told]) -> list[Told]:
    """What was not taken back."""
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
    """All totals by seat: at the beginning, and after everything that happened and stood."""
    return [(0,) * len(event_log.match.seats), *(told.totals for told in stood(event_log.told))]


def highlight(event_log: EventLog) -> Highlight | None:
    """What a match turned on: the winner's best placement, if the match was closer than it was large; else the one
    that took the lead for good; else the best all the same, as where the winner led from the first points on. Of equal
    ones the latest.

    None while the match is not over, and where no tile of its winner scored; of several winners the first counts.
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
    """All placements of the winner, and the one that took the lead for good, if it was one that did."""
    made: list[Highlight] = []
    lead: Highlight | None = None
    before = (0,) * len(event_log.match.seats)
    for told in stood(event_log.told):
        led, leads = _leads(winner, before), _leads(winner, told.totals)
        event = told.event
        if isinstance(event, Placed) and event.seat == winner:
            made.append(Highlight(event, before[winner], told.totals[winner], leads and not led, decided=True))
        if leads != led:
            # While nobody has any points there is no lead to be taken.
            lead = made[-1] if made and made[-1].placed is event and any(before) else None
        before = told.totals
    return made, lead


def _leads(seat: int, standing: Sequence[int]) -> bool:
    return all(total < standing[seat] for other, total in enumerate(standing) if other != seat)
