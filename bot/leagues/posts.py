"""The message of a season in its channel, and the calls to its matches.

A season has one message for each state, at the bottom of the channel. The store notes it before it is sent and until it
is deleted, so a crash leaves no second message.
"""

from collections import Counter
from collections.abc import Callable, Mapping

import discord

from bot.core.discord_errors import code_of, is_closed
from bot.core.languages import Languages, alone
from bot.core.layout import address
from bot.core.logs import logger
from bot.core.names import NameBook
from bot.core.permissions import missing
from bot.core.pictures import drawn, file
from bot.core.safe_text import safe
from bot.leagues import views as leagues_views
from bot.leagues.service import LeagueBook, LeagueSeason
from bot.leagues.tournament_views import bracket_drawing
from bot.leagues.views import fixture_call
from bot.sending.delivery_marks import mark_of, put
from bot.sending.publisher import Writer
from bot.sending.sender import Outgoing, Sender
from bot.tables.move_labels import listed
from bot.tables.service import Table
from data.store.leagues.seasons import SeasonHead, SeasonMessage
from data.store.leagues.store import SeasonStore
from data.store.outbox.outbox_values import FIXTURE, OutboxRow
from data.store.store import Store
from data.words import Words
from engine.table.preferences import is_away
from engine.table.refusals import Refused
from render.leagues.bracket_picture import bracket_picture
from render.leagues.picture import league_picture


class SeasonMessages:
    def __init__(self, sender: Sender, languages: Languages, names: NameBook) -> None:
        self._sender = sender
        self._languages = languages
        self._names = names

    async def message(self, found: LeagueSeason, awaited: Mapping[int, bool]) -> Outgoing:
        """Return the message of a season. During sign-up it names the `awaited` and mentions those who want that."""
        words = await self._languages.at(found.head.guild_id)
        called = await self.called(found, words)
        lacking = self.lacking(found.head, words)
        if not found.season.divisions:
            names = [
                f"<@{user}>" if rings else safe(await self._names.name(found.head.guild_id, user, words))
                for user, rings in awaited.items()
            ]
            view = leagues_views.season_view(found, called, words, permissions=lacking, awaited=names)
            ringing = [user for user, rings in awaited.items() if rings and found.head.seq == 1]
            return Outgoing(view, rings=ringing or None)
        scheme = (await self._languages.messages_at(found.head.guild_id)).scheme
        page = leagues_views.page_of(found, None)
        alt = leagues_views.page_alt(found, page, called, words)
        image = await self.picture(found, page, called, words, scheme)
        view = leagues_views.season_view(found, called, words, alt=alt, permissions=lacking)
        return Outgoing(view, files=[file(leagues_views.LEAGUE_FILE, image, alt)])

    async def picture(
        self, found: LeagueSeason, division: int, called: leagues_views.SeasonNames, words: Words, scheme: str
    ) -> bytes:
        title = leagues_views.title_of(found, words, escaped=False)
        if found.season.conditions.kind == "knockout":
            held = found.head.trouble is not None
            what = bracket_drawing(found.season, division, title, called.plain, words, held=held)
            return (await drawn(bracket_picture, *what, scheme=scheme)).png
        heading = leagues_views.heading_of(found, division, words)
        lines = leagues_views.picture_lines(found, division, called)
        return (
            await drawn(league_picture, title, heading, leagues_views.column_names(found, words), lines, scheme=scheme)
        ).png

    async def called(self, found: LeagueSeason, words: Words) -> leagues_views.SeasonNames:
        """Return the names of a season's players. Equal names get numbers, in the order of sign-up."""
        nobody, plain = words("name.somebody"), {}
        for player, user in found.people.items():
            known = None if user is None else await self._names.name(found.head.guild_id, user, words)
            plain[player] = known or nobody
        often, so_far = Counter(plain.values()), Counter[str]()
        numbers = dict.fromkeys(plain, "")
        for player, name in sorted(plain.items()):
            if often[name] > 1 and name != nobody:
                so_far[name] += 1
                numbers[player] = f" ({so_far[name]})"
        return leagues_views.SeasonNames(
            {player: safe(name) + numbers[player] for player, name in plain.items()},
            {player: name + numbers[player] for player, name in plain.items()},
        )

    def lacking(self, head: SeasonHead, words: Words) -> str:
        """Return the permissions that the bot lacks in the channel of a season, as text."""
        guild = self._sender.guild(head.guild_id)
        place = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(place, discord.TextChannel):
            return ""
        flags = missing(place.permissions_for(guild.me), in_thread=False, opens_thread=True)
        return words("and.comma").join(words(f"permission.{flag}") for flag in flags)


log = logger(__name__)


class SeasonPosts:
    def __init__(
        self, sender: Sender, store: Store, book: LeagueBook, messages: SeasonMessages, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._book = book
        self._messages = messages
        self._now = now

    async def show(self, found: LeagueSeason, *, anew: bool) -> None:
        """Bring the message of a season up to date and delete its other messages."""
        head = found.head
        messages = await self._season_store.season_messages(head.season_id)
        here = head.channel_id, head.state
        standing = next((one for one in messages[-1:] if (one.channel_id, one.state) == here), None)
        if anew or standing is None or standing.message_id is None or head.shown_seq != head.seq:
            standing = await self._brought_up_to_date(found, standing)
        for one in messages:
            if one.number != standing.number:
                await self._take_down(head, one)

    async def _brought_up_to_date(self, found: LeagueSeason, standing: SeasonMessage | None) -> SeasonMessage:
        """Edit or send the message of a season and return it. A message without a known result is looked for first."""
        head = found.head
        awaited = {user: await self._rings(user) for user in await self._book.awaited(found)}
        channel = self._sender.channel(head.channel_id, head.guild_id)
        message_id = None if standing is None else await self._where(channel, standing)
        if standing is not None and message_id is not None:
            outgoing = await self._messages.message(found, awaited)
            put(outgoing.view, mark_of(standing.nonce))  # the next process finds it if this one cannot note it
            if await self._sender.show(channel, message_id, outgoing):
                await self._season_store.season_shown(
                    standing, message_id=message_id, before=head.shown_seq, seq=head.seq
                )
                return standing
        if standing is None or message_id is not None:
            standing = await self._season_store.begin_season_message(head, now=self._now())
        outgoing = await self._messages.message(found, awaited)
        sent = await self._sender.send(channel, outgoing, nonce=standing.nonce, since=None)
        if sent is None:  # deleted by a user; the next event posts a new one
            await self._season_store.forget_season_message(standing)
        else:
            await self._season_store.season_shown(standing, message_id=sent.id, before=head.shown_seq, seq=head.seq)
        return standing

    async def _where(self, channel: discord.PartialMessageable, message: SeasonMessage) -> int | None:
        if message.message_id is not None:
            return message.message_id
        arrived = await self._sender.find(channel, message.nonce, since=message.begun_at)
        return None if arrived is None else arrived.id

    async def _take_down(self, head: SeasonHead, message: SeasonMessage) -> None:
        channel = self._sender.channel(message.channel_id, head.guild_id)
        try:
            message_id = await self._where(channel, message)
            if message_id is not None:
                await self._sender.delete(channel, message_id)
        except discord.HTTPException as error:
            if not is_closed(error):
                raise
            log.info("an old message of a league stays", code=code_of(error))
        await self._season_store.forget_season_message(message)

    async def _rings(self, user_id: int) -> bool:
        person = await self._store.users.person(user_id)
        return person.pings == "channel" and not is_away(person.preferences, self._now())


class FixturePosts:
    def __init__(self, sender: Sender, store: Store, languages: Languages, book: LeagueBook) -> None:
        self._sender = sender
        self._store = store
        self._languages = languages
        self._book = book

    @property
    def writers(self) -> dict[str, Writer]:
        return {FIXTURE: self.call}

    async def call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """Return the call to a match; None without the season, or if no player wants a mention in the channel."""
        try:
            found = await self._book.season(row.body["season"])
        except Refused:
            return None
        fixture = found.season.fixture_of(row.match_id)
        words = await self._languages.at(table.head.guild_id)
        number = 1 if fixture is None else fixture.round + 1
        here = []
        for user_id in row.body["users"]:
            if user_id is None:  # their data was erased
                continue
            person = await self._store.users.person(user_id)
            view, content = fixture_call(address(table.head), found, number, alone(person, words))
            direct = Outgoing(view, content)
            if person.pings == "dm":
                sent = await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since)
                if sent is not None:
                    continue
            if person.pings != "none":
                here.append(user_id)
        if not here:
            return None
        view, content = fixture_call(listed(words, [f"<@{user_id}>" for user_id in here]), found, number, words)
        return Outgoing(view, content, rings=tuple(here))
