"""What Discord shows of the matches, and what waits to be said in public."""

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import alerts, chores, future, heads, health, outbox
from data.store.posts import REMOVE, Backlog, OutboxRow
from data.store.shards import UNDIVIDED, Shards
from data.store.transactions import Part
from data.store.values import Head


class Publishing(Part):
    """Boards, posts, and messages that have had their time."""

    async def take_board(self, head: Head, *, nonce: str, now: int) -> OutboxRow | None:
        """Begin to show a table: nobody else touches its board now, for as long as sending can take. None while
        somebody else does, or where another message is its board than this head says.

        A board that is posted carries the nonce in the body of the row. Where the row was taken before, by somebody
        who did not come to the end (`attempts`), it may stand in the channel.
        """
        until = now + outbox.LEASE
        return await self._write(lambda connection: chores.take_board(connection, head, nonce, now, until))

    async def drop_board(self, row: OutboxRow) -> None:
        """The board that was begun was deleted by somebody: it needs another nonce."""
        await self._write(lambda connection: chores.leave_board(connection, row))

    async def board_shown(self, row: OutboxRow, head: Head, *, message_id: int, now: int) -> bool:
        """The board that was taken is this message and shows the seq of this head. False when the one of that head was
        deleted meanwhile: then it is to be shown again.

        Where it is another message than that head says, shrink the one before, then say so by `retired`.
        """

        async def work(connection: AsyncConnection) -> bool:
            shown = await heads.board_shown(connection, head, message_id, now)
            await (chores.leave_board(connection, row) if shown else outbox.put_off(connection, row, now, now))
            return shown

        return await self._write(work)

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
        if not await self._read(lambda connection: future.is_ahead(connection, now)):
            return 0
        return await self._write(lambda connection: future.bring_back(connection, now))

    async def keep(self, row: OutboxRow, *, now: int) -> bool:
        """Whoever has taken this post, or this board, deals with it still. False where somebody else does by now."""
        return await self._write(lambda connection: outbox.keep(connection, row, now))

    async def mark_sent(self, row: OutboxRow, message_id: int) -> None:
        """The post stands in the channel as this message."""
        await self._write(lambda connection: outbox.sent(connection, row, message_id))

    async def mark_passing(self, row: OutboxRow, message_id: int, *, now: int) -> None:
        """So it does, and the message is to be deleted when the running turn ends."""

        async def work(connection: AsyncConnection) -> None:
            await outbox.sent(connection, row, message_id)
            await chores.passing(connection, row, message_id, now)

        await self._write(work)

    async def called(self, row: OutboxRow, *, sent_as: int, shown_as: int | None, now: int) -> int | None:
        """The call of this row was sent as a message, and `shown_as` is the turn message of its match from now on (None
        where it was sent elsewhere). Returns the message to delete: the turn message before it, or this very one where
        the turn is over. Then say so by `retired`.
        """

        async def work(connection: AsyncConnection) -> int | None:
            noted = await outbox.called(connection, row, sent_as)
            if noted:
                return await heads.turn_shown(connection, row.match_id, shown_as, now)
            if noted is None or shown_as is None:
                return None
            await chores.retire(connection, row.match_id, REMOVE, sent_as, now)
            return sent_as

        return await self._write(work)

    async def retired(self, message_id: int) -> None:
        """A message that had had its time is gone, or shrunk."""
        await self._write(lambda connection: chores.retired(connection, message_id))

    async def standing_posts(self, match_id: int, kind: str, *, alone: bool = False) -> list[OutboxRow]:
        """The posts of this kind that stand in a channel, oldest first; with `alone` also those that may have gone to
        people alone, which have no message.
        """
        return await self._read(lambda connection: chores.standing_posts(connection, match_id, kind, alone=alone))

    async def over(self, row: OutboxRow) -> None:
        """A post that was sent has had its time: nobody looks for its message any more."""
        await self._write(lambda connection: chores.drop_standing(connection, row))

    async def give_up(self, match_id: int) -> None:
        """The channel of a match that is over is gone: nothing of it will be said any more."""
        await self._write(lambda connection: heads.give_up(connection, match_id))

    async def put_off(self, row: OutboxRow, next_at: int, *, now: int) -> None:
        """The post that was taken could not be sent; it is tried again at `next_at`."""
        await self._write(lambda connection: outbox.put_off(connection, row, now, next_at))

    async def drop(self, row: OutboxRow) -> None:
        """The post will never be sent."""
        await self._write(lambda connection: outbox.drop(connection, row))

    async def refuse(self, row: OutboxRow, code: int) -> None:
        """Discord does not take the post, for its reason `code`: it will never be sent."""
        await self._write(lambda connection: outbox.refuse(connection, row, code))

    async def refuse_board(self, row: OutboxRow, head: Head, code: int) -> None:
        """Discord does not take the board that this head has: nobody tries again before the next act."""

        async def work(connection: AsyncConnection) -> None:
            await chores.refuse_board(connection, row, head.seq, code)
            await heads.note_shown(connection, head.match_id, head.seq, head.board_message_id)

        await self._write(work)

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
            told = await alerts.prune_alerts(connection, before)
            return requests + told + await outbox.prune(connection, before, limit)

        return await self._write(work)

    # -- telling of tables that open

    async def alerts_due(self, now: int, limit: int, *, of: Shards = UNDIVIDED) -> list[OutboxRow]:
        """Who is to be told of which table of these shards by now, oldest first."""
        return await self._read(lambda connection: alerts.alerts_due(connection, now, limit, of))

    async def note_told(self, user_id: int, match_id: int, *, now: int) -> bool:
        """Somebody is about to be told of a table. False where they have been told of too many for a day."""
        return await self._write(lambda connection: alerts.note_told(connection, user_id, match_id, now))

    async def alerts_wanted(self, user_id: int, guild_id: int) -> dict[str, bool]:
        """The games of which somebody wants to be told when a table opens here, and whether messages reach them."""
        return await self._read(lambda connection: alerts.alerts_wanted(connection, user_id, guild_id))

    async def want_alerts(self, user_id: int, guild_id: int, game: str, *, now: int) -> None:
        """Somebody wants to be told of this game's tables here."""
        await self._write(lambda connection: alerts.want(connection, user_id, guild_id, game, now))

    async def unwant_alerts(self, user_id: int, guild_id: int, game: str | None = None) -> None:
        """They do not any more; None: of no game's."""
        await self._write(lambda connection: alerts.unwant(connection, user_id, guild_id, game))

    async def out_of_reach(self, user_id: int) -> None:
        """Direct messages do not reach somebody who wanted to be told of tables."""
        await self._write(lambda connection: alerts.out_of_reach(connection, user_id))

    async def backlog(self, *, now: int, guild_id: int | None = None, of: Shards = UNDIVIDED) -> Backlog:
        """What waits to be said in public, on one server or on all of these shards."""
        return await self._read(lambda connection: health.backlog(connection, now, guild_id, of))
