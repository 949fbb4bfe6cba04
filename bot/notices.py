"""Posts about time: reminders, the question about a silent player, and who is away, back or stood in for."""

from bot.letters import Letter, Postman, address
from bot.names import NameBook
from bot.publish import Writer
from bot.service.tables import Table
from bot.tongues import Tongues
from bot.views import absence
from bot.views.parts import CALM, said
from data.store import OutboxRow, Store


class Notices:
    """Writes them, one method a kind of post."""

    def __init__(self, postman: Postman, store: Store, names: NameBook, tongues: Tongues) -> None:
        self._postman = postman
        self._store = store
        self._names = names
        self._tongues = tongues

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {"remind": self.remind, "absence": self.asked, "notice": self.notice}

    async def remind(self, table: Table, row: OutboxRow) -> Letter | None:
        """A reminder, to the person alone where they asked for that. None once the turn is over, or they have it."""
        user_id = table.turn_user()
        watch = table.face.watch
        if user_id is None or watch.began != row.body["began"] or watch.asking is not None:
            return None
        words = await self._tongues.at(table.head.guild_id)
        person = await self._store.person(user_id)
        mention = f"<@{user_id}>"
        text = absence.reminder_text(words, table, mention, address(table.head))
        if person.pings == "dm":
            direct = Letter(absence.reminder_view(table, words), content=text)
            if await self._postman.send_direct(user_id, direct, nonce=row.nonce, tried=row.attempts > 0) is not None:
                return None
        return Letter(absence.reminder_view(table, words), content=text, rings=user_id)

    async def asked(self, table: Table, row: OutboxRow) -> Letter | None:
        """The question about a silent player. None once it is answered."""
        if table.head.state != "open" or table.face.watch.asking != row.body["asked"]:
            return None
        words = await self._tongues.at(table.head.guild_id)
        names = await self._names.at(table, words)
        asked, until = int(row.body["asked"]), int(row.body["until"])
        return Letter(absence.absence_view(table, names, asked, until, words))

    async def notice(self, table: Table, row: OutboxRow) -> Letter | None:
        """A line about somebody, or about the table."""
        words = await self._tongues.at(table.head.guild_id)
        names = await self._names.at(table, words)
        seat = row.body.get("seat")
        name = "" if seat is None else names.safe[int(seat)]
        text = absence.notice_text(words, str(row.body["key"]), name, int(row.body.get("until", 0)))
        return Letter(said(f"-# {text}", colour=CALM))
