"""Posts about what moderators do: by whom, and why."""

from typing import Any

from discord import ui

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing
from bot.service.tables import Table
from bot.views.harmless import UNSAID, safe
from bot.views.languages import Languages
from bot.views.names import NameBook
from bot.views.parts import CALM_COLOUR, Press, button, said
from data.store import OutboxRow, Store
from data.words import Words
from engine.table.posts import RULING


class ModerationPosts:
    """Writes them."""

    def __init__(self, store: Store, names: NameBook, languages: Languages) -> None:
        self._store = store
        self._names = names
        self._languages = languages

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {RULING: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The post. None where nothing is known of the event it tells of."""
        act = await self._store.moderation(row.match_id, row.body["seq"])
        if act is None:
            return None
        words = await self._languages.at(table.head.guild_id)
        name = words("name.somebody")
        if act.user_id is not None:
            name = (await self._names.people(table.head.guild_id, [act.user_id], words))[act.user_id]
        seat = act.seat
        player = "" if seat is None else (await self._names.at(table, words)).safe[seat]
        text = words(f"moderated.{act.kind}", name=name, player=player, reason=safe(act.reason) or UNSAID)
        return Outgoing(said(text, _button(table, words), colour=CALM_COLOUR))


def _button(table: Table, words: Words) -> ui.Button[Any]:
    if table.head.state == "open":
        return button(words("board.text"), Press("text", table.head.match_id))
    return button(words("lobby.rules"), Press("rules", table.head.match_id))
