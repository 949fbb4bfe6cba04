"""The outbox: what waits to be said, and what Discord shows of the matches."""

from collections.abc import Collection, Sequence

from sqlalchemy import and_, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, reads, writes
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.tables import matches
from data.store.connection.tables import outbox as posts
from data.store.outbox import board_posts, delivery, outbox
from data.store.outbox.board_posts import once
from data.store.outbox.outbox_values import BLOCKED, Batch, Fate, OutboxRow


class OutboxStore(Repository):
    """Posts, boards, and channels that are closed to the bot."""

    @writes
    async def shown(self, connection: AsyncConnection, match_id: int, *, seq: int, message_id: int | None) -> bool:
        """The board message now shows `seq`; None: it can be shown nowhere. False when a newer one is shown already."""
        return await board_posts.note_shown(connection, match_id, seq, message_id)

    @writes
    async def board_lost(self, connection: AsyncConnection, match_id: int, message_id: int) -> bool:
        """The board message was deleted, so it must be posted anew. False when the match has another one by now."""
        done = await connection.execute(
            update(matches)
            .where(matches.c.match_id == match_id, matches.c.board_message_id == message_id)
            .values(shown_seq=0, board_message_id=None)
        )
        return done.rowcount == 1

    @reads
    async def due_outbox(
        self, connection: AsyncConnection, now: int, limit: int, *, match_id: int | None = None, of: Shards = UNDIVIDED
    ) -> list[OutboxRow]:
        """Posts to send now, of one match or of all of these shards, oldest first; a match's posts keep their order
        even when one had to be put off.
        """
        return await outbox.to_send(connection, now, limit, match_id, of)

    @writes
    async def take(self, connection: AsyncConnection, row: OutboxRow, *, now: int, until: int | None = None) -> bool:
        """Only the caller deals with this post, until then or for as long as sending can take. False where somebody
        else does, or has: leave it alone.
        """
        end = now + outbox.LEASE if until is None else until
        return await outbox.take(connection, row, now, end)

    async def bring_back(self, now: int) -> int:
        """Posts whose wait was noted by a clock that was ahead are sent soon; returns how many there were."""
        if not await self.transactions.read(lambda connection: outbox.is_ahead(connection, now)):
            return 0
        return await self.transactions.write(lambda connection: outbox.bring_back(connection, now))

    @writes
    async def take_posts(
        self, connection: AsyncConnection, match_id: int, became: Sequence[Fate] = (), *, nonce: str, now: int
    ) -> Batch | None:
        """Note what became of posts that were taken, and take what is to be said at a table now: nobody else deals with
        it for as long as sending can take. None where there is nothing, or others are at it.

        A board that is behind is among it, and is posted with this nonce. Where a row was taken before, by somebody who
        did not come to the end (`attempts`), its message may stand in the channel.
        """
        return await delivery.take_due(connection, match_id, became, nonce, now)

    @writes
    async def note(self, connection: AsyncConnection, became: Sequence[Fate], *, now: int) -> None:
        """What became of posts that were taken."""
        await delivery.note(connection, became, now)

    @writes
    async def keep(
        self, connection: AsyncConnection, rows: Collection[OutboxRow], became: Sequence[Fate] = (), *, now: int
    ) -> frozenset[str]:
        """Whoever has taken these posts deals with them still; what became of others is noted. Returns the nonces of
        those that are still theirs: somebody else deals with the rest by now.
        """
        return await delivery.keep_taken(connection, rows, became, now)

    @writes
    async def mark_sent(self, connection: AsyncConnection, row: OutboxRow, message_id: int) -> None:
        """The post stands in the channel as this message."""
        await outbox.sent(connection, row, message_id)

    @reads
    async def standing_posts(
        self, connection: AsyncConnection, match_id: int, kind: str, *, alone: bool = False
    ) -> list[OutboxRow]:
        """The posts of this kind that stand in a channel, oldest first; with `alone` also those that may have gone to
        people alone, which have no message.
        """
        alone_ones = and_(literal(alone), posts.c.attempts > 0, posts.c.next_at.is_(None))
        sent_ones = (
            posts.c.match_id == match_id,
            posts.c.kind == kind,
            or_(posts.c.message_id.is_not(None), alone_ones),
        )
        query = select(posts).where(*sent_ones).order_by(*outbox.IN_ORDER)
        return [outbox.row_of(row) for row in await connection.execute(query)]

    @writes
    async def over(self, connection: AsyncConnection, row: OutboxRow) -> None:
        """A post that was sent has had its time: nobody looks for its message any more."""
        await board_posts.clear(connection, row)

    @writes
    async def give_up(self, connection: AsyncConnection, match_id: int) -> None:
        """The channel of a match that is over is gone: nothing of it will be said any more."""
        mine = matches.c.match_id == match_id
        await connection.execute(
            update(matches).where(mine).values(shown_seq=matches.c.seq, board_message_id=None, turn_message_id=None)
        )
        await outbox.drop_all(connection, match_id)

    @writes
    async def put_off(self, connection: AsyncConnection, row: OutboxRow, next_at: int, *, now: int) -> None:
        """The post that was taken could not be sent; it is tried again at `next_at`."""
        await outbox.put_off(connection, row, now, next_at)

    @writes
    async def drop(self, connection: AsyncConnection, row: OutboxRow) -> None:
        """The post will never be sent."""
        await outbox.drop(connection, row)

    @writes
    async def block(self, connection: AsyncConnection, match_id: int, channel_id: int, code: int, *, now: int) -> bool:
        """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
        name = f"blocked-{match_id:x}"
        return await once(connection, match_id, channel_id, BLOCKED, name, {"code": code}, now, next_at=now)

    @writes
    async def unblock(self, connection: AsyncConnection, match_id: int) -> None:
        """The channel of a match can be written to again."""
        await board_posts.reopen_channel(connection, match_id)

    @reads
    async def blocked(self, connection: AsyncConnection, *, of: Shards = UNDIVIDED) -> list[OutboxRow]:
        """The matches of these shards whose channel is closed to the bot; `next_at` is when something is to be done
        about it, and `attempts` counts what was done.
        """
        # The index holds the rows with a `next_at`, which are few: those that were sent have none.
        said_so = (posts.c.next_at.is_not(None), posts.c.kind == BLOCKED)
        query = select(posts).where(*said_so, of.hold_match(posts.c.match_id))
        return [outbox.row_of(row) for row in await connection.execute(query.order_by(*outbox.BY_AGE))]
