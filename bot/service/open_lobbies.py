"""The tables of a server that wait for people: those at which somebody could sit down at this moment."""

from collections.abc import Callable
from typing import Final

from bot.service.guild_settings import Guilds
from bot.service.tables import Table, Tables
from data.store import Store, TooMany
from engine.errors import RuleBroken
from engine.table import Refused, decide
from engine.table.commands import Join
from engine.table.evolve import Given

LOOKED_AT: Final = 100
"""So many lobbies of a server are looked through, the newest ones; a server allows no more tables unless it is told."""


class OpenLobbies:
    """Finds them. Nothing is written, and nothing is promised: whoever sits down comes the way everybody does."""

    def __init__(self, store: Store, tables: Tables, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._tables = tables
        self._guilds = guilds
        self._now = now

    async def of(self, guild_id: int, user_id: int, sees: Callable[[int], bool]) -> list[Table]:
        """The lobbies at which somebody may sit down, newest first. `sees` says of a channel whether they see it: of
        others nothing is read.
        """
        try:
            await self._store.check_limits(guild_id, await self._guilds.limits(guild_id, user_id))
        except TooMany:
            return []
        found = []
        for head in await self._store.lobbies(guild_id, LOOKED_AT):
            if not sees(head.channel_id):
                continue
            try:
                table = await self._tables.at(head)
            except Refused:
                continue  # what cannot be read is nobody's to sit at; the doctor tells of it
            if self.may_join(table, user_id):
                found.append(table)
        return found

    def may_join(self, table: Table, user_id: int) -> bool:
        """Whether somebody could sit down now: asked of the table itself, so that full ones, kept seats and whatever
        else it refuses are left out.
        """
        # The last seat would deal; what that comes to is kept nowhere and shown to nobody.
        given = Given(now=self._now(), secret=table.head.secret, rules=table.rules, match_id=table.head.match_id)
        try:
            decide(table.state, table.story, Join(user_id), given)
        except (Refused, RuleBroken):
            return False
        return True
