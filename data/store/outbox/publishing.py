"""What Discord shows of the matches, and what waits to be said in public."""

from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.transactions import Part
from data.store.log import archive, heads
from data.store.operations import store_health
from data.store.outbox import chores, delivery, outbox
from data.store.outbox.outbox_values import Backlog, Batch, Fate, OutboxRow
from data.store.users import alert_posts
from data.store.users.users import prune_notes


class Publishing(Part):
    """Boards, posts, and messages that have had their time."""

    async def shown(self, match_id: int, *, seq: int, message_id: int | None) -> bool:
        """The board message now shows `seq`; None: it can be shown nowhere. False when a newer one is shown already."""
        return await self._write(lambda connection: heads.note_shown(connection, match_id, seq, message_id))

    async def board_lost(self, match_id: int, message_id: int) -> bool:
        """The board message was deleted, so it must be posted anew. False when the match has another one by now."""
        return await self._write(lambda connection: heads.board_lost(connection, match_id, message_id))

    # -- what waits to be said

    async def due_outbox(
        self, now: int, limit: int, *, match_id: int | None = None, of: Shards = UNDIVIDED
    ) -> list[OutboxRow]:
        """Posts to send now, of one match or of all of these shards, oldest first; a match's posts keep their order
        even when one had to be put off.
        """
        return await self._read(lambda connection: outbox.to_send(connection, now, limit, match_id, of))

    async def take(self, row: OutboxRow, *, now: int, until: int | None = None) -> bool:
        """Only the caller deals with this post, until then or for as long as sending can take. False where somebody
        else does, or has: leave it alone.
        """
        end = now + outbox.LEASE if until is None else until
        return await self._write(lambda connection: outbox.take(connection, row, now, end))

    async def bring_back(self, now: int) -> int:
        """Posts whose wait was noted by a clock that was ahead are sent soon; returns how many there were."""
        if not await self._read(lambda connection: outbox.is_ahead(connection, now)):
            return 0
        return await self._write(lambda connection: outbox.bring_back(connection, now))

    async def take_posts(self, match_id: int, became: Sequence[Fate] = (), *, nonce: str, now: int) -> Batch | None:
        """Note what became of posts that were taken, and take what is to be said at a table now: nobody else deals with
        it for as long as sending can take. None where there is nothing, or others are at it.

        A board that is behind is among it, and is posted with this nonce. Where a row was taken before, by somebody who
        did not come to the end (`attempts`), its message may stand in the channel.
        """
        return await self._write(lambda connection: delivery.take_due(connection, match_id, became, nonce, now))

    async def note(self, became: Sequence[Fate], *, now: int) -> None:
        """What became of posts that were taken."""
        await self._write(lambda connection: delivery.note(connection, became, now))

    async def keep(self, rows: Collection[OutboxRow], became: Sequence[Fate] = (), *, now: int) -> frozenset[str]:
        """Whoever has taken these posts deals with them still; what became of others is noted. Returns the nonces of
        those that are still theirs: somebody else deals with the rest by now.
        """
        return await self._write(lambda connection: delivery.keep_taken(connection, rows, became, now))

    async def mark_sent(self, row: OutboxRow, message_id: int) -> None:
        """The post stands in the channel as this message."""
        await self._write(lambda connection: outbox.sent(connection, row, message_id))

    async def standing_posts(self, match_id: int, kind: str, *, alone: bool = False) -> list[OutboxRow]:
        """The posts of this kind that stand in a channel, oldest first; with `alone` also those that may have gone to
        people alone, which have no message.
        """
        return await self._read(lambda connection: chores.standing_posts(connection, match_id, kind, alone=alone))

    async def over(self, row: OutboxRow) -> None:
        """A post that was sent has had its time: nobody looks for its message any more."""
        await self._write(lambda connection: chores.clear(connection, row))

    async def give_up(self, match_id: int) -> None:
        """The channel of a match that is over is gone: nothing of it will be said any more."""
        await self._write(lambda connection: heads.give_up(connection, match_id))

    async def put_off(self, row: OutboxRow, next_at: int, *, now: int) -> None:
        """The post that was taken could not be sent; it is tried again at `next_at`."""
        await self._write(lambda connection: outbox.put_off(connection, row, now, next_at))

    async def drop(self, row: OutboxRow) -> None:
        """The post will never be sent."""
        await self._write(lambda connection: outbox.drop(connection, row))

    async def block(self, match_id: int, channel_id: int, code: int, *, now: int) -> bool:
        """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
        return await self._write(lambda connection: chores.close_channel(connection, match_id, channel_id, code, now))

    async def unblock(self, match_id: int) -> None:
        """The channel of a match can be written to again."""
        await self._write(lambda connection: chores.reopen_channel(connection, match_id))

    async def blocked(self, *, of: Shards = UNDIVIDED) -> list[OutboxRow]:
        """The matches of these shards whose channel is closed to the bot; `next_at` is when something is to be done
        about it, and `attempts` counts what was done.
        """
        return await self._read(lambda connection: chores.closed_channels(connection, of))

    async def prune(self, before: int, *, limit: int = 1000) -> int:
        """Forget interactions and sent posts from before this time, some at once; returns how many, 0 for no more."""

        async def work(connection: AsyncConnection) -> int:
            requests = await heads.forget_requests(connection, before, limit)
            told = await alert_posts.prune_alerts(connection, before)
            told += await prune_notes(connection, before, limit)
            return requests + told + await outbox.prune(connection, before, limit)

        return await self._write(work)

    async def pack_logs(self, before: int, *, limit: int = 4) -> int:
        """Keep the logs of matches that ended before this time as they take least room, some at once; returns how many,
        0 for no more. They are read as before.
        """
        return await self._write(lambda connection: archive.pack_logs(connection, before, limit))

    # -- telling of tables that open

    async def alerts_due(self, now: int, limit: int, *, of: Shards = UNDIVIDED) -> list[OutboxRow]:
        """Who is to be told of which table of these shards by now, oldest first."""
        return await self._read(lambda connection: alert_posts.alerts_due(connection, now, limit, of))

    async def note_told(self, user_id: int, match_id: int, *, now: int) -> bool:
        """Somebody is about to be told of a table. False where they have been told of too many for a day, or want to be
        told of nothing any more.
        """
        return await self._write(lambda connection: alert_posts.note_told(connection, user_id, match_id, now))

    async def alerts_wanted(self, user_id: int, guild_id: int) -> dict[str, bool]:
        """The games of which somebody wants to be told when a table opens here, and whether messages reach them."""
        return await self._read(lambda connection: alert_posts.alerts_wanted(connection, user_id, guild_id))

    async def want_alerts(self, user_id: int, guild_id: int, game: str, *, now: int) -> None:
        """Somebody wants to be told of this game's tables here."""
        await self._write(lambda connection: alert_posts.want(connection, user_id, guild_id, game, now))

    async def unwant_alerts(self, user_id: int, guild_id: int, game: str | None = None) -> None:
        """They do not any more; None: of no game's."""
        await self._write(lambda connection: alert_posts.unwant(connection, user_id, guild_id, game))

    async def out_of_reach(self, user_id: int) -> None:
        """Direct messages do not reach somebody who wanted to be told of tables."""
        await self._write(lambda connection: alert_posts.out_of_reach(connection, user_id))

    async def backlog(self, *, now: int, guild_id: int | None = None, of: Shards = UNDIVIDED) -> Backlog:
        """What waits to be said in public, on one server or on all of these shards."""
        return await self._read(lambda connection: store_health.backlog(connection, now, guild_id, of))
