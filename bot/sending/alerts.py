"""Direct messages about new tables, to users who want them and can see the table."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import discord
from discord import ui
from structlog.contextvars import bound_contextvars

from bot.core.discord_errors import REQUEST_ERRORS, LeaseLost, compute_retry_delay, format_error_code
from bot.core.formats import format_pace
from bot.core.languages import Languages, choose_direct_words
from bot.core.layout import CustomId, build_button, build_plain_view, format_board_link
from bot.core.logs import get_logger
from bot.core.names import NameCache
from bot.core.safe_text import escape_text
from bot.sending.announcer import Announcer
from bot.sending.post_lease import open_lease
from bot.sending.sender import Outgoing, Sender
from bot.tables import move_labels
from bot.tables.lobby_views import format_reading
from bot.tables.service import LobbyFinder, Table, TableCache
from data.rulebook import list_games
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.outbox import outbox
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table.preferences import Person, find_quiet_end, is_away
from engine.table.refusals import RefusalError


def format_lobby_facts(table: Table, words: Words) -> str:
    terms = table.terms
    notes = [format_reading(terms, words), move_labels.format_target(words, table.rules)]
    notes += [words("tables.open_seats", taken=len(table.seats), seats=terms.seats), format_pace(words, terms.pace)]
    notes += [] if table.state.is_rated else [words("board.unrated")]
    return " · ".join(notes)


def build_alert(table: Table, server: str, host: str, words: Words) -> tuple[ui.View, str]:
    facts = {"game": words(f"game.{table.terms.game}"), "terms": format_lobby_facts(table, words)}
    link = format_board_link(table.head)
    content = words("alerts.opened", server=escape_text(server), name=host, link=link, **facts)
    stop = build_button(words("alerts.stop"), CustomId("unalert", table.head.match_id))
    return build_plain_view(stop), content


def format_alerts(reached_by_game: Mapping[str, bool], words: Words) -> str:
    """Format the games of a user's alerts on this server, and what prevents them."""
    names = [words(f"game.{game}") for game, reached in reached_by_game.items() if reached]
    if reached_by_game and not names:
        return words("alerts.unreached")
    return words("alerts.on", games=move_labels.format_list(words, names)) if names else words("alerts.off")


def build_game_buttons(reached_by_game: Mapping[str, bool], words: Words) -> list[ui.Button[ui.LayoutView]]:
    """Return a button for each game, highlighted if alerts are on. The label says what pressing it does."""
    buttons = []
    for game in list_games():
        is_on, name = reached_by_game.get(game), words(f"game.{game}")
        label = words("alerts.drop" if is_on else "alerts.add", game=name)
        press = CustomId("alerts", argument=f"{game}.{'off' if is_on else 'on'}")
        style = discord.ButtonStyle.success if is_on else discord.ButtonStyle.secondary
        buttons.append(build_button(label, press, style=style))
    return buttons


log = get_logger(__name__)

UNAVAILABLE_RETRY_MS: Final = 60_000  # ms before an unavailable server is checked again
BATCH_SIZE: Final = 20  # alerts sent per sweep


@dataclass(eq=False, repr=False)
class Alerts:
    """Sends alerts in the background: an unreachable user delays no table and no other user."""

    _sender: Sender
    _store: Store
    _tables: TableCache
    _lobbies: LobbyFinder
    _languages: Languages
    _names: NameCache
    _announcer: Announcer
    _now: Callable[[], int]
    _running: asyncio.Task[None] | None = None

    async def sweep(self, shards: Shards = UNSHARDED) -> None:
        """Start to send the due alerts of these shards, unless that is running."""
        if shards and (self._running is None or self._running.done()):
            rows = await self._store.alerts.list_due_alerts(self._now(), BATCH_SIZE, of=shards)
            if rows:
                self._running = asyncio.create_task(self._alert_all(rows))

    def abandon(self) -> None:
        """Cancel the running alerts. Another client sends them later."""
        if self._running is not None:
            self._running.cancel()

    async def wait_until_idle(self) -> None:
        if self._running is not None and not self._running.done():
            await asyncio.wait([self._running])

    async def _alert_all(self, rows: list[OutboxRow]) -> None:
        for row in rows:
            with bound_contextvars(match=row.match_id):
                try:
                    await self._alert_one(row)
                except StoreClosed:
                    log.info("the others are told after the next start")
                    return
                except REQUEST_ERRORS as error:
                    wait = compute_retry_delay(error, row.attempts)
                    log.warning("somebody could not be told yet", code=format_error_code(error), seconds=wait // 1000)
                    await self._store.outbox.postpone(row, self._now() + wait, now=self._now())
                except DatabaseUnavailable:
                    log.info("the others are told when the database works again")
                    return
                except LeaseLost:
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
        person = await self._store.users.load_person(user_id)
        preferences = person.preferences
        quiet = find_quiet_end(preferences, now)
        if quiet is not None:
            await self._store.outbox.postpone(row, quiet, now=now)
            return
        table = None if is_away(preferences, now) else await self._find_offered_table(row, user_id)
        if table is not None and self._sender.is_unavailable(table.head.guild_id):
            # The channels that the user sees are not known yet.
            await self._store.outbox.postpone(row, now + UNAVAILABLE_RETRY_MS, now=now)
            return
        if not await self._store.outbox.lease(row, now=now):
            return
        async with open_lease(self._store, [row], now + outbox.LEASE, self._now) as lease:
            with lease.guard(row):
                if table is None or not await self._store.alerts.note_alert(user_id, row.match_id, now=now):
                    await self._store.outbox.drop(row)
                else:
                    await self._write(row, person, table)

    async def _write(self, row: OutboxRow, person: Person, table: Table) -> None:
        guild_id, host_id = table.head.guild_id, table.head.host_id
        words = choose_direct_words(person, await self._languages.load_guild_words(guild_id))
        host = (await self._names.resolve_names(guild_id, [host_id], words))[host_id]
        alert = Outgoing(*build_alert(table, self._sender.get_guild_name(guild_id), host, words))
        since = row.first_attempt_at
        sent = await self._sender.send_direct(person.user_id, alert, nonce=row.nonce, since=since)
        if sent is None:
            await self._store.alerts.note_unreachable(person.user_id)
            await self._store.outbox.drop(row)
        else:
            await self._store.outbox.note_sent(row, sent.id)

    async def _find_offered_table(self, row: OutboxRow, user_id: int) -> Table | None:
        """Return the table if the user still wants alerts of it, sees its channel and could join."""
        try:
            table = await self._tables.load(row.match_id)
        except RefusalError:
            return None
        head = table.head
        is_wanted = (await self._store.alerts.load_subscriptions(user_id, head.guild_id)).get(head.game, False)
        if not is_wanted or head.state != "lobby" or self._announcer.is_closed(head.match_id):
            return None
        # Users with a reserved seat, or called by the host before, were notified already.
        if user_id in table.state.guests.invited or not self._lobbies.can_join(table, user_id):
            return None
        if self._sender.is_unavailable(head.guild_id):
            return table
        return table if await self._sender.can_user_see(head.guild_id, head.channel_id, user_id) else None
