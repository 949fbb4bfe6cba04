"""The call to those whose match of a league has begun: once, each the way they want it."""

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing, Sender
from bot.service.leagues import LeagueBook
from bot.service.tables import Table
from bot.views.languages import Languages, alone
from bot.views.league import fixture_call
from bot.views.parts import address
from bot.views.sentences import listed
from data.store import OutboxRow, Store
from data.store.posts import FIXTURE
from engine.table.refusals import Refused


class FixturePosts:
    """Writes it."""

    def __init__(self, sender: Sender, store: Store, languages: Languages, book: LeagueBook) -> None:
        self._sender = sender
        self._store = store
        self._languages = languages
        self._book = book

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {FIXTURE: self.call}

    async def call(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The call. None where the season is gone, or nobody is to be called in the channel."""
        try:
            found = await self._book.season(row.body["season"])
        except Refused:
            return None
        fixture = found.season.fixture_of(row.match_id)
        words = await self._languages.at(table.head.guild_id)
        number = 1 if fixture is None else fixture.round + 1
        here = []
        for user_id in row.body["users"]:
            if user_id is None:  # they were forgotten
                continue
            person = await self._store.person(user_id)
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
