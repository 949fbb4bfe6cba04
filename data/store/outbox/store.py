"""The outbox, and the messages that show matches on Discord."""

from sqlalchemy import and_, delete, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import (
    Repository,
    build_read_method,
    build_write_method,
    read_transaction,
    write_transaction,
)
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.tables import matches
from data.store.connection.tables import outbox as posts
from data.store.outbox import delivery, outbox
from data.store.outbox.delivery import insert_once
from data.store.outbox.outbox_values import BLOCKED, OutboxRow


class OutboxStore(Repository):
    list_due = build_read_method(outbox.list_due)
    lease = build_write_method(outbox.lease)
    lease_due_posts = build_write_method(delivery.lease_due_posts)
    note_statuses = build_write_method(delivery.note_statuses)
    extend_leases = build_write_method(delivery.extend_leases)
    note_sent = build_write_method(outbox.note_sent)
    postpone = build_write_method(outbox.postpone)
    drop = build_write_method(outbox.drop)
    note_shown = build_write_method(delivery.note_shown)
    clear = build_write_method(delivery.clear)
    reopen_channel = build_write_method(delivery.reopen_channel)

    @write_transaction
    async def note_board_lost(self, connection: AsyncConnection, match_id: int, message_id: int) -> bool:
        """Note that the board message was deleted, to post it again; False if the match has another one."""
        mine = (matches.c.match_id == match_id, matches.c.board_message_id == message_id)
        lost = update(matches).where(*mine).values(shown_seq=0, board_message_id=None)
        return (await connection.execute(lost)).rowcount == 1

    async def reschedule_ahead(self, now: int) -> int:
        """Reschedule posts that wait because a clock was ahead; return how many."""
        if not await self.transactions.read(lambda connection: outbox.has_posts_ahead(connection, now)):
            return 0
        return await self.transactions.write(lambda connection: outbox.reschedule_ahead(connection, now))

    @read_transaction
    async def list_sent_posts(
        self, connection: AsyncConnection, match_id: int, kind: str, *, include_dms: bool = False
    ) -> list[OutboxRow]:
        """Return sent posts of this kind, oldest first; with `include_dms` also posts that went as DMs."""
        sent_as_dm = and_(literal(include_dms), posts.c.attempts > 0, posts.c.next_at.is_(None))
        was_sent = or_(posts.c.message_id.is_not(None), sent_as_dm)
        query = select(posts).where(posts.c.match_id == match_id, posts.c.kind == kind, was_sent)
        query = query.order_by(*outbox.IN_ORDER)
        return [outbox.to_outbox_row(row) for row in await connection.execute(query)]

    @write_transaction
    async def give_up(self, connection: AsyncConnection, match_id: int) -> None:
        shown = {"shown_seq": matches.c.seq, "board_message_id": None, "turn_message_id": None}
        await connection.execute(update(matches).where(matches.c.match_id == match_id).values(shown))
        await connection.execute(delete(posts).where(posts.c.match_id == match_id, posts.c.next_at.is_not(None)))

    @write_transaction
    async def block(self, connection: AsyncConnection, match_id: int, channel_id: int, code: int, *, now: int) -> bool:
        """Note that Discord rejects messages in a match's channel with this error code; False if known."""
        name = f"blocked-{match_id:x}"
        return await insert_once(connection, match_id, channel_id, BLOCKED, name, {"code": code}, now, next_at=now)

    @read_transaction
    async def list_blocked(self, connection: AsyncConnection, *, of: Shards = UNSHARDED) -> list[OutboxRow]:
        """Return closed channels of matches of these shards; `next_at` is the next action, `attempts` counts them."""
        # Few rows have a `next_at`, and an index finds them.
        is_blocked = (posts.c.next_at.is_not(None), posts.c.kind == BLOCKED)
        query = select(posts).where(*is_blocked, of.build_match_condition(posts.c.match_id))
        return [outbox.to_outbox_row(row) for row in await connection.execute(query.order_by(*outbox.BY_AGE))]
