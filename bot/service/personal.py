"""What people set for themselves: reminders, turns without them, vacations. Their tables follow at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.service.again import TRIES, tried
from bot.service.clockface import marked
from bot.service.clockhand import Clockhand, Note
from bot.service.clocks import granted, left
from bot.service.matches import Clock
from bot.service.refusals import No, Refused
from bot.service.tables import Table, Tables
from bot.service.wishes import Wishes, days_left, gone, is_away, returned, wishes_of
from data.store import Change, Person, Pings, Post, Store

MUTED_KEPT: Final = 20
"""Muted turns that are remembered of each person: the last ones."""

Wish = Callable[[Wishes], Wishes]
"""What somebody sets, made from what they have set by now: where another wish came in between, it is made again."""


class Personal:
    """Changes somebody's settings, and what depends on them."""

    def __init__(self, store: Store, tables: Tables, hand: Clockhand, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._hand = hand
        self._now = now

    async def leave(self, user_id: int, days: int, *, automatic: bool = False) -> Wishes:
        """Somebody goes on vacation: their clocks stand still, and their tables are told. 0 days: they are back.

        Raises Refused(NO_VACATION_LEFT).
        """
        return await self.wish(user_id, lambda wishes: wishes, days=days, automatic=automatic)

    async def wish(
        self, user_id: int, wish: Wish, *, pings: Pings | None = None, days: int | None = None, automatic: bool = False
    ) -> Wishes:
        """Somebody sets something, and perhaps where they are called, and perhaps goes on vacation, as `leave` says.

        All of that is one transaction: nobody is away whose tables do not know it, and nothing is kept of what is
        refused. Their running turns follow it. Raises Refused(NO_VACATION_LEFT).
        """

        async def once() -> Wishes:
            now, person = self._now(), await self._store.person(user_id)
            before = wishes_of(person)
            turns = days is not None and _turns(before, days, now, automatic=automatic)
            wishes = _turned(wish(before), days or 0, now) if turns else wish(before)
            if wishes == before and pings in (None, person.pings):
                return wishes
            after = replace(person, wishes=wishes.stored(), pings=pings or person.pings)
            key = "home" if not days else "away_by_itself" if automatic else "away"
            tables = await self._running(user_id) if turns else []
            changes = [await self._told(table, after, wishes.away_until if days else 0, key) for table in tables]
            heads = await self._store.wish(person, after.wishes, changes, pings=pings, now=now)
            for table, head in zip(tables, heads, strict=True):
                self._hand.written(table, head)
            if not turns:
                await self._follow(user_id)
            return wishes

        return await tried(once)

    async def _running(self, user_id: int) -> list[Table]:
        """The matches somebody plays in, by number: not those they have resigned from."""
        heads = await self._store.heads_of_user(user_id, ("open",))
        tables = [await self._tables.load(match_id) for match_id in sorted(head.match_id for head in heads)]
        return [
            table for table in tables if table.head.state == "open" and table.seat_of(user_id) in table.match.active
        ]

    async def _told(self, table: Table, person: Person, until: int, key: str) -> Change:
        """What a vacation until then, or the end of one, changes at a table."""
        face, seat = table.face, table.seat_of(person.user_id)
        assert seat is not None
        away = {other: end for other, end in face.watch.away.items() if other != seat}
        face = replace(face, watch=replace(face.watch, away={**away, seat: until} if until else away))
        ran_out = left(face.time, self._now()) == 0
        if until and seat == table.match.turn and ran_out:
            # They have as much again when they are back.
            face = replace(face, time=granted(face.time, table.terms.pace.another, self._now()))
            watch = replace(face.watch, asking=None, until=None)
            face = replace(face, watch=marked(watch, face.time, self._now()))
        post = Post(kind="notice", body={"key": key, "seat": seat, "until": until})
        return await self._hand.change(table, face, Note(kind="away", seat=seat), [post], person=person)

    async def mute(self, match_id: int, user_id: int) -> None:
        """No more reminders in the running turn of this person. Raises Refused(NOTHING_TO_MUTE)."""
        table = await self._tables.load(match_id)
        if table.head.state != "open" or table.turn_user() != user_id:
            raise Refused(No.NOTHING_TO_MUTE)

        def muted(wishes: Wishes) -> Wishes:
            kept = [item for item in wishes.muted.items() if item[0] != str(match_id)][-MUTED_KEPT:]
            return replace(wishes, muted=dict([*kept, (str(match_id), table.face.watch.began)]))

        await self.wish(user_id, muted)

    async def _follow(self, user_id: int) -> None:
        """The running turns of a person are as they have set things by now."""
        for head in await self._store.heads_of_user(user_id, ("open",)):
            if head.turn is not None and head.turn.user == user_id:
                await self._rearm(head.match_id)

    async def _rearm(self, match_id: int) -> None:
        for _ in range(TRIES):
            table = await self._tables.load(match_id)
            if table.head.state != "open":
                return
            armed = await self._hand.rearmed(table)
            if armed.due == table.head.due:
                return
            if await self._hand.tried(self._hand.write(table, armed.face, Note(kind="set"))):
                return

    async def wishes(self, user_id: int) -> Wishes:
        """What somebody has set."""
        return await self._hand.wishes(user_id)


def _turns(wishes: Wishes, days: int, now: int, *, automatic: bool) -> bool:
    """Whether a vacation begins, or ends. Whoever is not away is not back either, however often they say so; one that
    would begin by itself cuts none short.
    """
    away = is_away(wishes, now)
    return away if not days else not (automatic and away)


def _turned(wishes: Wishes, days: int, now: int) -> Wishes:
    """With a vacation from now on in the place of the one before, or with none. Raises Refused(NO_VACATION_LEFT)."""
    wishes = returned(wishes, now)
    if not days:
        return wishes
    if not days_left(wishes, now):
        raise Refused(No.NO_VACATION_LEFT)
    return gone(wishes, days, now)
