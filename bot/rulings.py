"""Posts about what moderators do: by whom, and why."""

from typing import Any

from discord import ui

from bot.letters import Letter
from bot.names import NameBook, safe
from bot.publish import Writer
from bot.service.absence import MODERATED
from bot.service.tables import Table
from bot.tongues import Tongues
from bot.views.ids import Press
from bot.views.parts import CALM, button, said
from data.store import OutboxRow, Store
from data.words import Words


class Rulings:
    """Writes them."""

    def __init__(self, store: Store, names: NameBook, tongues: Tongues) -> None:
        self._store = store
        self._names = names
        self._tongues = tongues

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {MODERATED: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Letter | None:
        """The post. None where nothing is known of the event it tells of."""
        acts = await self._store.moderations(row.match_id)
        act = next((one for one in acts if one.seq == row.body["seq"]), None)
        if act is None:
            return None
        words = await self._tongues.at(table.head.guild_id)
        name = words("name.somebody")
        if act.user_id is not None:
            name = (await self._names.people(table.head.guild_id, [act.user_id], words))[act.user_id]
        seat = act.seat
        player = "" if seat is None else (await self._names.at(table, words)).safe[seat]
        text = words(f"moderated.{act.kind}", name=name, player=player, reason=safe(act.reason))
        return Letter(said(text, _button(table, words), colour=CALM))


def _button(table: Table, words: Words) -> ui.Button[Any]:
    if table.head.state == "open":
        return button(words("board.text"), Press("text", table.head.match_id))
    return button(words("lobby.rules"), Press("rules", table.head.match_id))
