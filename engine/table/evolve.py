"""Folding the log of a table. `decide` says what happens; this only writes it down."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, get_args

from engine.events import Dealt, Drew, MatchEnded, Placed, Resigned, RoundEnded, Started, Undone
from engine.events import Event as MatchEvent
from engine.moments import last_placement
from engine.story import Story, begun
from engine.table import clock as time_of
from engine.table import events
from engine.table.events import CALM, MODERATED, LogEvent
from engine.table.pace import DAY, Pace, parse_pace
from engine.table.state import Clock, Guests, Outage, Pause, Question, SeatPlay, SeatRow, StandIn, TableState, Watch

T = TypeVar("T")

MATCH = get_args(MatchEvent)

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
        table = replace(table, seq=seq, moved=table.moved if isinstance(event, CALM) else seq)
        return _around(table, story, event, at), story
    if isinstance(event, Started):
        sitting = table.sitting
        table = replace(table, state="open", lasting=sitting, played=sitting, guests=Guests(), agreed=None)
        return replace(table, seq=seq, moved=seq), begun(event)
    assert story is not None
    if isinstance(event, Placed | Undone | Resigned):
        table = replace(table, parts=_taken_part(table, story, event))
    # Whatever happens in the match withdraws the question.
    question = None if story.tell(event) else table.question
    state, clock = table.state, table.clock
    if isinstance(event, HIDDEN):
        clock = replace(clock, time=time_of.settled(clock.time))
    if isinstance(event, Resigned):
        clock = _vacated(clock, event.seat)
    if isinstance(event, MatchEnded):
        state, clock = "done", replace(clock, time=replace(clock.time, since=None))
    return replace(table, state=state, clock=clock, question=question, seq=seq, moved=seq), story


def _around(table: TableState, story: Story | None, event: LogEvent, at: int) -> TableState:
    if isinstance(event, MODERATED) and event.by is not None:
        table = replace(table, lasting=table.lasting | {event.by})
    match event:
        case events.Opened(_, host, seats, commitment):
            return replace(table, host=host, seats=seats, commitment=commitment, opened_at=at)
        case events.Contributed(seat, text):
            seats = tuple(replace(row, contribution=text) if row.seat == seat else row for row in table.seats)
            return replace(table, seats=seats)
        case events.Joined(user, computer):
            row = SeatRow(seat=len(table.seats), user_id=user, computer=computer, joined_at=at)
            return replace(table, seats=(*table.seats, row), guests=_unkept(table.guests, (user,)))
        case events.Left(seat):
            return _risen(table, seat)
        case events.Kept() | events.Freed() | events.Removed() | events.Revised():
            return _hosted(table, event)
        case events.Closed(reason):
            return replace(table, state="void", closed=reason, question=None, guests=Guests())
        case events.Stopped():
            return replace(table, state="void", closed="stopped", question=None, guests=Guests())
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
            )
            return replace(table, question=question)
        case events.Answered(seat, yes):
            asked = table.question
            return table if asked is None else replace(table, question=answered(asked, seat, yes=yes))
        case events.Lapsed():
            return replace(table, question=None)
        case events.Replaced(seat, user):
            return _replaced(_handed_over(table, story, seat, user), seat, user, at)
        case events.ChoiceMade(_, "end", how):
            return replace(table, clock=_clock(table, event, at), ended="chosen" if how == "chosen" else "default")
        case events.Paused(by, reason):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=Pause(by=by, reason=reason))
        case events.PauseAgreed(_, until):
            clock = replace(table.clock, time=time_of.paused(table.clock.time, at))
            return replace(table, clock=clock, pause=Pause(until=until), question=None)
        case events.Carried(clock, question, pause, moved):
            return replace(table, clock=clock, question=_told(question, story), pause=pause, moved=moved)
        case _:
            table = replace(table, pause=None) if isinstance(event, events.Resumed | events.PauseEnded) else table
            return replace(table, clock=_clock(table, event, at))


def _clock(table: TableState, event: LogEvent, at: int) -> Clock:
    """What the clock says after an event that may be about it."""
    clock, pace = table.clock, parse_pace(table.terms.clock)
    time, watch = clock.time, clock.watch
    match event:
        case events.TurnBegan():
            return _begun(table, event, pace, at)
        case events.Reminded(_, main):
            return replace(clock, watch=replace(watch, told=at, mark=None if main else watch.mark))
        case events.RanOut(seat):
            again = {**watch.silences, seat: watch.silences.get(seat, 0) + 1}
            return replace(clock, watch=replace(watch, silences=again))
        case events.ChoiceAsked(_, until):
            return replace(clock, watch=replace(watch, asking=table.seq, until=until, ending=()))
        case events.EndWished(seat):
            return replace(clock, watch=replace(watch, ending=(*watch.ending, seat)))
        case events.ChoiceMade(seat, choice):
            clock = replace(clock, watch=replace(watch, asking=None, until=None, ending=()))
            match choice:
                case "wait":
                    return _granted(replace(clock, watch=replace(clock.watch, told=at)), pace.another, at)
                case "turn" | "seat":
                    return replace(clock, standins={**clock.standins, seat: choice})
                case "end":
                    return clock
        case events.Granted():
            return _granted(replace(clock, watch=replace(watch, asking=None, until=None, ending=())), pace.another, at)
        case events.Returned(seat):
            return _there(clock, seat)
        case events.Away(seat, until):
            return _away(clock, seat, until, at)
        case events.Credited(outages):
            return repaid(clock, outages)
        case events.Resumed() | events.PauseEnded():
            end = None if watch.asking is None else at + min(pace.another, DAY)
            watch = replace(watch, until=end, told=at)
            return _held(replace(clock, time=time_of.resumed(time, at), watch=watch), at)
        case events.Skipped():
            watch = replace(watch, asking=None, until=None, ending=())
            stood: dict[int, StandIn] = {} if event.seat is None else {event.seat: "turn"}
            return replace(clock, watch=watch, standins={**clock.standins, **stood})
        case _:
            return clock


def _begun(table: TableState, event: events.TurnBegan, pace: Pace, at: int) -> Clock:
    clock, seat, before = table.clock, event.seat, table.clock.time
    if event.how != "anew":
        # Whoever was stood in for during one turn plays the next one themselves.
        clock = replace(clock, standins={seat: how for seat, how in clock.standins.items() if how == "seat"})
    person = seat if table.seats[seat].user_id is not None and seat not in clock.standins else None
    begin = time_of.rewound if event.how == "back" else time_of.turned
    time = begin(before, pace, len(table.seats), person, at, event.height)
    if event.how == "anew":
        # It is the same turn for whoever takes a placement back.
        time = replace(time, height=before.height, spells=before.spells)
    kept = clock.watch
    away = {other: until for other, until in kept.away.items() if until > at}
    watch = Watch(seat=seat, began=at, told=at, silences=kept.silences, away=away)
    clock = replace(clock, time=time, watch=replace(watch, mark=time_of.mark(time, at)))
    return _held(clock, at) if seat in away else clock


def _granted(clock: Clock, span: int, at: int) -> Clock:
    time = time_of.granted(clock.time, span, at)
    return replace(clock, time=time, watch=replace(clock.watch, mark=time_of.mark(time, at)))


def _away(clock: Clock, seat: int, until: int, at: int) -> Clock:
    away = _without(clock.watch.away, seat)
    return _held(replace(clock, watch=replace(clock.watch, away={**away, seat: until} if until > at else away)), at)


def _held(clock: Clock, at: int) -> Clock:
    """While the player of the running turn is on vacation, its time stands still."""
    time, seat = clock.time, clock.time.seat
    until = 0 if seat is None else clock.watch.away.get(seat, 0)
    return replace(clock, time=time_of.held(time, until, at) if until > at else time_of.released(time, at))


def repaid(clock: Clock, outages: Iterable[Outage]) -> Clock:
    """The clock after these outages, oldest first. What it was given before is not given again."""
    for outage in outages:
        time, watch = time_of.credited(clock.time, outage.start, outage.end), clock.watch
        # A question of a later turn was asked after the outage.
        if time != clock.time and watch.until is not None and watch.began < outage.end:
            until = watch.until + outage.end - max(outage.start, clock.time.credited)
            watch = replace(watch, until=until)
        clock = replace(clock, time=time, watch=watch)
    return clock


def answered(question: Question, seat: int | None, *, yes: bool) -> Question:
    """A question after one answer. Of one that was refused the seats stay, and nobody's name."""
    if not yes:
        return replace(question, refused=True, person=None)
    if seat is None:
        return replace(question, accepted=True)
    return replace(question, waiting=tuple(other for other in question.waiting if other != seat))


def _told(question: Question | None, story: Story | None) -> Question | None:
    """A question of an earlier version, which kept no tile."""
    if question is None or story is None or question.kind != "undo" or question.tile is not None:
        return question
    moment = last_placement(story.match.behind, question.seat)
    return replace(question, tile=None if moment is None else moment.tile)


def _risen(table: TableState, seat: int) -> TableState:
    left = [row for row in table.seats if row.seat != seat]
    seats = tuple(replace(row, seat=number) for number, row in enumerate(left))
    people = [row.user_id for row in seats if row.user_id is not None]
    host = table.host if table.host in people or not people else people[0]
    return replace(table, seats=seats, host=host)


def _hosted(table: TableState, event: events.Hosting) -> TableState:
    """A lobby after something that its host did, or that a guest answered."""
    guests = table.guests
    match event:
        case events.Kept(users, until):
            # Whoever was forgotten meanwhile is nobody: the seat is free, and still counts as one that was kept.
            people = frozenset(user for user in users if user is not None)
            guests = replace(
                guests,
                kept={**guests.kept, **dict.fromkeys(sorted(people), until)},
                called=guests.called | people,
                named=guests.named + len(users),
                latest=max(guests.latest, until),
                removed=guests.removed - people,
            )
            return replace(table, guests=guests)
        case events.Freed(users):
            return replace(table, guests=_unkept(guests, users))
        case events.Removed(seat):
            user = table.seats[seat].user_id
            removed = guests.removed | (frozenset() if user is None else {user})
            return replace(_risen(table, seat), guests=replace(guests, removed=removed))
        case events.Revised(terms):
            return replace(table, terms=terms, agreed=table.terms, revised=table.seq)


def _unkept(guests: Guests, users: Iterable[int | None]) -> Guests:
    gone = set(users)
    if gone.isdisjoint(guests.kept):
        return guests
    return replace(guests, kept={user: until for user, until in guests.kept.items() if user not in gone})


def _replaced(table: TableState, seat: int, user: int | None, at: int) -> TableState:
    before = table.seats[seat].user_id
    seats = tuple(replace(row, user_id=user, joined_at=at) if row.seat == seat else row for row in table.seats)
    host = user if table.host == before else table.host
    came = frozenset({user} if user is not None else ())
    lasting, played = table.lasting | came, table.played | came
    clock = _vacated(table.clock, seat)
    return replace(table, seats=seats, host=host, question=None, clock=clock, lasting=lasting, played=played)


def _taken_part(table: TableState, story: Story, event: Placed | Undone | Resigned) -> dict[int, SeatPlay]:
    """Whose results the seats make, after an event of the match that has yet to happen to the story."""
    seat, parts = event.seat, table.parts
    row, part = table.seats[seat], parts.get(seat) or SeatPlay()
    if row.computer is not None:
        return {**parts}
    if isinstance(event, Resigned):
        return {**parts, seat: replace(part, left=part.left or _totals(story))}
    if isinstance(event, Undone):
        return {**parts, seat: replace(part, placed=max(0, part.placed - 1))}
    if seat in table.clock.standins or (part.owned and part.owner != row.user_id):
        return {**parts, seat: replace(part, stood_in=part.stood_in + 1)}
    # The tile that opens a round may have been placed by the rules.
    if not part.owned and story.match.board.placed:
        taken = any(other.owner == row.user_id for other in parts.values())
        part = replace(part, owned=True, owner=None if taken else row.user_id)
    return {**parts, seat: replace(part, placed=part.placed + 1)}


def _handed_over(table: TableState, story: Story | None, seat: int, user: int | None) -> TableState:
    """Whoever owns the result of a seat keeps it; the first who did not is noted. An owner may come back."""
    part, before = table.parts.get(seat) or SeatPlay(), table.seats[seat].user_id
    if part.owned:
        left = None if user is not None and user == part.owner else part.left or (_totals(story) if story else ())
        return replace(table, parts={**table.parts, seat: replace(part, left=left)})
    return table if before is None or story is None else replace(table, gone=(*table.gone, before))


def _totals(story: Story) -> tuple[int, ...]:
    return tuple(seat.total for seat in story.match.seats)


def _vacated(clock: Clock, seat: int) -> Clock:
    """Whoever sat on this seat plays there no longer: their vacation, silences and stand-in go with them."""
    clock = _there(clock, seat)
    return replace(clock, watch=replace(clock.watch, away=_without(clock.watch.away, seat)))


def _there(clock: Clock, seat: int) -> Clock:
    """Nobody is silent on this seat, and the computer does not play it."""
    watch = replace(clock.watch, silences=_without(clock.watch.silences, seat))
    return replace(clock, watch=watch, standins=_without(clock.standins, seat))


def _without(by_seat: Mapping[int, T], seat: int) -> Mapping[int, T]:
    return {other: value for other, value in by_seat.items() if other != seat}
