"""Posts about what the people at a table agree on: the question itself, a no, and a seat that changed hands."""

from bot.letters import Letter
from bot.names import NameBook
from bot.publish import Writer
from bot.service.agreements import POST
from bot.service.proposals import standing
from bot.service.tables import Table
from bot.views import agree
from bot.views.ids import Press
from bot.views.parts import CALM, button, said
from data.store import OutboxRow
from data.words import Words


class Questions:
    """Writes them."""

    def __init__(self, names: NameBook, words: Words) -> None:
        self._names = names
        self._words = words

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {POST: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Letter | None:
        """The post. None for a question that is settled, or that the match has gone on without."""
        if row.body["key"] != "asked":
            known = [row.body[who] for who in ("user", "person") if row.body.get(who) is not None]
            called = await self._names.people(table.head.guild_id, known, self._words)
            text = button(self._words("board.text"), Press("text", table.head.match_id))
            return Letter(said(agree.outcome(row.body, called, self._words), text, colour=CALM))
        proposal = standing(table) if table.head.state == "open" else None
        if proposal is None or proposal.number != row.body["number"]:
            return None
        names = await self._names.at(table, self._words)
        person = await self._names.newcomer(table, proposal.person, self._words)
        content, view = agree.call(table, proposal, names, person, self._words)
        return Letter(view, content, rings=tuple(agree.concerned(table, proposal)))
