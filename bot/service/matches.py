"""What can be done at a table that is being played: one door for people, buttons, deadlines and computer seats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from bot.service.again import TRIES
from bot.service.ladder import rate
from bot.service.proposals import onto, settled
from bot.service.refusals import No, Refused
from bot.service.story import Story, Told
from bot.service.tables import Table, Tables
from bot.service.timekeeper import NONE_KNOWN, Timekeeper, begins_turn, turn_of
from data.store import (
    Change,
    Head,
    LobbyEvent,
    MatchResult,
    Person,
    PlayerResult,
    Post,
    Repeated,
    SeatRow,
    Stale,
    Store,
    Turn,
)
from engine.actions import Action
from engine.decide import decide, forced
from engine.events import Dealt, Event, MatchEnded, RoundEnded, Undone

Clock = Callable[[], int]
"""Now, in UTC epoch ms."""


@dataclass(frozen=True, slots=True)
class Acted:
    """What an action led to. `told` is empty when the same interaction had its effect before."""

    table: Table
    told: tuple[Told, ...]
    events: tuple[Event, ...]


class Matches:
    """Carries matches on."""

    def __init__(self, store: Store, tables: Tables, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._timekeeper = Timekeeper(store)

    async def act(
        self, match_id: int, action: Callable[[int], Action], user_id: int, *, expected: int | None, request: int
    ) -> Acted:
        """A person asks for something; `action` makes it for the seat they sit on.

        `expected` is the move that a button was made at. Somebody the computer plays for takes their seat back by it.
        Raises Refused, or RuleBroken with the reason.
        """
        table, asked = await self._tables.asked(match_id, request)
        if asked.repeated:
            return Acted(table, (), ())
        match = table.match
        seat = table.seat_of(user_id)
        if seat is None:
            raise Refused(No.NOT_SEATED)
        if match.ended:
            raise Refused(No.FINISHED)
        if expected is not None and not table.still(expected):
            raise Refused(No.STALE)
        await self.check_running(table)
        known = asked.people
        if seat in table.face.standins:
            table, known = await self.take_back(table, seat), NONE_KNOWN
        for _ in range(TRIES):
            try:
                return await self._carry_on(table, action(seat), request, by=seat, known=known)
            except Stale:
                before, table, known = table, await self._tables.load(match_id), NONE_KNOWN
                if table.head.state != "open" or not table.still(before.head.seq):
                    break
        raise Refused(No.STALE)

    async def check_running(self, table: Table) -> None:
        """Raise Refused(PAUSED) with who and why while a moderator has stopped the match."""
        if not table.face.time.paused:
            return
        stops = [one for one in await self._store.moderations(table.head.match_id) if one.kind == "paused"]
        moderator, reason = (stops[-1].user_id, stops[-1].reason) if stops else (None, "")
        raise Refused(No.PAUSED, moderator=moderator, reason=reason)

    async def act_for_computer(self, table: Table, action: Action) -> Acted:
        """A computer acts, for its own seat or for a person's, through the same door.

        Raises Refused(STALE) when the table moved on meanwhile.
        """
        try:
            return await self._carry_on(table, action, None)
        except Stale:
            raise Refused(No.STALE) from None

    async def take_back(self, table: Table, seat: int, *, request: int | None = None) -> Table:
        """The person of a seat is there again: the computer plays for them no longer. Raises Refused(STALE)."""
        face, head = table.face, table.head
        assert table.story is not None
        standins = {other: how for other, how in face.standins.items() if other != seat}
        face = replace(face.heard(seat), standins=standins)
        seq, now = head.seq + 1, self._now()
        if seat == table.match.turn:
            armed = await self._timekeeper.begun(
                head.clock, face, table.terms.pace, table.story, table.seats, match_id=head.match_id, seq=seq, now=now
            )
        else:
            armed = await self._timekeeper.armed(
                head.clock,
                face.calmed(head.seq, seq),
                table.story,
                table.seats,
                match_id=head.match_id,
                now=now,
                due=head.due,
            )
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[LobbyEvent(kind="returned", facts={"seat": seat})],
            turn=armed.turn,
            due=armed.due,
            clock=armed.clock,
            outbox=[Post(kind="notice", body={"key": "returned", "seat": seat})],
            request=request,
        )
        try:
            head = await self._store.commit(change, now=now)
        except Repeated:
            return await self._tables.load(head.match_id)
        except Stale:
            raise Refused(No.STALE) from None
        self._tables.keep(head, table.story)
        return Table(head, table.seats, table.terms, table.story)

    async def _carry_on(
        self,
        table: Table,
        action: Action,
        request: int | None,
        *,
        by: int | None = None,
        known: Mapping[int, Person] = NONE_KNOWN,
    ) -> Acted:
        """Do it, all or nothing. Raises Stale when something came in between.

        `known` is what people had set when the table was read; others are asked for.
        """
        assert table.story is not None
        story, head, now = table.story.copy(), table.head, self._now()
        told_before = len(story.told)
        events = decide(story.match, action, head.secret)
        for event in events:
            story.tell(event)
        events += play_out(story, head.secret)
        armed = await self._timekeeper.follow(
            head.clock,
            table.terms.pace,
            story,
            table.seats,
            events,
            match_id=head.match_id,
            seq=head.seq + len(events),
            now=now,
            by=by,
            known=known,
        )
        agreed = any(isinstance(event, Undone) and event.agreed for event in events)
        settling, withdraws = settled(table, "agreed" if agreed else "lapsed")
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=events,
            state="done" if story.match.ended else None,
            turn=armed.turn,
            due=armed.due,
            clock=onto(armed.clock, None),
            outbox=[*settling, *posts(events, head.seq, story, table.seats, armed.face.standins)],
            withdraws=withdraws,
            result=result_of(story, table.seats) if story.match.ended else None,
            request=request,
        )
        try:
            head = await self._store.commit(change, now=now)
        except Repeated:
            return Acted(await self._tables.load(head.match_id), (), ())
        self._tables.keep(head, story)
        after = Table(head, table.seats, table.terms, story)
        return Acted(after, tuple(story.told[told_before:]), tuple(events))


def play_out(story: Story, secret: bytes) -> list[Event]:
    """Let everything happen that the rules force, unless people at this table do that by hand."""
    events: list[Event] = []
    while action := forced(story.match):
        if story.match.by_hand and not story.match.seats[story.match.turn].computer:
            break
        for event in decide(story.match, action, secret):
            story.tell(event)
            events.append(event)
    return events


def posts(
    events: Sequence[Event],
    seq: int,
    story: Story,
    seats: Sequence[SeatRow],
    standins: Mapping[int, object] | None = None,
) -> list[Post]:
    """What has to be said in public about these events, which follow move `seq`."""
    said: list[Post] = []
    over = any(isinstance(event, MatchEnded) for event in events)
    for number, (event, following) in enumerate(zip_longest(events, events[1:]), seq + 1):
        # The last round's end is told together with the match's.
        if isinstance(event, RoundEnded) and isinstance(following, Dealt):
            said.append(Post(kind="round", body={"seq": number, "opener": following.opener}))
        elif isinstance(event, MatchEnded):
            said.append(Post(kind="end", body={"seq": number}))
    if begins_turn(events, story.match) and not over:
        said += calls(turn_of(story, seats, standins))
    return said


def calls(turn: Turn | None) -> list[Post]:
    """The post that calls a person to move; nobody is called where it is a computer's turn or nobody's."""
    return [] if turn is None or turn.user is None else [Post(kind="turn", body={"seat": turn.seat})]


def result_of(story: Story, seats: Sequence[SeatRow]) -> MatchResult:
    """What everybody did in a match that is decided. Whoever was stood in for keeps their result."""
    match = story.match
    assert match.ended is not None
    players = [
        PlayerResult(
            user_id=row.user_id,
            place=match.ended.places[row.seat],
            score=match.ended.totals[row.seat],
            best_move=match.seats[row.seat].best,
            hexagons=match.seats[row.seat].hexagons,
            bridges=match.seats[row.seat].bridges,
        )
        for row in seats
        if row.user_id is not None
    ]
    return MatchResult(seats=len(seats), players=players, rate=rate)


def head_is_computers(head: Head) -> bool:
    """Whether a computer is to move, for itself or for somebody."""
    return head.state == "open" and head.turn is not None and head.turn.user is None
