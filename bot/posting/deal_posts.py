"""What is told of sealed deals: how the tables compare, when one is opened; and the weekly ones, made in time."""

from collections.abc import Callable
from typing import Final

from bot.base.logs import logger
from bot.posting.announcer import Announcer
from bot.posting.publisher import Writer
from bot.posting.sending import Outgoing
from bot.service.deals import DuplicateDeals
from bot.service.tables import Table
from bot.views.deals import FIELD_FILE, field_drawn, field_view
from bot.views.languages import Languages
from bot.views.names import NameBook
from bot.views.pictures import drawn, file
from data.store import OutboxRow, SealedDeal, Store
from data.store.deals import DEAL

log = logger(__name__)

EVERY: Final = 30_000
"""Ms between two looks at what is due: nobody waits for a deal to be opened to the second."""


class DealPosts:
    """Opens deals in time, makes the weekly ones, and tells how the tables of one compare."""

    def __init__(
        self, deals: DuplicateDeals, store: Store, names: NameBook, languages: Languages, now: Callable[[], int]
    ) -> None:
        self._deals = deals
        self._store = store
        self._names = names
        self._languages = languages
        self._now = now
        self._looked: int | None = None

    @property
    def writers(self) -> dict[str, Writer]:
        """By the kind of post."""
        return {DEAL: self.compared}

    async def compared(self, table: Table, row: OutboxRow) -> Outgoing | None:
        """How the tables of a deal that was opened compare."""
        deal = await self._store.deal_numbered(int(row.body["deal"]))
        if deal is None or deal.opened_at is None:
            return None
        return await self.result(deal)

    async def result(self, deal: SealedDeal) -> Outgoing:
        """How the tables of a deal that is open compare, with its picture."""
        guild_id = deal.guild_id
        messages, field = await self._languages.messages_at(guild_id), await self._deals.field(deal)
        words = messages.words
        people = {one.line.user_id for one in field.placed if one.line.user_id is not None}
        plain = {user: await self._names.name(guild_id, user, words) for user in sorted(people)}
        made = await drawn(field_drawn, deal, field, plain, words, messages.scheme)
        view = field_view(deal, field, plain, words, "" if made is None else made[1])
        return Outgoing(view, files=[] if made is None else [file(FIELD_FILE, *made)])

    async def sweep(self, announcer: Announcer) -> None:
        """Open what is due, and make the weekly deals that are."""
        now = self._now()
        if self._looked is not None and 0 <= now - self._looked < EVERY:
            return
        self._looked = now
        for match_id in await self._deals.open_due():
            announcer.refresh(match_id)
        for deal in await self._deals.make_weekly():
            log.info("the weekly deal is made", server=deal.guild_id)
