"""The outbox, and the messages that show matches on Discord."""

from sqlalchemy import and_, delete, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, reading, reads, writes, writing
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.tables import matches
from data.store.connection.tables import outbox as posts
from data.store.outbox import delivery, outbox
from data.store.outbox.delivery import once
from data.store.outbox.outbox_values import BLOCKED, OutboxRow


class OutboxStore(Repository):
    due_outbox = reading(outbox.to_send)
    take = writing(outbox.take)
    take_posts = writing(delivery.take_due)
    note = writing(delivery.note)
    keep = writing(delivery.keep_taken)
    mark_sent = writing(outbox.sent)
    put_off = writing(outbox.put_off)
    drop = writing(outbox.drop)
    shown = writing(delivery.note_shown)
    over = writing(delivery.clear)
    unblock = writing(delivery.reopen_channel)

    @writes
    async def board_lost(self, connection: AsyncConnection, match_id: int, message_id: int) -> bool:
        """Note that the board message was deleted, to post it again; False if the match has another one."""
        done = await connection.execute(
            update(matches)
            .where(matches.c.match_id == match_id, matches.c.board_message_id == message_id)
            .values(shown_seq=0, board_message_id=None)
        )
        return done.rowcount == 1

    async def bring_back(self, now: int) -> int:
        """Reschedule posts that wait because a clock was ahead; return how many."""
        if not await self.transactions.read(lambda connection: outbox.is_ahead(connection, now)):
            return 0
        return await self.transactions.write(lambda connection: outbox.bring_back(connection, now))

    @reads
    async def standing_posts(
        self, connection: AsyncConnection, match_id: int, kind: str, *, alone: bool = False
    ) -> list[OutboxRow]:
        """Return sent posts of this kind, oldest first; with `alone` also posts that went as DMs."""
        alone_ones = and_(literal(alone), posts.c.attempts > 0, posts.c.next_at.is_(None))
        sent_ones = (
            posts.c.match_id == match_id,
            posts.c.kind == kind,
            or_(posts.c.message_id.is_not(None), alone_ones),
        )
        query = select(posts).where(*sent_ones).order_by(*outbox.IN_ORDER)
        return [outbox.row_of(row) for row in await connection.execute(query)]

    @writes
    async def give_up(self, connection: AsyncConnection, match_id: int) -> None:
        mine = matches.c.match_id == match_id
        await connection.execute(
            update(matches).where(mine).values(shown_seq=matches.c.seq, board_message_id=None, turn_message_id=None)
        )
        await connection.execute(delete(posts).where(posts.c.match_id == match_id, posts.c.next_at.is_not(None)))

    @writes
    async def block(self, connection: AsyncConnection, match_id: int, channel_id: int, code: int, *, now: int) -> bool:
        """Note that Discord rejects messages in a match's channel with this error code; False if known."""
        name = f"blocked-{match_id:x}"
        return await once(connection, match_id, channel_id, BLOCKED, name, {"code": code}, now, next_at=now)

    @reads
    async def blocked(self, connection: AsyncConnection, *, of: Shards = UNDIVIDED) -> list[OutboxRow]:
        """Return closed channels of matches of these shards; `next_at` is the next action, `attempts` counts them."""
        # Few rows have a `next_at`, and an index finds them.
        said_so = (posts.c.next_at.is_not(None), posts.c.kind == BLOCKED)
        query = select(posts).where(*said_so, of.hold_match(posts.c.match_id))
        return [outbox.row_of(row) for row in await connection.execute(query.order_by(*outbox.BY_AGE))]
