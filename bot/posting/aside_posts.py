"""Posts about a table whose log cannot be read: that it is set aside, that it goes on, that a moderator closed it."""

from discord import ui

from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing
from bot.service.tables import Table
from bot.views.harmless import UNSAID, safe
from bot.views.languages import Languages
from bot.views.names import NameBook
from bot.views.parts import CALM_COLOUR, said
from bot.views.sentences import listed
from data.store import Head, OutboxRow, Store
from engine.table.posts import ASIDE


class AsidePosts:
    """Writes them. They name whom the table has to do with, so that Discord tells them."""

    def __init__(self, store: Store, names: NameBook, languages: Languages) -> None:
        self._store = store
        self._names = names
        self._languages = languages

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {ASIDE: self.write}

    async def write(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """The post. None where the table has been closed since, or can be read and that is told already."""
        if "ended" in row.body:
            return await self._ended(table.head, row.body["ended"])
        aside, back = await self._store.aside_of(row.match_id), bool(row.body.get("back"))
        if back != (aside is None) or (aside is not None and aside.state not in ("lobby", "open")):
            return None
        words = await self._languages.at(table.head.guild_id)
        sitting = [one.user_id for one in await self._store.seats(row.match_id) if one.user_id is not None]
        people = list(dict.fromkeys([table.head.host_id, *sitting] if table.head.host_id else sitting))
        text = words("trouble.reads_again" if back else "trouble.set_aside", match=row.match_id)
        view = ui.LayoutView(timeout=None)
        called = listed(words, [f"<@{user_id}>" for user_id in people])
        view.add_item(ui.TextDisplay(f"{called}\n{text}" if people else text))
        return Outgoing(view, rings=people)

    async def _ended(self, head: Head, seq: int) -> Outgoing | None:
        """By whom and why. None where that cannot be read either."""
        ruling = await self._store.moderation(head.match_id, seq)
        if ruling is None:
            return None
        words = await self._languages.at(head.guild_id)
        name = words("name.somebody")
        if ruling.user_id is not None:
            name = (await self._names.people(head.guild_id, [ruling.user_id], words))[ruling.user_id]
        reason = safe(ruling.reason) or UNSAID
        text = words("trouble.aside_ended", match=head.match_id, name=name, reason=reason)
        return Outgoing(said(text, colour=CALM_COLOUR))
