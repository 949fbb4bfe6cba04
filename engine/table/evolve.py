"""Folding the log of a table. `decide` says what happens; this only writes it down."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from engine.changed import changed
from engine.events import Dealt, Drew, MatchEnded, Placed, Resigned, RoundEnded, Started, Undone
from engine.events import Event as MatchEvent
from engine.story import Story, begun
from engine.table import clock as time_of
from engine.table import events
from engine.table.clockwork import clock_after
from engine.table.earlier import Carried, made_whole
from engine.table.events import CALM, MODERATED, LogEvent
from engine.table.sealed import DealOpened
from engine.table.seating import hosted, replaced, risen, unkept, vacated
from engine.table.set_back import SetBack, set_back
from engine.table.state import (
    FAULTS,
    Clock,
    Guests,
    Pause,
    Question,
    SeatPlay,
    SeatRow,
    Stumbles,
    TableState,
    Unsettled,
    answered,
)

MATCH = get_args(MatchEvent)

PERSONAL = (
    events.Opened,
    events.Joined,
    events.Asked,
    events.Answered,
    events.Replaced,
    events.Moved,
    events.Returned,
    events.EndWished,
    events.PauseAgreed,
    *MODERATED,
)
"""Somebody did that."""

HIDDEN = (Drew, Dealt, RoundEnded, Resigned)
"""After these nothing from before can be taken back (`engine.moments`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a log. `at` is when it happened, UTC epoch ms."""

    event: LogEvent
    at: int


def replay(entries: Iterable[Entry]) -> tuple[TableState, Story | None]:
    """The table and its match as a whole log tells them. Raises ValueError where the first entry opens no table."""
    first, *others = entries
    if not isinstance(first.event, events.Opened):
        raise ValueError(f"a log begins with Opened, not with {type(first.event).__name__}")
    table, story = evolve(TableState(terms=first.event.terms), None, first.event, first.at)
    for entry in others:
        table, story = evolve(table, story, entry.event, entry.at)
    return table, story


def evolve(table: TableState, story: Story | None, event: LogEvent, at: int) -> tuple[TableState, Story | None]:
    """Both after one more event. The story is carried on in place: copy one that is shared first."""
    seq = table.seq + 1
    if not isinstance(event, MATCH):
        table = changed(table, seq=seq, moved=table.moved if isinstance(event, CALM) else seq)
        return _around(table, story, event, at), story
    if isinstance(event, Started):
        sitting = table.sitting
        table = changed(
            table,
            clock=changed(table.clock, acted=at),
            state="open",
            lasting=sitting,
            played=sitting,
            guests=Guests(),
            agreed=None,
        )
        return changed(table, seq=seq, moved=seq), begun(event)
    assert story is not None
    state, clock = table.state, _stirred(table.clock, event, at)
    if isinstance(event, Placed | Undone | Resigned):
        table = changed(table, parts=_taken_part(table, story, event))
    # Whatever happens in the match withdraws the question.
    question = None if story.tell(event) else table.question
    if isinstance(event, HIDDEN):
        clock = changed(clock, time=time_of.settled(clock.time))
    if isinstance(event, Resigned):
        clock = vacated(clock, event.seat)
    if isinstance(event, MatchEnded):
        state, clock = "done", changed(clock, time=changed(clock.time, since=None))
    back = table.taken_back + isinstance(event, Undone)
    table = changed(table, unsettled=None, taken_back=back, question=question, seq=seq, moved=seq)
    return changed(table, state=state, clock=clock), story


def _stirred(clock: Clock, event: MatchEvent, at: int) -> Clock:
    """Somebody acted whose time was running, or took something back, or resigned: rules and computers do not."""
    seat = getattr(event, "seat", None)
    acts = isinstance(event, Undone | Resigned) or (seat is not None and seat == clock.time.seat)
    return changed(clock, acted=at) if acts else clock


def _around(table: TableState, story: Story | None, event: LogEvent, at: int) -> TableState:
    if isinstance(event, PERSONAL) and not getattr(event, "made_way", False):
        table = changed(table, clock=changed(table.clock, acted=at))
    if isinstance(event, MODERATED) and event.by is not None:
        table = changed(table, lasting=table.lasting | {event.by})
    match event:
        case events.Opened(_, host, seats, commitment):
            return changed(table, host=host, seats=seats, commitment=commitment, opened_at=at)
        case events.Contributed(seat, text):
            seats = tuple(changed(row, contribution=text) if row.seat == seat else row for row in table.seats)
            return changed(table, seats=seats)
        case events.Joined(user, computer):
            row = SeatRow(seat=len(table.seats), user_id=user, computer=computer, joined_at=at)
            return changed(table, seats=(*table.seats, row), guests=unkept(table.guests, (user,)))
        case events.Left(seat):
            return risen(table, seat)
        case events.Kept() | events.Freed() | events.Removed() | events.Revised():
            return hosted(table, event)
        case events.Closed(reason):
            return changed(table, state="void", closed=reason, question=None, guests=Guests())
        case events.Stopped():
            return changed(table, state="void", closed="stopped", question=None, guests=Guests())
        case events.Asked():
            question = Question(
                kind=event.kind,
                by=event.by,
                seat=event.seat,
                number=table.seq,
                until=event.until,
                asked=event.asked,
                waiting=event.asked,
                person=event.person,
                tile=event.tile,
                refusals=() if table.question is None else table.question.refusals,
            )
            return changed(table, question=question)
        case events.Answered(seat, yes):
            asked = table.question
            return table if asked is None else changed(table, question=answered(asked, seat, yes=yes))
        case events.Lapsed():
            return changed(table, question=None)
        case events.Replaced(seat, user):
            return replaced(_handed_over(table, story, seat, user), seat, user, at)
        case events.ChoiceMade(_, "end", how):
            return changed(table, clock=clock_after(table, event, at), ended="chosen" if how == "chosen" else "default")
        case events.Tentative(seat, until, used):
            return changed(table, unsettled=Unsettled(seat, until, used))
        case events.Settled():
            return _stands(table)
        case events.Stumbled(seat, why):
            before = table.stumbled(seat)
            after = Stumbles(before.moves + 1, before.faults + (why in FAULTS))
            return changed(table, stumbles={**table.stumbles, seat: after})
        case events.Paused(by, reason):
            clock = changed(table.clock, time=time_of.paused(table.clock.time, at))
            return changed(table, clock=clock, pause=Pause(by=by, reason=reason))
        case events.PauseAgreed(_, until):
            clock = changed(table.clock, time=time_of.paused(table.clock.time, at))
            return changed(table, clock=clock, pause=Pause(until=until), question=None)
        case SetBack():
            return set_back(table, at)
        case DealOpened():
            return changed(table, deal_opened=True, deal_outrun=story is not None and story.match.ended is None)
        case Carried(_, question, pause, moved):
            clock = clock_after(table, event, at)
            return changed(table, clock=clock, question=made_whole(question, story), pause=pause, moved=moved)
        case _:
            table = changed(table, pause=None) if isinstance(event, events.Resumed | events.PauseEnded) else table
            if isinstance(event, events.TurnBegan) and event.how == "next":
                table = changed(table, taken_back=0)
            return changed(table, clock=clock_after(table, event, at))


def _stands(table: TableState) -> TableState:
    """A turn has ended for good. Its time ended when it was played, not when that could not be taken back any more."""
    if table.unsettled is None:
        return table
    time = changed(table.clock.time, used=table.unsettled.used, since=None)
    return changed(table, unsettled=None, clock=changed(table.clock, time=time))


def _taken_part(table: TableState, story: Story, event: Placed | Undone | Resigned) -> dict[int, SeatPlay]:
    """Whose results the seats make, after an event of the match that has yet to happen to the story."""
    seat, parts = event.seat, table.parts
    row, part = table.seats[seat], parts.get(seat) or SeatPlay()
    if row.computer is not None:
        return {**parts}
    if isinstance(event, Resigned):
        return {**parts, seat: changed(part, left=part.left or _totals(story))}
    if isinstance(event, Undone):
        return {**parts, seat: changed(part, placed=max(0, part.placed - 1))}
    if seat in table.clock.standins or (part.owned and part.owner != row.user_id):
        return {**parts, seat: changed(part, stood_in=part.stood_in + 1)}
    # The tile that opens a round may have been placed by the rules.
    if not part.owned and story.match.board.placed:
        taken = any(other.owner == row.user_id for other in parts.values())
        part = changed(part, owned=True, owner=None if taken else row.user_id)
    return {**parts, seat: changed(part, placed=part.placed + 1)}


def _handed_over(table: TableState, story: Story | None, seat: int, user: int | None) -> TableState:
    """Whoever owns the result of a seat keeps it; the first who did not is noted. An owner may come back."""
    part, before = table.parts.get(seat) or SeatPlay(), table.seats[seat].user_id
    if part.owned:
        left = None if user is not None and user == part.owner else part.left or (_totals(story) if story else ())
        return changed(table, parts={**table.parts, seat: changed(part, left=left)})
    return table if before is None or story is None else changed(table, gone=(*table.gone, before))


def _totals(story: Story) -> tuple[int, ...]:
    return tuple(seat.total for seat in story.match.seats)
