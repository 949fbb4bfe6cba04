"""The one writer of what happens to a clock between the moves: a reminder, a pause, a vacation, an outage."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.service.clockface import Clockface
from bot.service.matches import Clock
from bot.service.tables import Table, Tables
from bot.service.timekeeper import Armed, Timekeeper
from bot.service.wishes import Wishes, wishes_of
from data.store import Change, Head, LobbyEvent, LobbyKind, Person, Post, Stale, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An event that says why a clock changed; `calm` ones leave the table as it was, so that buttons stay good."""

    kind: LobbyKind
    seat: int | None = None
    calm: bool = True
    begins: bool = False
    """Whether the running turn begins anew by it."""
    facts: dict[str, Any] | None = None
    moderator: int | None = None

    @property
    def event(self) -> LobbyEvent:
        """As the log keeps it."""
        seat = {} if self.seat is None else {"seat": self.seat}
        return LobbyEvent(kind=self.kind, facts=seat | (self.facts or {}))


class Clockhand:
    """Moves the hands of a table's clock."""

    def __init__(self, store: Store, tables: Tables, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._timekeeper = Timekeeper(store)

    async def rearmed(self, table: Table) -> Armed:
        """What is due now, as whoever is to move has set things by now."""
        assert table.story is not None
        head = table.head
        return await self._timekeeper.armed(
            head.clock, table.face, table.story, table.seats, match_id=head.match_id, now=self._now(), due=head.due
        )

    async def write(
        self,
        table: Table,
        face: Clockface,
        note: Note,
        posts: Sequence[Post] = (),
        *,
        withdraws: Sequence[str] = (),
        request: int | None = None,
    ) -> Table:
        """Note what happened to the clock, and arm it. Raises Stale, Repeated."""
        change = await self.change(table, face, note, posts, withdraws=withdraws, request=request)
        return self.written(table, await self._store.commit(change, now=self._now()))

    def written(self, table: Table, head: Head) -> Table:
        """The table after a change of its clock that brought it to this head."""
        assert table.story is not None
        self._tables.keep(head, table.story)
        return Table(head, table.seats, table.terms, table.story)

    async def change(
        self,
        table: Table,
        face: Clockface,
        note: Note,
        posts: Sequence[Post] = (),
        *,
        withdraws: Sequence[str] = (),
        request: int | None = None,
        person: Person | None = None,
    ) -> Change:
        """What is to be written. `person` is what somebody will have set by then."""
        assert table.story is not None
        head, story, now = table.head, table.story, self._now()
        seq = head.seq + 1
        if note.begins:
            armed = await self._timekeeper.begun(
                head.clock, face, table.terms.pace, story, table.seats, match_id=head.match_id, seq=seq, now=now
            )
        else:
            face = face.calmed(head.seq, seq) if note.calm else face.stirred(seq)
            armed = await self._timekeeper.armed(
                head.clock,
                face,
                story,
                table.seats,
                match_id=head.match_id,
                now=now,
                due=head.due,
                known={} if person is None else {person.user_id: person},
            )
        return Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[note.event],
            turn=armed.turn,
            due=armed.due,
            clock=armed.clock,
            outbox=posts,
            withdraws=withdraws,
            request=request,
            moderator=note.moderator,
        )

    async def tried(self, writing: Awaitable[object]) -> bool:
        """Whether it was written. Else a move, or another process, was quicker; what is due now stands in the store."""
        try:
            await writing
        except Stale:
            return False
        return True

    async def wishes(self, user_id: int | None) -> Wishes:
        """What somebody has set; the defaults where there is nobody."""
        return Wishes() if user_id is None else wishes_of(await self._store.person(user_id))
