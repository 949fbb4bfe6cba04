"""A table before its match: opening it, sitting down, getting up, adding computers, starting, closing."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.service.house import House, too_many
from bot.service.invitations import Invitation, agreed
from bot.service.matches import Clock, calls, posts
from bot.service.refusals import No, Refused
from bot.service.starting import Starts, begin
from bot.service.story import Story
from bot.service.tables import Table, Tables
from bot.service.timekeeper import Armed
from data.store import (
    KEEP,
    Change,
    ChannelBusy,
    Due,
    LobbyEvent,
    NewMatch,
    Repeated,
    SeatRow,
    Stale,
    Store,
    TooMany,
)
from engine.events import Event

EXPIRES: Final = 24 * 3600 * 1000
"""A lobby nobody starts closes after a day, in ms."""

GREEDY: Final = "greedy"


class Lobby:
    """Brings people to tables."""

    def __init__(self, store: Store, tables: Tables, now: Clock, secret: Callable[[], bytes]) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._secret = secret
        self._house = House(store, now)
        self._starts = Starts(store, now)

    async def open(self, asked: Invitation, *, request: int) -> Table:
        """Open a table; it starts at once when the computers fill it.

        Raises Refused(CHANNEL_BUSY, TOO_MANY_TABLES_PERSON, TOO_MANY_TABLES_SERVER).
        """
        terms = agreed(asked)
        now, secret = self._now(), self._secret()
        seats = [SeatRow(seat=0, user_id=asked.host_id, joined_at=now)]
        seats += [SeatRow(seat=seat, computer=GREEDY, joined_at=now) for seat in range(1, asked.computers + 1)]
        opened = LobbyEvent(kind="opened", facts={"seats": len(seats)})
        began: list[Event] = []
        story: Story | None = None
        armed: Armed | None = None
        if len(seats) == terms.seats:
            began, story = begin(terms, seats, secret)
            armed = await self._starts.armed({}, terms, story, seats, began, match_id=0, seq=1 + len(began))
        new = NewMatch(
            game=terms.game,
            guild_id=asked.guild_id,
            channel_id=asked.channel_id,
            host_id=asked.host_id,
            secret=secret,
            events=[opened, *began],
            seats=seats,
            settings=terms.stored(),
            clock=armed.clock if armed else {},
            state="open" if story else "lobby",
            turn=armed.turn if armed else None,
            due=armed.due if armed else Due(at=now + EXPIRES, kind="expire"),
            outbox=posts(began, 1, story, seats) if story else (),
            limits=await self._house.limits(asked.guild_id, asked.host_id, new=True),
        )
        try:
            head = await self._store.create(new, now=now, request=request)
        except Repeated as repeated:
            return await self._tables.load(repeated.match_id)
        except ChannelBusy as busy:
            raise Refused(No.CHANNEL_BUSY, table=busy.match_id) from None
        except TooMany as found:
            raise too_many(found) from None
        return await self._tables.load(head.match_id)

    async def join(self, match_id: int, user_id: int, *, request: int) -> Table:
        """Sit down on the first free seat; the last one to do so starts the match.

        Raises Refused(ALREADY_SEATED, TABLE_FULL, TOO_MANY_TABLES_PERSON, ...).
        """

        async def sit(table: Table) -> Change:
            if table.head.state in ("lobby", "open"):
                if table.seat_of(user_id) is not None:
                    raise Refused(No.ALREADY_SEATED)
                _free(table)
            _in_lobby(table)
            row = SeatRow(seat=len(table.seats), user_id=user_id, joined_at=self._now())
            joined = LobbyEvent(kind="joined", facts={"seat": row.seat})
            change = await self._seated(table, [*table.seats, row], joined, request)
            return replace(change, limits=await self._house.limits(table.head.guild_id, user_id))

        return await self._change(match_id, request, sit)

    async def add_computer(self, match_id: int, user_id: int, *, request: int) -> Table:
        """Put a computer on the first free seat. Anybody who sits at the table may ask."""

        async def sit(table: Table) -> Change:
            _in_lobby(table)
            if table.seat_of(user_id) is None:
                raise Refused(No.JOIN_FIRST)
            _free(table)
            row = SeatRow(seat=len(table.seats), computer=GREEDY, joined_at=self._now())
            return await self._seated(
                table, [*table.seats, row], LobbyEvent(kind="seated", facts={"seat": row.seat}), request
            )

        return await self._change(match_id, request, sit)

    async def leave(self, match_id: int, user_id: int, *, request: int | None) -> Table:
        """Get up again. The host's part goes to the next person; a table without people closes."""

        async def rise(table: Table) -> Change:
            if table.head.state == "open":
                raise Refused(No.LEAVE_MEANS_RESIGN if table.seat_of(user_id) is not None else No.NOT_SEATED)
            _in_lobby(table)
            seat = table.seat_of(user_id)
            if seat is None:
                raise Refused(No.JOIN_FIRST)
            left = [row for row in table.seats if row.seat != seat]
            seats = [replace(row, seat=number) for number, row in enumerate(left)]
            people = [row.user_id for row in seats if row.user_id is not None]
            if not people:
                return self._closed(table, "empty", request)
            host = table.head.host_id if table.head.host_id in people else people[0]
            gone = LobbyEvent(kind="left", facts={"seat": seat})
            return replace(await self._seated(table, seats, gone, request), host_id=host)

        return await self._change(match_id, request, rise)

    async def start(self, match_id: int, user_id: int, *, request: int) -> Table:
        """Begin with the seats that are taken. Only the host may."""

        async def first(table: Table) -> Change:
            _in_lobby(table)
            if table.head.host_id != user_id:
                raise Refused(No.NOT_HOST, host=table.head.host_id)
            least = table.terms.rules.min_seats
            if len(table.seats) < least:
                raise Refused(No.ALONE, least=least)
            return await self._starts.change(table, table.seats, [], request)

        return await self._change(match_id, request, first)

    async def expire(self, match_id: int) -> Table:
        """Close a lobby that nobody started in time."""

        async def close(table: Table) -> Change:
            return self._closed(table, "expired", None)

        return await self._change(match_id, None, close)

    async def bring(
        self, match_id: int, user_id: int, channel_id: int, *, above: int | None = None, request: int
    ) -> Table:
        """Go on in another channel, for a table whose own channel is gone. `above` is the one that a thread belongs to.

        Raises Refused(NOT_SEATED, CHANNEL_NOT_ALLOWED, CHANNEL_TAKEN).
        """

        async def move(table: Table) -> Change:
            if table.seat_of(user_id) is None:
                raise Refused(No.NOT_SEATED)
            await self._house.check_place(table.head.guild_id, {channel_id, above or channel_id})
            moved = LobbyEvent(kind="moved", facts={"channel": channel_id})
            return Change(
                match_id=match_id,
                expected_seq=table.head.seq,
                events=[moved],
                channel_id=channel_id,
                outbox=calls(table.head.turn),
                request=request,
            )

        return await self._change(match_id, request, move)

    async def _seated(self, table: Table, seats: Sequence[SeatRow], event: LobbyEvent, request: int | None) -> Change:
        if len(seats) == table.terms.seats:
            return await self._starts.change(table, seats, [event], request)
        return Change(
            match_id=table.head.match_id, expected_seq=table.head.seq, events=[event], seats=seats, request=request
        )

    def _closed(self, table: Table, reason: str, request: int | None) -> Change:
        _in_lobby(table)
        return Change(
            match_id=table.head.match_id,
            expected_seq=table.head.seq,
            events=[LobbyEvent(kind="closed", facts={"reason": reason})],
            state="void",
            turn=KEEP,
            settings=replace(table.terms, closed=reason).stored(),
            request=request,
        )

    async def _change(self, match_id: int, request: int | None, change: Callable[[Table], Awaitable[Change]]) -> Table:
        """Decide and write; decide again when somebody else was quicker."""
        while True:
            if request is not None and await self._store.seen_request(request) is not None:
                return await self._tables.load(match_id)
            table = await self._tables.load(match_id)
            try:
                head = await self._store.commit(await change(table), now=self._now())
            except Repeated:
                return await self._tables.load(match_id)
            except Stale:
                continue
            except ChannelBusy as busy:
                raise Refused(No.CHANNEL_TAKEN, table=busy.match_id) from None
            except TooMany as found:
                raise too_many(found) from None
            return await self._tables.load(head.match_id)


def _in_lobby(table: Table) -> None:
    match table.head.state:
        case "open":
            raise Refused(No.ALREADY_STARTED)
        case "done":
            raise Refused(No.FINISHED)
        case "void":
            raise Refused(No.CLOSED)
        case "lobby":
            pass


def _free(table: Table) -> None:
    if len(table.seats) >= table.terms.seats:
        raise Refused(No.TABLE_FULL, seats=table.terms.seats)
