"""Running the bot: whose database it is, which processes are alive, outages, and clearing away what is old."""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.engines import insert_unless_there, upsert
from data.store.connection.facts import Owner
from data.store.connection.hooks import registered
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.shards import UNDIVIDED, Owed, Shard, Shards
from data.store.connection.tables import facts as fact_table
from data.store.connection.tables import outages, pulses, requests
from data.store.log import archive
from data.store.operations import store_health
from data.store.outbox import alert_posts, outbox
from data.store.outbox.outbox_values import Backlog
from data.store.users.store import prune_notes
from engine.table.table_state import Outage

COMMANDS: Final = "commands"

IDENTIFY: Final = "identify"


async def _noted(connection: AsyncConnection, commands: str) -> None:
    await connection.execute(update(fact_table).where(fact_table.c.name == COMMANDS).values(value=commands))


async def pulse(connection: AsyncConnection, name: str, now: int) -> int | None:
    """Note that the process of this name is alive; returns when it last was, None when never."""
    found = (await connection.execute(select(pulses.c.at).where(pulses.c.name == name))).scalar_one_or_none()
    await upsert(connection, pulses, {"name": name}, {}, {"at": now})
    return found


async def last_pulses(connection: AsyncConnection) -> dict[str, int]:
    """When each process was last alive, by its name."""
    return {row.name: row.at for row in await connection.execute(select(pulses))}


async def forget_requests(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget interactions from before this time, the oldest `limit` at most; returns how many went."""
    # Discord's ids grow with time, so the oldest come first in the table's own order.
    oldest = (
        select(requests.c.interaction_id, requests.c.at).order_by(requests.c.interaction_id).limit(limit).subquery()
    )
    gone = select(oldest.c.interaction_id).where(oldest.c.at < before)
    return (await connection.execute(delete(requests).where(requests.c.interaction_id.in_(gone)))).rowcount


class OperationsStore(Repository):
    """What is true of the bot as a whole."""

    @reads
    async def owner(self, connection: AsyncConnection) -> Owner | None:
        """The application it belongs to; None where no bot has ever started on it."""
        return await facts.owner_of(connection)

    @reads
    async def moved_to(self, connection: AsyncConnection) -> str | None:
        """Where all of it was moved to; None where it was not."""
        return await facts.elsewhere(connection)

    @writes
    async def registers_commands(self, connection: AsyncConnection, mark: str, *, now: int, until: int) -> bool | None:
        """Whether Discord has to be told of the commands with this mark. True: by the caller, who has until then; None:
        another process is at it; False: it knows them.
        """
        await connection.execute(
            insert_unless_there(fact_table, connection.dialect.name), {"name": COMMANDS, "value": "none 0"}
        )
        # Of two processes that start together one waits here for the other.
        query = select(fact_table.c.value).where(fact_table.c.name == COMMANDS).with_for_update()
        known, _, taken = (await connection.execute(query)).scalar_one().partition(" ")
        if known == mark and not taken:
            return False
        # A wrong clock wrote a time further ahead than any that is given. Another process that looked at the clock
        # after us, and was served before, wrote one that is a little later than ours.
        if now < int(taken or 0) <= until + (until - now):
            return None
        await _noted(connection, f"{mark} {until}")
        return True

    @writes
    async def commands_registered(self, connection: AsyncConnection, mark: str, *, well: bool = True) -> None:
        """Discord knows the commands with this mark; where it did not go `well`, whoever comes next may try."""
        await _noted(connection, mark if well else f"{mark} 0")

    @writes
    async def hand_over(self, connection: AsyncConnection, new: Owner) -> None:
        """Let it belong to another application from now on."""
        await connection.execute(delete(fact_table).where(fact_table.c.name.in_((facts.APPLICATION, facts.PLAYGROUND))))
        await facts.claim(connection, new)

    @reads
    async def pulses(self, connection: AsyncConnection) -> dict[str, int]:
        """When each process was last alive, by its name."""
        return await last_pulses(connection)

    @writes
    async def pulse(self, connection: AsyncConnection, name: str, *, now: int) -> int | None:
        """Note that the process of this name is alive; returns when it last was, None when never."""
        return await pulse(connection, name, now)

    @writes
    async def beat(self, connection: AsyncConnection, shards: Iterable[Shard], *, now: int) -> None:
        """Note that these shards are heard."""
        for shard in shards:
            await pulse(connection, shard.pulse, now)

    @writes
    async def identify(self, connection: AsyncConnection, bucket: int, *, gap: int, now: int) -> int:
        """Whether a shard of this group of Discord's may say who it is: 0, and nobody else for `gap` ms, or the ms to
        wait before asking again.
        """
        name, first = f"{IDENTIFY} {bucket}", {"name": f"{IDENTIFY} {bucket}", "value": "0"}
        await connection.execute(insert_unless_there(fact_table, connection.dialect.name), first)
        known = await facts.fact(connection, name) or "0"
        # A wrong clock wrote a time further ahead than any may be. Another process that asked after us, and was
        # served before, wrote one that is a little later than ours.
        if now < int(known) <= now + 2 * gap:
            return int(known) - now
        mine = (
            update(fact_table)
            .where(fact_table.c.name == name, fact_table.c.value == known)
            .values(value=str(now + gap))
        )
        return 0 if (await connection.execute(mine)).rowcount == 1 else gap

    @writes
    async def note_outage(
        self, connection: AsyncConnection, shard: Shard, outage: Outage, *, pulse: int | None
    ) -> bool:
        """Keep that nobody heard this shard until now, and note that it is heard. False, and nothing happens, where its
        own pulse is not what it was (None: it has none): another process does all this.
        """
        if pulse is None:
            first = insert_unless_there(pulses, connection.dialect.name)
            done = await connection.execute(first, {"name": shard.pulse, "at": outage.end})
        else:
            stopped = update(pulses).where(pulses.c.name == shard.pulse, pulses.c.at == pulse)
            done = await connection.execute(stopped.values(at=outage.end))
        if done.rowcount != 1:
            return False
        row = {"began": outage.start, "shard": shard.number, "shards": shard.count, "ended": outage.end}
        await connection.execute(insert(outages), row)
        return True

    @reads
    async def outages(self, connection: AsyncConnection) -> tuple[Owed, ...]:
        """Those that have not been given back to everybody yet, oldest first."""
        rows = await connection.execute(select(outages).order_by(outages.c.began, outages.c.shards, outages.c.shard))
        return tuple(Owed(Outage(start=row.began, end=row.ended), Shard(row.shard, row.shards)) for row in rows)

    @writes
    async def outages_over(self, connection: AsyncConnection, given: Sequence[Owed]) -> None:
        """These have been given back to everybody."""
        for owed in given:
            where = (outages.c.shard == owed.shard.number, outages.c.shards == owed.shard.count)
            await connection.execute(delete(outages).where(outages.c.began == owed.outage.start, *where))

    @reads
    async def backlog(
        self, connection: AsyncConnection, *, now: int, guild_id: int | None = None, of: Shards = UNDIVIDED
    ) -> Backlog:
        """What waits to be said in public, on one server or on all of these shards."""
        return await store_health.backlog(connection, now, guild_id, of)

    @writes
    async def prune(self, connection: AsyncConnection, before: int, *, limit: int = 1000) -> int:
        """Forget interactions and sent posts from before this time, some at once; returns how many, 0 for no more."""
        requests = await forget_requests(connection, before, limit)
        told = await alert_posts.prune_alerts(connection, before)
        told += await prune_notes(connection, before, limit)
        return requests + told + await outbox.prune(connection, before, limit)

    @writes
    async def pack_logs(self, connection: AsyncConnection, before: int, *, limit: int = 4) -> int:
        """Keep the logs of matches that ended before this time as they take least room, some at once; returns how many,
        0 for no more. They are read as before.
        """
        return await archive.pack_logs(connection, before, limit)

    async def rebuild_features(self) -> dict[str, int]:
        """Compute again what features derive from their rows; returns how many rows each has, by its name."""
        found = registered().rebuilders.items()
        return {name: await self.transactions.write(rebuild, limit=None) for name, rebuild in found}
