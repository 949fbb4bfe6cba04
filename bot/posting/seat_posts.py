"""The posts about seats that are kept: a call, once, each the way they want it; and that it has had its time."""

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing, Sender
from bot.service.tables import Table
from bot.views.languages import Languages, alone
from bot.views.lobby import invitation
from bot.views.names import NameBook
from bot.views.parts import address
from bot.views.sentences import listed
from data.store import OutboxRow, Store
from engine.table.posts import ANSWERED, INVITATION


class SeatPosts:
    """Writes them."""

    def __init__(self, sender: Sender, store: Store, names: NameBook, languages: Languages) -> None:
        self._sender = sender
        self._store = store
        self._names = names
        self._languages = languages

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {INVITATION: self.call, ANSWERED: self.settled}

    async def call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The call to those who have not answered yet. None where nobody is left to be called in the channel."""
        kept = table.guests.kept
        called = [user_id for user_id in row.body["users"] if user_id in kept]
        if table.head.state != "lobby" or not called:
            return None
        words, guild_id = await self._languages.at(table.head.guild_id), table.head.guild_id
        host = (await self._names.people(guild_id, [table.head.host_id], words))[table.head.host_id]
        until, link = min(kept[user_id] for user_id in called), address(table.head)
        here = []
        for user_id in called:
            person = await self._store.person(user_id)
            content, view = invitation(table, f"<@{user_id}>", host, until, link, alone(person, words))
            direct = Outgoing(view, content)
            if person.pings == "channel" or (
                person.pings == "dm"
                and await self._sender.send_direct(user_id, direct, nonce=row.nonce, since=row.tried_since) is None
            ):
                here.append(user_id)
        if not here:
            return None
        mentions = listed(words, [f"<@{user_id}>" for user_id in here])
        content, view = invitation(table, mentions, host, until, link, words)
        return Outgoing(view, content, rings=tuple(here))

    async def settled(self, table: Table, row: OutboxRow) -> None:
        """Calls stop calling when none of those they name is waited for any more."""
        words, guild_id = await self._languages.at(table.head.guild_id), table.head.guild_id
        for call in await self._store.standing_posts(row.match_id, INVITATION, alone=True):
            users = [user_id for user_id in call.body["users"] if user_id is not None]
            if any(user_id in table.guests.kept for user_id in users):
                continue
            for user_id in users:
                person = await self._store.person(user_id)
                if person.pings == "dm":
                    told = alone(person, words)("lobby.call_over_alone", link=address(table.head))
                    await self._sender.reword_direct(user_id, call.nonce, told, since=call.created_at)
            if call.message_id is None:
                await self._store.over(call)
                continue
            # The host may be another one by now. Of people who were forgotten nobody knows the name.
            names = await self._names.people(guild_id, users, words)
            told = words("lobby.call_over", people=listed(words, list(names.values())) or words("name.somebody"))
            await self._sender.reword(self._sender.channel(call.channel_id, guild_id), call.message_id, told)
            await self._store.over(call)
