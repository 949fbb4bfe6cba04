"""Arms the clock with every act: whose time runs now, until when, and what is due next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from bot.service.clockface import Clockface, Watch, marked, next_due
from bot.service.clocks import Time, granted, held, released, rewound, settled, turned
from bot.service.paces import Pace
from bot.service.story import Story
from bot.service.wishes import Wishes, wishes_of
from data.store import Due, Person, SeatRow, Store, Turn
from engine.events import Chose, Dealt, Drew, Event, Passed, Placed, Resigned, RoundEnded, Undone
from engine.match import Match

HIDDEN: Final = (Drew, Dealt, RoundEnded, Resigned)
"""After these nothing from before can be taken back (`engine.moments`)."""

NONE_KNOWN: Final[Mapping[int, Person]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Armed:
    """What an act writes about the clock."""

    turn: Turn | None
    due: Due | None
    clock: Mapping[str, Any]
    face: Clockface


class Timekeeper:
    """Knows what a table's clock says after an act."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def follow(
        self,
        clock: Mapping[str, Any],
        pace: Pace,
        story: Story,
        seats: Sequence[SeatRow],
        events: Sequence[Event],
        *,
        match_id: int,
        seq: int,
        now: int,
        by: int | None = None,
        known: Mapping[int, Person] = NONE_KNOWN,
    ) -> Armed:
        """After `events` have taken the match to move `seq`. `by` is the seat whose person acted."""
        match = story.match
        face = Clockface.read(clock).stirred(seq).vacated(match.left)
        if match.ended:
            return Armed(None, None, replace(face, time=replace(face.time, since=None)).onto(clock), face)
        if by is not None:
            face = face.heard(by)
        if any(isinstance(event, HIDDEN) for event in events):
            face = replace(face, time=settled(face.time))
        taken_back = any(isinstance(event, Undone) for event in events)
        # Within a turn that has not ended, a tile that is taken back changes nothing about the time.
        goes_on = taken_back and face.watch.seat == match.turn and face.time.height <= len(match.behind)
        # When somebody else resigns, whoever is to move goes on as before.
        elsewhere = all(isinstance(event, Resigned) for event in events) and face.watch.seat == match.turn
        begins = begins_turn(events, match) and not elsewhere and not goes_on
        if begins or face.watch.seat != match.turn:
            # Whoever was stood in for during one turn plays the next one themselves.
            face = replace(face, standins={seat: how for seat, how in face.standins.items() if how == "seat"})
            face = _next_turn(face, pace, match, seats, now, rewound if taken_back else turned)
        elif by == match.turn and face.watch.asking is not None:
            # They were given up on and are in the middle of a turn: they get the time to finish it.
            face = replace(
                face,
                time=granted(face.time, pace.another, now),
                watch=replace(face.watch, asking=None, until=None),
            )
            face = replace(face, watch=marked(face.watch, face.time, now))
        return await self.armed(clock, face, story, seats, match_id=match_id, now=now, known=known)

    async def begun(
        self,
        clock: Mapping[str, Any],
        face: Clockface,
        pace: Pace,
        story: Story,
        seats: Sequence[SeatRow],
        *,
        match_id: int,
        seq: int,
        now: int,
    ) -> Armed:
        """The running turn begins anew at move `seq`, for the person whose seat it is or for the computer."""
        kept = face.time
        face = _next_turn(face.stirred(seq), pace, story.match, seats, now, turned)
        # It is the same turn for whoever takes a placement back.
        face = replace(face, time=replace(face.time, height=kept.height, spells=kept.spells))
        return await self.armed(clock, face, story, seats, match_id=match_id, now=now)

    async def armed(
        self,
        clock: Mapping[str, Any],
        face: Clockface,
        story: Story,
        seats: Sequence[SeatRow],
        *,
        match_id: int,
        now: int,
        due: Due | None = None,
        known: Mapping[int, Person] = NONE_KNOWN,
    ) -> Armed:
        """What is due at a table whose clock says this. A vacation of whoever is to move is taken in; `known` is
        what people will have set when this is written, as far as the caller knows.

        Where a computer is to move, that is due now, or still when it was.
        """
        turn = turn_of(story, seats, face.standins)
        if turn is None or turn.user is None:
            kept = due if due is not None and due.kind == "computer" else Due(at=now, kind="computer")
            idle = turn is None or face.time.paused
            return Armed(turn, None if idle else kept, face.onto(clock), face)
        person = known.get(turn.user) or await self._store.person(turn.user)
        face, due = as_wished(face, turn.seat, person, match_id=match_id, now=now)
        return Armed(turn, due, face.onto(clock), face)


def as_wished(face: Clockface, seat: int, person: Person, *, match_id: int, now: int) -> tuple[Clockface, Due | None]:
    """The clock of a turn as the person on this seat has set things by now, and when it acts next."""
    wishes = wishes_of(person)
    face = _away(face, seat, wishes, now)
    muted = wishes.muted.get(str(match_id)) == face.watch.began
    return face, next_due(face, wishes, muted=muted, calls=person.pings != "none")


def begins_turn(events: Sequence[Event], match: Match) -> bool:
    """Whether these events lead to a turn that has just begun.

    Whoever goes on after a choice or with a further tile is in the middle of one; but an opening tile that played
    itself, and earned a choice, is a turn that its seat has yet to hear of.
    """
    dealt = any(isinstance(event, Dealt) for event in events)
    goes_on = not dealt and (match.choosing or match.bonus_tiles or match.further)
    turn_ended = any(isinstance(event, Placed | Chose | Passed | Dealt | Resigned | Undone) for event in events)
    return turn_ended and not goes_on and match.ended is None


def turn_of(story: Story, seats: Sequence[SeatRow], standins: Mapping[int, object] | None = None) -> Turn | None:
    """Whose move it is now; no person's where a computer plays, for itself or for somebody."""
    if story.match.ended:
        return None
    seat = story.match.turn
    return Turn(seat=seat, user=None if standins and seat in standins else seats[seat].user_id)


def _next_turn(
    face: Clockface,
    pace: Pace,
    match: Match,
    seats: Sequence[SeatRow],
    now: int,
    begin: Callable[[Time, Pace, int, int | None, int, int], Time],
) -> Clockface:
    person = seats[match.turn].user_id is not None and match.turn not in face.standins
    time = begin(face.time, pace, len(seats), match.turn if person else None, now, len(match.behind))
    kept = face.watch
    watch = Watch(
        seat=match.turn,
        began=now,
        told=now,
        silences=kept.silences,
        away=_still_away(kept, now),
        moved=kept.moved,
        calm=kept.calm,
    )
    return replace(face, time=time, watch=marked(watch, time, now))


def _still_away(watch: Watch, now: int) -> Mapping[int, int]:
    return {seat: until for seat, until in watch.away.items() if until > now}


def _away(face: Clockface, seat: int, wishes: Wishes, now: int) -> Clockface:
    """With the vacation of the person on this seat as they have it now."""
    away = {other: until for other, until in face.watch.away.items() if other != seat}
    if wishes.away_until > now:
        return replace(
            face,
            time=held(face.time, wishes.away_until, now),
            watch=replace(face.watch, away={**away, seat: wishes.away_until}),
        )
    # The clock waits for the end of a vacation that is over already.
    return replace(face, time=released(face.time, now), watch=replace(face.watch, away=away))
