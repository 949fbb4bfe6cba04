"""The message of a season in its channel, and the calls to its matches.

A season has one message for each state, at the bottom of the channel. The store notes it before it is sent and until it
is deleted, so a crash leaves no second message.
"""

from collections.abc import Callable, Mapping

import discord

from bot.core.discord_errors import format_error_code, is_channel_error
from bot.core.languages import Languages, choose_direct_words
from bot.core.layout import format_board_link
from bot.core.logs import get_logger
from bot.core.names import NameCache
from bot.core.permissions import list_missing_permissions
from bot.core.pictures import build_file, draw_in_thread
from bot.core.safe_text import escape_text
from bot.leagues import views
from bot.leagues.service import LeagueSeason, LeagueService
from bot.leagues.tournament_views import build_bracket_drawing
from bot.leagues.views import build_fixture_call
from bot.sending.delivery_marks import compute_mark, mark_view
from bot.sending.sender import Outgoing, Sender
from bot.tables.move_labels import format_list
from bot.tables.service import Table
from data.store.leagues.seasons import SeasonHead, SeasonMessage
from data.store.leagues.store import SeasonStore
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table.preferences import is_away
from engine.table.refusals import RefusalError
from render.leagues.bracket_picture import render_bracket
from render.leagues.picture import render_league_table


class SeasonMessages:
    def __init__(self, sender: Sender, languages: Languages, names: NameCache) -> None:
        self._sender = sender
        self._languages = languages
        self._names = names

    async def build_message(self, league: LeagueSeason, unregistered: Mapping[int, bool]) -> Outgoing:
        """Return the message of a season; at sign-up it names the `unregistered` and mentions those who want that."""
        guild_id = league.head.guild_id
        words = await self._languages.load_guild_words(guild_id)
        names = await self.load_names(league, words)
        permissions = self.format_missing_permissions(league.head, words)
        if not league.season.divisions:
            unmentioned = [user for user, rings in unregistered.items() if not rings]
            known = await self._names.resolve_names(guild_id, unmentioned, words)
            invited = [known.get(user, f"<@{user}>") for user in unregistered]
            view = views.build_season_view(league, names, words, permissions=permissions, unregistered=invited)
            mentioned = [user for user, rings in unregistered.items() if rings and league.head.seq == 1]
            return Outgoing(view, pinged_users=mentioned or None)
        scheme = (await self._languages.load_guild_messages(guild_id)).scheme
        page = views.choose_page(league, None)
        alt = views.format_page_alt(league, page, names, words)
        image = await self.render_picture(league, page, names, words, scheme)
        view = views.build_season_view(league, names, words, alt=alt, permissions=permissions)
        return Outgoing(view, files=[build_file(views.LEAGUE_FILE, image, alt)])

    async def render_picture(
        self, league: LeagueSeason, division: int, player_names: views.SeasonNames, words: Words, scheme: str
    ) -> bytes:
        title = views.format_title(league, words, escaped=False)
        if league.season.conditions.kind == "knockout":
            on_hold = league.head.trouble is not None
            drawing = build_bracket_drawing(league.season, division, title, player_names.plain, words, on_hold=on_hold)
            return (await draw_in_thread(render_bracket, *drawing, scheme=scheme)).png
        heading = views.format_heading(league, division, words)
        columns = views.list_column_names(league, words)
        lines = views.build_picture_lines(league, division, player_names)
        return (await draw_in_thread(render_league_table, title, heading, columns, lines, scheme=scheme)).png

    async def load_names(self, league: LeagueSeason, words: Words) -> views.SeasonNames:
        """Return the names of a season's players."""
        user_ids = [user for user in league.user_ids.values() if user is not None]
        known = await self._names.resolve_plain_names(league.head.guild_id, user_ids, words)
        nobody = words("name.somebody")
        plain = {player: known.get(user or 0, nobody) for player, user in league.user_ids.items()}
        return views.SeasonNames({player: escape_text(name) for player, name in plain.items()}, plain)

    def format_missing_permissions(self, head: SeasonHead, words: Words) -> str:
        """Return the permissions that the bot lacks in the channel of a season, as text."""
        guild = self._sender.find_guild(head.guild_id)
        channel = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(channel, discord.TextChannel):
            return ""
        flags = list_missing_permissions(channel.permissions_for(guild.me), in_thread=False, opens_thread=True)
        return words("and.comma").join(words(f"permission.{flag}") for flag in flags)


log = get_logger(__name__)


class SeasonPosts:
    def __init__(
        self, sender: Sender, store: Store, book: LeagueService, messages: SeasonMessages, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._book = book
        self._messages = messages
        self._now = now

    async def show(self, league: LeagueSeason, *, force: bool) -> None:
        """Bring the message of a season up to date and delete its other messages."""
        head = league.head
        messages = await self._season_store.list_season_messages(head.season_id)
        expected = head.channel_id, head.state
        current = next((one for one in messages[-1:] if (one.channel_id, one.state) == expected), None)
        if force or current is None or current.message_id is None or head.shown_seq != head.seq:
            current = await self._update_message(league, current)
        for one in messages:
            if one.number != current.number:
                await self._delete_message(head, one)

    async def _update_message(self, league: LeagueSeason, current: SeasonMessage | None) -> SeasonMessage:
        """Edit or send the message of a season and return it. A message without a known result is looked for first."""
        head = league.head
        unregistered = {user: await self._wants_mention(user) for user in await self._book.list_unregistered(league)}
        channel = self._sender.get_channel(head.channel_id, head.guild_id)
        message_id = None if current is None else await self._find_message_id(channel, current)
        if current is not None and message_id is not None:
            outgoing = await self._messages.build_message(league, unregistered)
            # The next process finds it if this one cannot note it.
            mark_view(outgoing.view, compute_mark(current.nonce))
            if await self._sender.show(channel, message_id, outgoing):
                await self._season_store.note_season_shown(
                    current, message_id=message_id, before=head.shown_seq, seq=head.seq
                )
                return current
        if current is None or message_id is not None:
            current = await self._season_store.begin_season_message(head, now=self._now())
        outgoing = await self._messages.build_message(league, unregistered)
        sent = await self._sender.send(channel, outgoing, nonce=current.nonce, since=None)
        if sent is None:  # deleted by a user; the next event posts a new one
            await self._season_store.delete_season_message(current)
        else:
            await self._season_store.note_season_shown(current, message_id=sent.id, before=head.shown_seq, seq=head.seq)
        return current

    async def _find_message_id(self, channel: discord.PartialMessageable, message: SeasonMessage) -> int | None:
        if message.message_id is not None:
            return message.message_id
        arrived = await self._sender.find(channel, message.nonce, since=message.begun_at)
        return None if arrived is None else arrived.id

    async def _delete_message(self, head: SeasonHead, message: SeasonMessage) -> None:
        channel = self._sender.get_channel(message.channel_id, head.guild_id)
        try:
            message_id = await self._find_message_id(channel, message)
            if message_id is not None:
                await self._sender.delete(channel, message_id)
        except discord.HTTPException as error:
            if not is_channel_error(error):
                raise
            log.info("an old message of a league stays", code=format_error_code(error))
        await self._season_store.delete_season_message(message)

    async def _wants_mention(self, user_id: int) -> bool:
        person = await self._store.users.load_person(user_id)
        return person.pings == "channel" and not is_away(person.preferences, self._now())


class FixturePosts:
    def __init__(self, sender: Sender, store: Store, languages: Languages, book: LeagueService) -> None:
        self._sender = sender
        self._store = store
        self._languages = languages
        self._book = book

    async def build_call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the call to a match; None without the season, or if no player wants a mention in the channel."""
        try:
            league = await self._book.load(row.body["season"])
        except RefusalError:
            return None
        fixture = league.season.find_fixture(row.match_id)
        words = await self._languages.load_guild_words(table.head.guild_id)
        number = 1 if fixture is None else fixture.round + 1
        mentioned = []
        for user_id in row.body["users"]:
            if user_id is None:  # their data was erased
                continue
            person = await self._store.users.load_person(user_id)
            own_words = choose_direct_words(person, words)
            direct = Outgoing(*build_fixture_call(format_board_link(table.head), league, number, own_words))
            if person.pings == "dm":
                sent = await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.first_attempt_at)
                if sent is not None:
                    continue
            if person.pings != "none":
                mentioned.append(user_id)
        if not mentioned:
            return None
        mentions = format_list(words, [f"<@{user_id}>" for user_id in mentioned])
        return Outgoing(*build_fixture_call(mentions, league, number, words), pinged_users=tuple(mentioned))
