"""Direct messages about new tables, to users who want them and can see the table."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import discord
from discord import ui

from bot.core.discord_errors import FAILURES, TooLate, code_of, wait_after
from bot.core.formats import pace_text
from bot.core.languages import Languages, alone
from bot.core.layout import Press, address, button
from bot.core.logs import bound, logger
from bot.core.names import NameBook
from bot.core.safe_text import safe
from bot.sending.announcer import Announcer
from bot.sending.post_lease import kept
from bot.sending.sender import Outgoing, Sender
from bot.tables import move_labels
from bot.tables.lobby_views import reading_text
from bot.tables.service import OpenLobbies, Table, Tables
from data.rulebook import games
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.outbox import outbox
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table.preferences import Person, is_away, quiet_until
from engine.table.refusals import Refused


def lobby_facts(table: Table, words: Words) -> str:
    terms = table.terms
    notes = [reading_text(terms, words), move_labels.target_text(words, table.rules)]
    notes += [words("tables.open_seats", taken=len(table.seats), seats=terms.seats), pace_text(words, terms.pace)]
    notes += [] if table.state.rated else [words("board.unrated")]
    return " · ".join(notes)


def alert(table: Table, server: str, host: str, words: Words) -> tuple[ui.View, str]:
    game, terms, link = words(f"game.{table.terms.game}"), lobby_facts(table, words), address(table.head)
    content = words("alerts.opened", server=safe(server), game=game, name=host, terms=terms, link=link)
    view = ui.View(timeout=None)
    view.add_item(button(words("alerts.stop"), Press("unalert", table.head.match_id)))
    view.stop()
    return view, content


def wanted_text(wanted: Mapping[str, bool], words: Words) -> str:
    """Format the games of a user's alerts on this server, and what prevents them."""
    names = [words(f"game.{game}") for game, reached in wanted.items() if reached]
    if wanted and not names:
        return words("alerts.unreached")
    return words("alerts.on", games=move_labels.listed(words, names)) if names else words("alerts.off")


def game_buttons(wanted: Mapping[str, bool], words: Words) -> list[ui.Button[ui.LayoutView]]:
    """Return a button for each game, highlighted if alerts are on. The label says what pressing it does."""
    lit = "alerts.drop", "off", discord.ButtonStyle.success
    unlit = "alerts.add", "on", discord.ButtonStyle.secondary
    return [
        button(words(key, game=words(f"game.{game}")), Press("alerts", argument=f"{game}.{switch}"), style=style)
        for game in games()
        for key, switch, style in [lit if wanted.get(game) else unlit]
    ]


log = logger(__name__)

AWAY: Final = 60_000  # ms before an unavailable server is checked again
AT_ONCE: Final = 20  # alerts sent per sweep


@dataclass(eq=False, repr=False)
class Alerts:
    """Sends alerts in the background: an unreachable user delays no table and no other user."""

    _sender: Sender
    _store: Store
    _tables: Tables
    _lobbies: OpenLobbies
    _languages: Languages
    _names: NameBook
    _announcer: Announcer
    _now: Callable[[], int]
    _running: asyncio.Task[None] | None = None

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Start to send the due alerts of these shards, unless that is running."""
        if of and (self._running is None or self._running.done()):
            rows = await self._store.alerts.alerts_due(self._now(), AT_ONCE, of=of)
            if rows:
                self._running = asyncio.create_task(self._alert_all(rows))

    def abandon(self) -> None:
        """Cancel the running alerts. Another client sends them later."""
        if self._running is not None:
            self._running.cancel()

    async def idle(self) -> None:
        if self._running is not None and not self._running.done():
            await asyncio.wait([self._running])

    async def _alert_all(self, rows: list[OutboxRow]) -> None:
        for row in rows:
            with bound(match=row.match_id):
                try:
                    await self._alert_one(row)
                except StoreClosed:
                    log.info("the others are told after the next start")
                    return
                except FAILURES as error:
                    wait = wait_after(error, row.attempts)
                    log.warning("somebody could not be told yet", code=code_of(error), seconds=wait // 1000)
                    await self._store.outbox.put_off(row, self._now() + wait, now=self._now())
                except DatabaseUnavailable:
                    log.info("the others are told when the database works again")
                    return
                except TooLate:
                    log.info("somebody else tells of a table by now")
                except Exception:
                    log.exception("somebody could not be told of a table")
                    await self._store.outbox.drop(row)

    async def _alert_one(self, row: OutboxRow) -> None:
        """Alert one user if nothing prevents it now, whatever was true when the table opened."""
        user_id, now = row.body.get("user"), self._now()
        if user_id is None:  # the user was deleted
            await self._store.outbox.drop(row)
            return
        person = await self._store.users.person(user_id)
        preferences = person.preferences
        quiet = quiet_until(preferences, now)
        if quiet is not None:
            await self._store.outbox.put_off(row, quiet, now=now)
            return
        table = None if is_away(preferences, now) else await self._table_to_offer(row, user_id)
        if table is not None and self._sender.is_away(table.head.guild_id):
            # The channels that the user sees are not known yet.
            await self._store.outbox.put_off(row, now + AWAY, now=now)
            return
        if not await self._store.outbox.take(row, now=now):
            return
        async with kept(self._store, [row], now + outbox.LEASE, self._now) as held:
            with held.only(row):
                if table is None or not await self._store.alerts.note_told(user_id, row.match_id, now=now):
                    await self._store.outbox.drop(row)
                else:
                    await self._write(row, person, table)

    async def _write(self, row: OutboxRow, person: Person, table: Table) -> None:
        user_id, words = person.user_id, alone(person, await self._languages.at(table.head.guild_id))
        host = (await self._names.people(table.head.guild_id, [table.head.host_id], words))[table.head.host_id]
        view, content = alert(table, self._sender.server(table.head.guild_id), host, words)
        sent = await self._sender.send_direct(user_id, Outgoing(view, content), nonce=row.nonce, since=row.tried_since)
        if sent is None:
            await self._store.alerts.out_of_reach(user_id)
            await self._store.outbox.drop(row)
        else:
            await self._store.outbox.mark_sent(row, sent.id)

    async def _table_to_offer(self, row: OutboxRow, user_id: int) -> Table | None:
        """Return the table if the user still wants alerts of it, sees its channel and could join."""
        try:
            table = await self._tables.load(row.match_id)
        except Refused:
            return None
        head = table.head
        wanted = (await self._store.alerts.alerts_wanted(user_id, head.guild_id)).get(head.game, False)
        if not wanted or head.state != "lobby" or self._announcer.is_closed(head.match_id):
            return None
        # Users with a reserved seat, or called by the host before, were notified already.
        if user_id in table.state.guests.called or not self._lobbies.may_join(table, user_id):
            return None
        if self._sender.is_away(head.guild_id):
            return table
        return table if await self._sender.sees(head.guild_id, head.channel_id, user_id) else None
