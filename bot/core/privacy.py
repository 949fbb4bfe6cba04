"""Data export and deletion, for users and guilds."""

from collections.abc import Mapping
from typing import Any, Final

from bot.tables.acts import Now, TableActions
from data.store.connection.shards import UNSHARDED, Shard, Shards
from data.store.store import Store
from engine.table.commands import LeaveTable
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import RUNNING
from engine.table.terms import DAY, HOUR

RETENTION_AFTER_LEAVING: Final = 30 * DAY  # time for the bot to be invited again


class Privacy:
    def __init__(self, store: Store, acts: TableActions, now: Now) -> None:
        self._store = store
        self._acts = acts
        self._now = now
        self._reconciled: set[Shard] = set()
        self._next_purge_at = 0

    async def export(self, user_id: int) -> Mapping[str, Any]:
        return {"user_id": user_id, "at": self._now(), **await self._store.erasure.export_user(user_id)}

    async def delete(self, user_id: int) -> tuple[int, ...]:
        """Delete a user's data; they leave their tables and matches first. Idempotent. Returns the changed tables."""
        changed = await self._forget(user_id)
        await self._store.scrub()
        return changed

    async def _forget(self, user_id: int) -> tuple[int, ...]:
        left: set[int] = set()
        while True:
            seated_matches = [head.match_id for head in await self._store.matches.list_heads_of_user(user_id, RUNNING)]
            invitations = await self._store.matches.list_lobbies_with_user(user_id)
            for match_id in dict.fromkeys([*seated_matches, *invitations]):
                # This puts an unreadable table in quarantine, where it has no players.
                try:
                    await self._acts.act(match_id, LeaveTable(user_id, deletes_data=True))
                except RefusalError as refused:
                    if refused.why is not Refusal.SET_ASIDE:
                        raise
                left.add(match_id)
            # False if the user has joined a table or got an invitation in the meantime.
            if await self._store.erasure.erase_user(user_id, left_match_ids=left, now=self._now()):
                return tuple(sorted(left))

    async def repeat_deletions(self, deletions: Mapping[str, int]) -> int:
        """Repeat deletions after a backup was restored, by later fingerprints that it lacks; return their number."""
        own_deletions = await self._store.erasure.load_fingerprints()
        missing = {mark: at for mark, at in deletions.items() if own_deletions.get(mark, 0) < at}
        user_ids = await self._store.erasure.list_users_by_fingerprint(missing) if missing else []
        for user_id in user_ids:
            await self._forget(user_id)
        await self._store.erasure.save_fingerprints(missing)
        await self._store.scrub()
        return len(user_ids)

    async def note_joined(self, guild_id: int) -> None:
        """Cancel the deletion of a guild's data: the bot is a member again."""
        if (await self._store.guilds.load_guild(guild_id)).left_at is not None:
            await self._store.guilds.note_guild_left(guild_id, None, now=self._now())

    async def note_left(self, guild_id: int) -> None:
        """Note that the bot left a guild. Its data is deleted 30 days later."""
        await self._store.guilds.note_guild_left(guild_id, self._now(), now=self._now())

    async def reconcile_guilds(self, guild_ids: set[int], shards: Shards = UNSHARDED) -> None:
        """Reconcile the guilds of these shards with Discord, after events that were missed."""
        for guild_id in await self._store.guilds.list_known_guilds() - guild_ids:
            if shards.has_guild(guild_id):
                await self.note_left(guild_id)
        for guild_id in set(await self._store.guilds.list_left_guilds(self._now())) & guild_ids:
            await self.note_joined(guild_id)
        self._reconciled |= set(shards)

    async def purge_overdue(self) -> tuple[int, ...]:
        """Delete overdue data once an hour; return the guilds. Shards wait for `reconcile_guilds`: a guild may be
        back.
        """
        now = self._now()
        if not self._reconciled or now < self._next_purge_at:
            return ()
        self._next_purge_at = now + HOUR
        left_before = now - RETENTION_AFTER_LEAVING
        left = await self._store.guilds.list_left_guilds(left_before)
        purged = [guild_id for guild_id in left if any(shard.has_guild(guild_id) for shard in self._reconciled)]
        for guild_id in purged:
            await self._store.guilds.purge_guild(guild_id, left_by=left_before)
        await self._store.scrub()
        return tuple(purged)
