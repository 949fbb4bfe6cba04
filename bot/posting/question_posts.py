"""Posts about what the people at a table agree on: the question itself, what became of it, and what it led to."""

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing, Sender
from bot.service.acts import Acts
from bot.service.tables import Table
from bot.views import agree
from bot.views.languages import Languages
from bot.views.names import NameBook
from bot.views.parts import CALM_COLOUR, Press, button, said
from data.store import QUESTION, OutboxRow, Store
from engine.table.commands import Lapse
from engine.table.posts import ANSWER, LAPSES, SETTLED


class QuestionPosts:
    """Writes them, one method a kind of post."""

    def __init__(self, sender: Sender, store: Store, names: NameBook, languages: Languages, acts: Acts) -> None:
        self._sender = sender
        self._store = store
        self._names = names
        self._languages = languages
        self._acts = acts

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {QUESTION: self.question, ANSWER: self.told, SETTLED: self.settled, LAPSES: self.lapses}

    async def question(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The question to those concerned. None where it is settled, or the match has gone on without it."""
        asked = table.question
        if asked is None or asked.number != row.body["number"]:
            return None
        words = await self._languages.at(table.head.guild_id)
        names = await self._names.at(table, words)
        person = await self._names.newcomer(table, asked.person, words)
        content, view = agree.call(table, asked, names, person, words)
        return Outgoing(view, content, rings=tuple(agree.concerned(table, asked)))

    async def told(self, table: Table, row: OutboxRow) -> Outgoing:
        """What a question led to."""
        words = await self._languages.at(table.head.guild_id)
        known = [row.body[who] for who in ("user", "person") if row.body.get(who) is not None]
        called = await self._names.people(table.head.guild_id, known, words)
        text = button(words("board.text"), Press("text", table.head.match_id))
        return Outgoing(said(agree.outcome_text(row.body, called, words), text, colour=CALM_COLOUR))

    async def settled(self, table: Table, row: OutboxRow) -> None:
        """The message that asked says what became of the question, and has no buttons any more."""
        for asked in await self._store.standing_posts(row.match_id, QUESTION):
            if asked.body["number"] != row.body["number"] or asked.message_id is None:
                continue
            words = await self._languages.at(table.head.guild_id)
            known = [row.body[who] for who in ("by", "owner", "person", "user") if row.body[who] is not None]
            called = await self._names.people(table.head.guild_id, known, words)
            channel = self._sender.channel(asked.channel_id, table.head.guild_id)
            await self._sender.reword(channel, asked.message_id, agree.settled_text(table, row.body, called, words))
            await self._store.over(asked)

    async def lapses(self, table: Table, row: OutboxRow) -> None:
        """Its time is over. What follows from that is another post."""
        await self._acts.act(table.head.match_id, Lapse(int(row.body["number"])))
