"""When time runs out: the reminder before it, what the others choose, and what a moderator decides."""

from dataclasses import replace
from typing import Final, Literal, get_args

from bot.service.again import tried
from bot.service.clockface import Clockface, StandIn, marked
from bot.service.clockhand import Clockhand, Note
from bot.service.clocks import granted
from bot.service.matches import Clock, Matches, calls, result_of
from bot.service.paces import DAY
from bot.service.personal import Personal
from bot.service.proposals import has_begun, onto, settled, without_result
from bot.service.refusals import No, Refused
from bot.service.tables import Table, Tables
from bot.service.wishes import AUTOMATIC_DAYS, days_left, is_away
from data.store import Change, Head, Post, Repeated, Stale, Store
from engine.events import Resigned
from engine.rounds import match_ended

Choice = Literal["wait", "turn", "seat", "end"]
"""What the others can do about a silent player: give them as much time again, let the computer take that turn or the
seat until they are back, or end the match."""

CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)
MODERATED: Final = "moderated"
"""The kind of post that tells of what a moderator did."""


class Absence:
    """Looks after tables whose people do not come."""

    def __init__(self, store: Store, tables: Tables, matches: Matches, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._matches = matches
        self._now = now
        self._hand = Clockhand(store, tables, now)
        self.personal = Personal(store, tables, self._hand, now)
        self.outages = tables.outages

    # -- what is due

    async def due(self, head: Head) -> bool:
        """Do what the clock of a match asks for. False when another process did, or there was nothing to do."""
        assert head.due is not None
        table = await self._tables.load(head.match_id)
        if table.head.seq != head.seq or table.head.due != head.due or table.head.due.at > self._now():
            return False
        armed = await self._hand.rearmed(table)
        if armed.due is None or armed.due.kind != head.due.kind or armed.due.at > self._now():
            # A vacation, quiet hours or a muted turn came in between: it is another time, or nothing.
            return await self._hand.tried(self._hand.write(table, armed.face, Note(kind="set")))
        match head.due.kind:
            case "remind":
                return await self._hand.tried(self._remind(table, armed.face))
            case "deadline":
                return await self._hand.tried(self._ran_out(table, armed.face))
            case _:
                return await self._hand.tried(self._apply(table, armed.face, table.terms.absent, agreed=False))

    async def _remind(self, table: Table, face: Clockface) -> None:
        now, time, watch = self._now(), face.time, face.watch
        assert time.since is not None
        wishes = await self._hand.wishes(table.turn_user())
        main = None if watch.mark is None or not wishes.remind else time.since + watch.mark - time.used
        extra = max(watch.told, time.since) + wishes.every if wishes.every else None
        mark = None if main is not None and (extra is None or main <= extra) else watch.mark
        face = replace(face, watch=replace(watch, told=now, mark=mark))
        post = Post(kind="remind", body={"seat": table.match.turn, "began": watch.began})
        await self._hand.write(table, face, Note(kind="reminded", seat=table.match.turn), [post])

    async def _ran_out(self, table: Table, face: Clockface) -> None:
        seat, now = table.match.turn, self._now()
        user_id = table.turn_user()
        wishes = await self._hand.wishes(user_id)
        if user_id is not None and wishes.automatic and days_left(wishes, now) and not is_away(wishes, now):
            # More time first, and whoever else is at it stops here: a vacation is not taken twice.
            time = granted(face.time, table.terms.pace.another, now)
            face = replace(face, time=time, watch=marked(face.watch, time, now))
            await self._hand.write(table, face, Note(kind="absent", seat=seat))
            await self.personal.leave(user_id, AUTOMATIC_DAYS, automatic=True)
            return
        silences = {**face.watch.silences, seat: face.watch.silences.get(seat, 0) + 1}
        face = replace(face, watch=replace(face.watch, silences=silences))
        others = _others(table, seat)
        if silences[seat] > 1 or not others:
            # With nobody there, a computer on the seat would play the match to its end while all are away.
            usual = "turn" if table.terms.absent == "seat" and not others else table.terms.absent
            await self._apply(table, face, usual, agreed=False)
            return
        asked = table.head.seq + 1
        until = now + min(table.terms.pace.another, DAY)
        face = replace(face, watch=replace(face.watch, asking=asked, until=until))
        post = Post(kind="absence", body={"seat": seat, "asked": asked, "until": until})
        await self._hand.write(table, face, Note(kind="absent", seat=seat, calm=False), [post])

    # -- what people choose

    async def choose(self, match_id: int, user_id: int, choice: Choice, asked: int | None, *, request: int) -> Table:
        """Somebody at the table says what is to be done about the silent one; the first to say so decides.

        `asked` is the move at which they were asked. Raises Refused(NOBODY_ABSENT, ABSENT_YOURSELF, NOT_SEATED).
        """

        async def once() -> Table:
            table = await self._tables.load(match_id)
            if await self._store.seen_request(request) is not None:
                return table
            match, face = table.match, table.face
            seat = table.seat_of(user_id)
            if seat is None or match.seats[seat].resigned:
                raise Refused(No.NOT_SEATED)
            if match.ended or face.watch.asking is None or face.watch.asking != asked:
                raise Refused(No.NOBODY_ABSENT)
            if seat == match.turn:
                raise Refused(No.ABSENT_YOURSELF)
            await self._matches.check_running(table)
            try:
                return await self._apply(table, face, choice, agreed=True, request=request)
            except Repeated:
                return await self._tables.load(match_id)

        return await tried(once)

    async def back(self, match_id: int, user_id: int, *, request: int) -> Table:
        """Somebody the computer plays for, or whose time ran out, is there again. Raises Refused(NOT_ABSENT)."""
        table = await self._tables.load(match_id)
        if await self._store.seen_request(request) is not None:
            return table
        match, face = table.match, table.face
        seat = table.seat_of(user_id)
        if seat is None:
            raise Refused(No.NOT_SEATED)
        if match.ended:
            raise Refused(No.FINISHED)
        if seat in face.standins:
            return await self._matches.take_back(table, seat, request=request)
        if seat == match.turn and face.watch.asking is not None:
            try:
                here = face.heard(seat)
                return await self._apply(table, here, "wait", agreed=False, key="returned", request=request)
            except Repeated:
                return await self._tables.load(match_id)
            except Stale:
                raise Refused(No.STALE) from None
        raise Refused(No.NOT_ABSENT)

    async def _apply(
        self,
        table: Table,
        face: Clockface,
        choice: Choice,
        *,
        agreed: bool,
        key: str | None = None,
        request: int | None = None,
        moderation: Note | None = None,
    ) -> Table:
        """Do it. `agreed` is whether the others chose it rather than the table's terms."""
        seat, now = table.match.turn, self._now()
        said = Post(kind="notice", body={"key": key or f"{choice}_{'chosen' if agreed else 'default'}", "seat": seat})
        if moderation is not None:
            said = moderated(table)
        watch = replace(face.watch, asking=None, until=None)
        if choice == "end":
            return await self._end(table, replace(face, watch=watch), seat, said, request)
        if choice == "wait":
            time = granted(face.time, table.terms.pace.another, now)
            face = replace(face, time=time, watch=marked(replace(watch, told=now), time, now))
            note = Note(kind="set", seat=seat)
            posts = [said, *calls(table.head.turn)] if agreed else [said]
            return await self._hand.write(table, face, note, posts, request=request)
        standin: StandIn = choice
        face = replace(face, watch=watch, standins={**face.standins, seat: standin})
        note = moderation or Note(kind="standin", seat=seat)
        return await self._hand.write(table, face, replace(note, calm=False, begins=True), [said], request=request)

    async def _end(self, table: Table, face: Clockface, seat: int, said: Post, request: int | None) -> Table:
        """The match is decided as it stands; whoever did not come takes the last place.

        Before everybody has had a turn there is nothing to decide: it ends without a result, as it does by `abort`.
        """
        assert table.story is not None
        if not has_begun(table):
            return await self._end_without_result(table, seat, said, request)
        story, head, now = table.story.copy(), table.head, self._now()
        story.tell(Resigned(seat))
        totals = [other.total for other in story.match.seats]
        ended = match_ended(story.match, totals, story.match.active, head.secret)
        story.tell(ended)
        settling, withdraws = settled(table, "lapsed")
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[Resigned(seat), ended],
            state="done",
            clock=onto(face.stirred(head.seq + 2).onto(head.clock), None),
            outbox=[*settling, said, Post(kind="end", body={"seq": head.seq + 2})],
            withdraws=withdraws,
            result=result_of(story, table.seats),
            request=request,
        )
        head = await self._store.commit(change, now=now)
        self._tables.keep(head, story)
        return Table(head, table.seats, table.terms, story)

    async def _end_without_result(self, table: Table, seat: int, said: Post, request: int | None) -> Table:
        change = without_result(table, seat, "lapsed", said=[said], request=request)
        await self._store.commit(change, now=self._now())
        return await self._tables.load(table.head.match_id)

    # -- what a moderator decides

    async def skip(self, match_id: int, *, reason: str, moderator: int, request: int | None = None) -> Table:
        """Let the computer take the turn of whoever is to move.

        Raises Refused(NOT_STARTED, FINISHED, PAUSED_ALREADY, COMPUTERS_TURN).
        """

        async def once() -> Table:
            table = await self._tables.load(match_id)
            if request is not None and await self._store.seen_request(request) is not None:
                return table
            if table.match.ended:
                raise Refused(No.FINISHED)
            if table.face.time.paused:
                raise Refused(No.PAUSED_ALREADY)
            if table.turn_user() is None:
                raise Refused(No.COMPUTERS_TURN)
            note = Note(kind="skipped", seat=table.match.turn, facts={"reason": reason}, moderator=moderator)
            try:
                return await self._apply(table, table.face, "turn", agreed=False, moderation=note, request=request)
            except Repeated:
                return await self._tables.load(match_id)

        return await tried(once)


def _others(table: Table, seat: int) -> list[int]:
    """The people who could say what is to be done about this seat."""
    face = table.face
    return [
        row.seat
        for row in table.seats
        if row.seat != seat
        and row.user_id is not None
        and row.seat not in face.standins
        and not table.match.seats[row.seat].resigned
    ]


def moderated(table: Table) -> Post:
    """What tells the table that a moderator steps in by its next event. Who it is stands beside the log."""
    return Post(kind=MODERATED, body={"seq": table.head.seq + 1})
