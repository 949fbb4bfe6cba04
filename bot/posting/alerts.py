"""Telling people, alone, that a table has opened: those who want it, when they want it, and of what they can see."""

import asyncio
from collections.abc import Callable
from typing import Final

from bot.base.discord_errors import FAILURES, code_of, wait_after
from bot.base.logs import bound, logger
from bot.base.requests import TooLate
from bot.posting.announcer import Announcer
from bot.posting.lease import kept
from bot.posting.sending import Outgoing, Sender
from bot.service.open_lobbies import OpenLobbies
from bot.service.tables import Table, Tables
from bot.views.alerts import alert
from bot.views.languages import Languages, alone
from bot.views.names import NameBook
from data.store import DatabaseTrouble, OutboxRow, Person, Store, StoreClosed, outbox
from data.store.shards import UNDIVIDED, Shards
from engine.table.preferences import is_away, quiet_until
from engine.table.refusals import Refused

log = logger(__name__)

AWAY: Final = 60_000
"""A server that is not there just now is looked at again after so many ms."""
AT_ONCE: Final = 20
"""So many people are told between two looks at who is to be told."""


class Alerts:
    """Sends them, beside everything else: whoever cannot be reached keeps no table and nobody else waiting."""

    def __init__(
        self,
        sender: Sender,
        store: Store,
        tables: Tables,
        lobbies: OpenLobbies,
        languages: Languages,
        names: NameBook,
        announcer: Announcer,
        now: Callable[[], int],
    ) -> None:
        self._sender = sender
        self._store = store
        self._tables = tables
        self._lobbies = lobbies
        self._languages = languages
        self._names = names
        self._announcer = announcer
        self._now = now
        self._running: asyncio.Task[None] | None = None

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Begin to tell those who are to be told by now of tables of these shards, unless that is being done."""
        if of and (self._running is None or self._running.done()):
            rows = await self._store.alerts_due(self._now(), AT_ONCE, of=of)
            if rows:
                self._running = asyncio.create_task(self._tell(rows))

    def abandon(self) -> None:
        """Cancel what is being told. Another client tells it later."""
        if self._running is not None:
            self._running.cancel()

    async def idle(self) -> None:
        """Wait until nobody is being told."""
        if self._running is not None and not self._running.done():
            await asyncio.wait([self._running])

    async def _tell(self, rows: list[OutboxRow]) -> None:
        for row in rows:
            with bound(match=row.match_id):
                try:
                    await self._tell_one(row)
                except StoreClosed:
                    log.info("the others are told after the next start")
                    return
                except FAILURES as error:
                    wait = wait_after(error, row.attempts)
                    log.warning("somebody could not be told yet", code=code_of(error), seconds=wait // 1000)
                    await self._store.put_off(row, self._now() + wait, now=self._now())
                except DatabaseTrouble:
                    log.info("the others are told when the database works again")
                    return
                except TooLate:
                    log.info("somebody else tells of a table by now")
                except Exception:
                    log.exception("somebody could not be told of a table")
                    await self._store.drop(row)

    async def _tell_one(self, row: OutboxRow) -> None:
        """Tell one person, if all that speaks against it does not: it is looked at now, not when the table opened."""
        user_id, now = row.body.get("user"), self._now()
        if user_id is None:  # they were forgotten
            await self._store.drop(row)
            return
        person = await self._store.person(user_id)
        preferences = person.preferences
        quiet = quiet_until(preferences, now)
        if quiet is not None:
            await self._store.put_off(row, quiet, now=now)
            return
        table = None if is_away(preferences, now) else await self._offered(row, user_id)
        if table is not None and self._sender.is_away(table.head.guild_id):
            # Who may see what there is not known yet.
            await self._store.put_off(row, now + AWAY, now=now)
            return
        if not await self._store.take(row, now=now):
            return
        async with kept(self._store, [row], now + outbox.LEASE, self._now) as held:
            with held.only(row):
                await self._say(row, person, table, now)

    async def _say(self, row: OutboxRow, person: Person, table: Table | None, now: int) -> None:
        if table is None or not await self._store.note_told(person.user_id, row.match_id, now=now):
            await self._store.drop(row)
        else:
            await self._write(row, person, table)

    async def _write(self, row: OutboxRow, person: Person, table: Table) -> None:
        user_id, words = person.user_id, alone(person, await self._languages.at(table.head.guild_id))
        host = (await self._names.people(table.head.guild_id, [table.head.host_id], words))[table.head.host_id]
        view, content = alert(table, self._sender.server(table.head.guild_id), host, words)
        sent = await self._sender.send_direct(user_id, Outgoing(view, content), nonce=row.nonce, since=row.tried_since)
        if sent is None:
            await self._store.out_of_reach(user_id)
            await self._store.drop(row)
        else:
            await self._store.mark_sent(row, sent.id)

    async def _offered(self, row: OutboxRow, user_id: int) -> Table | None:
        """The table, where this person still wants to hear of it, sees its channel and could sit down there."""
        try:
            table = await self._tables.load(row.match_id)
        except Refused:
            return None
        head = table.head
        wanted = (await self._store.alerts_wanted(user_id, head.guild_id)).get(head.game, False)
        if not wanted or head.state != "lobby" or self._announcer.is_closed(head.match_id):
            return None
        # For whom a seat is kept, or whom the host has called before, has been told otherwise.
        if user_id in table.state.guests.called or not self._lobbies.may_join(table, user_id):
            return None
        if self._sender.is_away(head.guild_id):
            return table
        return table if await self._sender.sees(head.guild_id, head.channel_id, user_id) else None
