"""Operation of the bot: owner of the database, running processes, outages, and deletion of outdated data."""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.bodies import list_damaged_rows, read_body
from data.store.connection.engines import insert_if_missing, upsert
from data.store.connection.facts import Owner
from data.store.connection.hooks import load_hooks
from data.store.connection.repository import (
    Repository,
    build_read_method,
    build_write_method,
    read_transaction,
    write_transaction,
)
from data.store.connection.shards import Shard, UncreditedOutage
from data.store.connection.tables import alerted, outages, pulses, requests
from data.store.connection.tables import facts as fact_table
from data.store.log import archive
from data.store.operations import store_health
from data.store.outbox import outbox
from data.store.users.store import prune_notes
from engine.table.table_state import Outage

COMMANDS: Final = "commands"
IDENTIFY: Final = "identify"


async def _save_commands(connection: AsyncConnection, commands: str) -> None:
    await connection.execute(update(fact_table).where(fact_table.c.name == COMMANDS).values(value=commands))


async def record_pulse(connection: AsyncConnection, name: str, now: int) -> int | None:
    """Note that the process of this name is running; return the previous time, None if there is none."""
    found = await connection.scalar(select(pulses.c.at).where(pulses.c.name == name))
    await upsert(connection, pulses, {"name": name}, {}, {"at": now})
    return found


async def load_pulses(connection: AsyncConnection) -> dict[str, int]:
    return {row.name: row.at for row in await connection.execute(select(pulses))}


class OperationsStore(Repository):
    load_owner = build_read_method(facts.load_owner)
    load_new_location = build_read_method(facts.load_new_location)
    list_damaged_rows = build_read_method(list_damaged_rows)
    load_backlog = build_read_method(store_health.load_backlog)
    compress_logs = build_write_method(archive.compress_logs)

    @write_transaction
    async def lease_command_sync(self, connection: AsyncConnection, mark: str, *, now: int, until: int) -> bool | None:
        """Return whether Discord needs the commands with this fingerprint.

        True: the caller registers them, with a lease `until`. None: another process does. False: Discord has them.
        """
        await insert_if_missing(connection, fact_table, {"name": COMMANDS, "value": "none 0"})
        # If two processes start together, one waits here.
        query = select(fact_table.c.value).where(fact_table.c.name == COMMANDS).with_for_update()
        known, _, taken = (await connection.execute(query)).scalar_one().partition(" ")
        if known == mark and not taken:
            return False
        # Ignore a time from a wrong clock. A faster process may have written a slightly later one than ours.
        if now < read_body(int, taken, 0) <= until + (until - now):
            return None
        await _save_commands(connection, f"{mark} {until}")
        return True

    @write_transaction
    async def note_commands_registered(
        self, connection: AsyncConnection, mark: str, *, is_success: bool = True
    ) -> None:
        """Note that Discord has these commands; if not `is_success`, the next process may try."""
        await _save_commands(connection, mark if is_success else f"{mark} 0")

    @write_transaction
    async def change_owner(self, connection: AsyncConnection, new: Owner) -> None:
        await connection.execute(delete(fact_table).where(fact_table.c.name.in_((facts.APPLICATION, facts.PLAYGROUND))))
        await facts.claim(connection, new)

    load_pulses = build_read_method(load_pulses)
    record_pulse = build_write_method(record_pulse)

    @write_transaction
    async def record_shard_pulses(self, connection: AsyncConnection, shards: Iterable[Shard], *, now: int) -> None:
        for shard in shards:
            await record_pulse(connection, shard.pulse_name, now)

    @write_transaction
    async def reserve_identify(self, connection: AsyncConnection, bucket: int, *, gap: int, now: int) -> int:
        """Return 0 if a shard of this bucket may identify now, which reserves `gap` ms, or the ms to wait."""
        name = f"{IDENTIFY} {bucket}"
        await insert_if_missing(connection, fact_table, {"name": name, "value": "0"})
        known = await facts.load_fact(connection, name) or "0"
        # Ignore a time from a wrong clock. A faster process may have written a slightly later one than ours.
        if now < read_body(int, known, 0) <= now + 2 * gap:
            return int(known) - now
        unchanged = (fact_table.c.name == name, fact_table.c.value == known)
        mine = update(fact_table).where(*unchanged).values(value=str(now + gap))
        return 0 if (await connection.execute(mine)).rowcount == 1 else gap

    @write_transaction
    async def note_outage(
        self, connection: AsyncConnection, shard: Shard, outage: Outage, *, pulse: int | None
    ) -> bool:
        """Store an outage of a shard that ends now, and its pulse.

        False, and no change, if its pulse differs from `pulse` (None for no pulse): another process has done it.
        """
        if pulse is None:
            is_first = await insert_if_missing(connection, pulses, {"name": shard.pulse_name, "at": outage.end})
        else:
            stopped = update(pulses).where(pulses.c.name == shard.pulse_name, pulses.c.at == pulse)
            is_first = (await connection.execute(stopped.values(at=outage.end))).rowcount == 1
        if not is_first:
            return False
        row = {"began": outage.start, "shard": shard.number, "shards": shard.count, "ended": outage.end}
        await connection.execute(insert(outages), row)
        return True

    @read_transaction
    async def list_outages(self, connection: AsyncConnection) -> tuple[UncreditedOutage, ...]:
        rows = await connection.execute(select(outages).order_by(outages.c.began, outages.c.shards, outages.c.shard))
        found = [(Outage(start=row.began, end=row.ended), Shard(row.shard, row.shards)) for row in rows]
        return tuple(UncreditedOutage(outage, shard) for outage, shard in found)

    @write_transaction
    async def delete_outages(self, connection: AsyncConnection, credited: Sequence[UncreditedOutage]) -> None:
        for uncredited in credited:
            where = (outages.c.shard == uncredited.shard.number, outages.c.shards == uncredited.shard.count)
            await connection.execute(delete(outages).where(outages.c.began == uncredited.outage.start, *where))

    @write_transaction
    async def prune(self, connection: AsyncConnection, before: int, *, limit: int = 1000) -> int:
        """Delete some old interactions, posts, alerts and notes; return how many, 0 for no more."""
        # Discord's ids grow with time, so the oldest interactions come first in the order of the key.
        query = select(requests.c.interaction_id, requests.c.at).order_by(requests.c.interaction_id)
        oldest = query.limit(limit).subquery()
        old = select(oldest.c.interaction_id).where(oldest.c.at < before)
        gone = (await connection.execute(delete(requests).where(requests.c.interaction_id.in_(old)))).rowcount
        gone += (await connection.execute(delete(alerted).where(alerted.c.at < before))).rowcount
        gone += await prune_notes(connection, before, limit)
        return gone + await outbox.prune(connection, before, limit)

    async def rebuild_features(self) -> dict[str, int]:
        """Compute derived rows of features again; return the number of rows of each, by name."""
        found = load_hooks().rebuilders.items()
        return {name: await self.transactions.write(rebuild, limit=None) for name, rebuild in found}
