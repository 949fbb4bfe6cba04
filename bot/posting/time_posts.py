"""Posts about time: reminders, the question about a silent player, and who is away, back or stood in for."""

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing, Sender
from bot.service.tables import Table
from bot.views import times
from bot.views.languages import Languages, alone
from bot.views.names import NameBook
from bot.views.parts import CALM_COLOUR, address, said
from bot.views.table import turn_view
from data.store import OutboxRow, Store
from data.words import Words
from engine.table.next_up import NEXT_UP, next_person
from engine.table.posts import ABSENCE, ASKED_ON, UNASKED


class TimePosts:
    """Writes them, one method a kind of post."""

    def __init__(self, sender: Sender, store: Store, names: NameBook, languages: Languages) -> None:
        self._sender = sender
        self._store = store
        self._names = names
        self._languages = languages

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        asked = {ABSENCE: self.asked, ASKED_ON: self.asked_on, UNASKED: self.unasked}
        return {"remind": self.remind, NEXT_UP: self.next_up, "notice": self.notice, **asked}

    async def remind(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """A reminder, to the person alone where they asked for that. None once the turn is over, or they have it."""
        user_id = table.turn_user()
        watch = table.clock.watch
        if user_id is None or watch.began != row.body["began"] or watch.asking is not None or table.state.unsettled:
            return None
        words = await self._languages.at(table.head.guild_id)
        person = await self._store.person(user_id)
        mention = f"<@{user_id}>"
        if person.pings == "dm":
            own = alone(person, words)
            text = times.reminder_text(own, table, mention, address(table.head))
            direct = Outgoing(times.reminder_view(table, own), content=text)
            if await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is not None:
                return None
        text = times.reminder_text(words, table, mention, address(table.head))
        return Outgoing(times.reminder_view(table, words), content=text, rings=user_id)

    async def next_up(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """That somebody is next, to them alone where they asked for that. None once the turn before theirs is over."""
        turn, watch = table.head.turn, table.clock.watch
        if turn is None or turn.user is None or watch.began != row.body["began"] or table.clock.time.paused:
            return None
        seat = next_person(table.state, table.match, turn)
        user_id = None if seat is None else table.seats[seat].user_id
        if seat != row.body["seat"] or user_id is None:
            return None
        person = await self._store.person(user_id)
        if not person.preferences.next_up or person.pings == "none":
            return None
        words = await self._languages.at(table.head.guild_id)
        if person.pings == "dm":
            own = alone(person, words)
            content = own("direct.next_up", **await self._next_facts(table, turn.seat, own))
            direct = Outgoing(turn_view(table.head.match_id, own), content=content)
            if await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is not None:
                return None
        content = words("turn.next_up", mention=f"<@{user_id}>", **await self._next_facts(table, turn.seat, words))
        return Outgoing(turn_view(table.head.match_id, words), content=content, rings=user_id)

    async def _next_facts(self, table: Table, seat: int, words: Words) -> dict[str, str]:
        name = (await self._names.at(table, words)).safe[seat]
        return {"game": words(f"game.{table.terms.game}"), "name": name, "link": address(table.head)}

    async def asked(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The question about a silent player. None once it is answered."""
        if table.head.state != "open" or table.clock.watch.asking != row.body["asked"]:
            return None
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        return Outgoing(times.absence_view(table, names, words))

    async def asked_on(self, table: Table, row: OutboxRow) -> None:
        """The question about a silent player says until when it can be answered by now."""
        if table.head.state != "open" or table.clock.watch.asking != row.body["asked"]:
            return
        for asked in await self._store.standing_posts(row.match_id, ABSENCE):
            if asked.body["asked"] != row.body["asked"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            view = times.absence_view(table, await self._names.at(table, words), words)
            await self._sender.edit(self._sender.channel(asked.channel_id, table.head.guild_id), asked.message_id, view)

    async def unasked(self, table: Table, row: OutboxRow) -> None:
        """The question about a silent player says what became of it, and has no buttons any more."""
        for asked in await self._store.standing_posts(row.match_id, ABSENCE):
            if asked.body["asked"] != row.body["asked"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            name = (await self._names.at(table, words)).safe[int(row.body["seat"])]
            channel = self._sender.channel(asked.channel_id, table.head.guild_id)
            view = times.settled_view(words, name, str(row.body["outcome"]))
            await self._sender.edit(channel, asked.message_id, view)
            await self._store.over(asked)

    async def notice(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """A line about somebody, or about the table."""
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        text = times.notice_text(words, names, row.body)
        return Outgoing(said(f"-# {text}", colour=CALM_COLOUR))
