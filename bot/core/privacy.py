"""Data export and deletion, for users and guilds."""

from collections.abc import Mapping
from typing import Any, Final

from bot.tables.acts import Acts, Now
from data.store.connection.shards import UNDIVIDED, Shard, Shards
from data.store.store import Store
from engine.table.commands import Leave
from engine.table.refusals import No, Refused
from engine.table.table_state import RUNNING
from engine.table.terms import DAY, HOUR

KEPT_AFTER_LEAVING: Final = 30 * DAY  # time for the bot to be invited again


class Privacy:
    def __init__(self, store: Store, acts: Acts, now: Now) -> None:
        self._store = store
        self._acts = acts
        self._now = now
        self._settled: set[Shard] = set()
        self._again_at = 0

    async def export(self, user_id: int) -> Mapping[str, Any]:
        return {"user_id": user_id, "at": self._now(), **await self._store.erasure.held(user_id)}

    async def delete(self, user_id: int) -> tuple[int, ...]:
        """Delete a user's data; they leave their tables and matches first. Idempotent. Returns the changed tables."""
        changed = await self._forget(user_id)
        await self._store.scrub()
        return changed

    async def _forget(self, user_id: int) -> tuple[int, ...]:
        left: set[int] = set()
        while True:
            sits = [head.match_id for head in await self._store.matches.heads_of_user(user_id, RUNNING)]
            for match_id in dict.fromkeys((*sits, *await self._store.matches.lobbies_naming(user_id))):
                # This puts an unreadable table in quarantine, where it has no players.
                try:
                    await self._acts.act(match_id, Leave(user_id, forgotten=True))
                except Refused as refused:
                    if refused.why is not No.SET_ASIDE:
                        raise
                left.add(match_id)
            # False if the user has joined a table or got an invitation in the meantime.
            if await self._store.erasure.forget(user_id, left=left, now=self._now()):
                return tuple(sorted(left))

    async def delete_again(self, known: Mapping[str, int]) -> int:
        """Repeat deletions after a backup was restored, by later fingerprints that it lacks; return their number."""
        mine = await self._store.erasure.forgotten()
        later = {mark: at for mark, at in known.items() if mine.get(mark, 0) < at}
        gone = await self._store.erasure.recognised(later) if later else []
        for user_id in gone:
            await self._forget(user_id)
        await self._store.erasure.keep_forgotten(later)
        await self._store.scrub()
        return len(gone)

    async def welcomed(self, guild_id: int) -> None:
        """Cancel the deletion of a guild's data: the bot is a member again."""
        if (await self._store.guilds.guild(guild_id)).left_at is not None:
            await self._store.guilds.guild_left(guild_id, None, now=self._now())

    async def sent_away(self, guild_id: int) -> None:
        """Note that the bot left a guild. Its data is deleted 30 days later."""
        await self._store.guilds.guild_left(guild_id, self._now(), now=self._now())

    async def present(self, guild_ids: set[int], of: Shards = UNDIVIDED) -> None:
        """Reconcile the guilds of these shards with Discord, after events that were missed."""
        for guild_id in await self._store.guilds.guilds_known() - guild_ids:
            if of.holds(guild_id):
                await self.sent_away(guild_id)
        for guild_id in set(await self._store.guilds.guilds_left(self._now())) & guild_ids:
            await self.welcomed(guild_id)
        self._settled |= set(of)

    async def tidy(self) -> tuple[int, ...]:
        """Delete overdue data once an hour; return the guilds. Shards wait for `present`: a guild may be back."""
        now = self._now()
        if not self._settled or now < self._again_at:
            return ()
        self._again_at = now + HOUR
        by = now - KEPT_AFTER_LEAVING
        left = await self._store.guilds.guilds_left(by)
        gone = [guild_id for guild_id in left if any(shard.holds(guild_id) for shard in self._settled)]
        for guild_id in gone:
            await self._store.guilds.purge_guild(guild_id, left_by=by)
        await self._store.scrub()
        return tuple(gone)
