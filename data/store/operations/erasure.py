"""What is held about one person: all of it to take along, and all of it to forget.

Ids of people stand in the columns listed here and nowhere else but in the JSON of a few columns, which is searched: in
logs there are numbers, and `participants` alone says whose they are.
"""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    Text,
    TextClause,
    bindparam,
    cast,
    delete,
    or_,
    select,
    text,
    union,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.engines import upsert
from data.store.connection.hooks import registered
from data.store.connection.json_text import to_mapping, to_text
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.tables import (
    RULINGS,
    alerted,
    alerts,
    events,
    forgotten,
    guilds,
    matches,
    notes,
    outbox,
    participants,
    people,
    premoves,
    seats,
)
from data.store.log.deal_tables import deal_sitters
from data.store.log.participants import lobbies_naming
from data.store.matches import journal
from data.store.results import player_standings
from data.store.results.tables import bests, recents, results
from data.store.results.tables import standings as lines
from engine.table.table_events import Forgotten
from engine.table.table_state import RUNNING

LONG: Final = 120.0
"""Seconds for what goes through all that is kept."""


NOBODY: Final = 0
"""The host of a table whose host was forgotten."""

OWN: Final = (
    people,
    results,
    lines,
    recents,
    bests,
    alerts,
    alerted,
    deal_sitters,
    notes,
    premoves,
)
"""Tables of the core whose rows are about one user and nobody else."""

LINKS: Final = (seats, participants)
"""Rows that say which person a number in a log stands for."""

_JSON: Final = (
    (outbox, ("dedupe",), "body"),
    (events, ("match_id", "seq"), "body"),
    (guilds, ("guild_id",), "settings"),
)

_ID: Final = re.compile(r"(?<!\d)\d{15,19}(?!\d)")
"""An id as Discord makes them. From its first day on they have so many digits; a time in ms has fewer."""


def looks_like_an_id(text: str) -> bool:
    """Whether what somebody typed may name a person by their number, which nobody could take out again."""
    return _ID.search(text) is not None


async def held_about(connection: AsyncConnection, user_id: int) -> dict[str, Any]:
    """Everything the store holds about a user, as JSON."""
    played = (
        select(seats, matches.c.game, matches.c.guild_id, matches.c.channel_id, matches.c.state)
        .join(matches, matches.c.match_id == seats.c.match_id)
        .where(seats.c.user_id == user_id)
        .order_by(seats.c.match_id)
    )
    hosted, turns = (
        select(matches.c.match_id).where(column == user_id).order_by(matches.c.match_id)
        for column in (matches.c.host_id, matches.c.turn_user)
    )
    settings = await _rows(connection, select(people).where(people.c.user_id == user_id))
    for row in settings:
        row["preferences"] = to_mapping(row["preferences"])
    stepped_in = await acts_of(connection, user_id)
    found = {
        "settings": settings,
        "seats": await _rows(connection, played),
        "hosted": list(await connection.scalars(hosted)),
        "turns": list(await connection.scalars(turns)),
        "moderations": [{"match_id": match_id, "seq": seq, "user_id": user_id} for match_id, seq in stepped_in],
    }
    linked = select(participants.c.match_id).where(participants.c.user_id == user_id)
    found["tables"] = list(await connection.scalars(linked.order_by(participants.c.match_id)))
    found["named_in"] = []
    for table, key, name in _JSON:
        query = select(*(table.c[part] for part in key)).where(*_naming(table, name, user_id))
        found["named_in"] += [{"table": table.name, **row} for row in await _rows(connection, query)]
    for name, export in registered().user_exporters.items():
        found[name] = await export(connection, user_id)
    for table in _own_tables()[1:]:
        found[table.name] = await _rows(connection, select(table).where(table.c.user_id == user_id))
    return found


async def forget(
    connection: AsyncConnection, user_id: int, left: Collection[int], privacy_key: PrivacyKey, now: int
) -> bool:
    """Forget a person, but for a fingerprint. False, and nothing happens, when they sit at a running match that is not
    in `left`.

    Seats, logs and posts of their matches stay, as somebody's. Running ones move on: their boards are drawn again, and
    an act that was decided on while the name was known is Stale.
    """
    theirs = select(matches.c.match_id).where(matches.c.match_id.in_(union(*_concerning(user_id))))
    # Whoever sits down holds the server before the match.
    naming = select(guilds.c.guild_id).where(*_naming(guilds, "settings", user_id)).order_by(guilds.c.guild_id)
    await connection.execute(naming.with_for_update())
    # Before all else, and in order, as an act does that ends a match: nobody waits in a ring.
    known = bool(list(await connection.scalars(theirs.order_by(matches.c.match_id).with_for_update())))
    # A table that opens meanwhile may write a post for them, which is not to be seen yet.
    await connection.execute(select(alerts.c.game).where(alerts.c.user_id == user_id).with_for_update())
    for table in _own_tables():
        known |= (
            await connection.execute(select(table.c.user_id).where(table.c.user_id == user_id))
        ).first() is not None
    running = list(await connection.scalars(theirs.where(matches.c.state.in_(RUNNING))))
    sat_at = select(seats.c.match_id).where(seats.c.user_id == user_id, seats.c.match_id.in_(running))
    waited_at = await lobbies_naming(connection, user_id)
    if {*await connection.scalars(sat_at), *waited_at} - set(left):
        return False
    for match_id in running:
        await journal.move_on(connection, match_id, Forgotten(), now)
    for table, key, name in _JSON:
        if table is not events:  # where only what a moderator typed can name anybody, which stays as it was typed
            known |= await _scrub(connection, table, key, name, user_id)
    for table in LINKS:
        await connection.execute(update(table).where(table.c.user_id == user_id).values(user_id=None))
    await connection.execute(update(matches).where(matches.c.host_id == user_id).values(host_id=NOBODY))
    await connection.execute(update(matches).where(matches.c.turn_user == user_id).values(turn_user=None))
    await player_standings.strike_off(connection, user_id)
    for erase in registered().user_erasers:
        known |= await erase(connection, user_id)
    for table in _own_tables():
        await connection.execute(delete(table).where(table.c.user_id == user_id))
    mark = fingerprint(await facts.fingerprint_key(connection, privacy_key), user_id)
    await upsert(connection, forgotten, {"mark": mark}, {}, {"at": now})
    if known:
        await facts.leave_remains(connection)
    return True


async def everybody(connection: AsyncConnection) -> set[int]:
    """The ids of all people that anything is held about.

    In JSON the id of a channel or a message looks like that of a person: those that stand there are among them.
    """
    columns = [table.c.user_id for table in (*_own_tables(), *LINKS)] + [matches.c.host_id, matches.c.turn_user]
    columns += registered().user_columns
    found = set(await connection.scalars(union(*(select(column) for column in columns))))
    people_known = {int(user) for user in found if user} - {NOBODY}
    for table, _, name in _JSON:
        async with connection.stream(select(table.c[name]).where(*_worded(table))) as rows:
            async for (text,) in rows:
                people_known.update(map(int, _ID.findall(text)))
    return people_known


def _own_tables() -> list[Table]:
    return [*OWN, *registered().user_tables]


async def _rows(connection: AsyncConnection, query: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await connection.execute(query)]


async def _scrub(connection: AsyncConnection, table: Table, key: tuple[str, ...], name: str, user_id: int) -> bool:
    """Take a person out of the JSON of one column; whether they stood there."""
    columns = [table.c[part] for part in key]
    naming = select(*columns, table.c[name]).where(*_naming(table, name, user_id))
    rows = (await connection.execute(naming)).all()
    for row in rows:
        cleaned = to_text(without(to_mapping(row._mapping[name]), user_id))
        this = [part == row._mapping[part.name] for part in columns]
        await connection.execute(update(table).where(*this).values({name: cleaned}))
    return bool(rows)


def _concerning(user_id: int) -> list[Select[int]]:
    """The matches that a person has, or may have, to do with: those that any of these finds."""
    return [
        select(matches.c.match_id).where(or_(matches.c.host_id == user_id, matches.c.turn_user == user_id)),
        select(outbox.c.match_id).where(*_naming(outbox, "body", user_id)),
        *(select(table.c.match_id).where(table.c.user_id == user_id) for table in LINKS),
    ]


def _naming(table: Table, name: str, user_id: int) -> list[ColumnElement[bool] | TextClause]:
    """The rows whose JSON in this column may name a person."""
    return [cast(table.c[name], Text).contains(str(user_id)), *_worded(table)]


def _worded(table: Table) -> list[ColumnElement[bool] | TextClause]:
    """The rows of a table whose JSON may name anybody at all."""
    # Events have numbers for people; only what a moderator typed may name one.
    return [text(RULINGS)] if table is events else []


def without(value: Any, user_id: int) -> Any:
    """The same JSON with null for the id of a person, and without entries under it."""
    match value:
        case dict():
            return {key: without(part, user_id) for key, part in value.items() if key != str(user_id)}
        case list():
            return [without(part, user_id) for part in value]
        case bool():
            return value
        case int() | str() if str(value) == str(user_id):
            return None
        case _:
            return value


_ACTS: Final[Select[Any]] = (
    select(events.c.match_id, events.c.seq, events.c.body, participants.c.number)
    .join(participants, participants.c.match_id == events.c.match_id)
    .where(participants.c.user_id == bindparam("user"), text(RULINGS))
    .order_by(events.c.match_id, events.c.seq)
)


async def acts_of(connection: AsyncConnection, user_id: int) -> list[tuple[int, int]]:
    """The match and seq of each time a person stepped in as a moderator. A line that cannot be read is nobody's."""
    found = []
    for row in await connection.execute(_ACTS, {"user": user_id}):
        with suppress(msgspec.MsgspecError):
            if to_mapping(row.body).get("by") == row.number:
                found.append((row.match_id, row.seq))
    return found


class ErasureStore(Repository):
    """What is held about users."""

    async def held(self, user_id: int) -> dict[str, Any]:
        """Everything that is held about somebody, as JSON."""
        return await self.transactions.read(lambda connection: held_about(connection, user_id), limit=LONG)

    async def forget(self, user_id: int, *, left: Collection[int], now: int) -> bool:
        """Forget somebody, who has left these running matches. False, and nothing happens, when they sit at others."""
        key = self.transactions.privacy_key
        return await self.transactions.write(lambda connection: forget(connection, user_id, left, key, now), limit=LONG)

    @reads
    async def forgotten(self, connection: AsyncConnection) -> dict[str, int]:
        """The fingerprints of those who were forgotten, and when."""
        return {row.mark: row.at for row in await connection.execute(select(forgotten))}

    @writes
    async def keep_forgotten(self, connection: AsyncConnection, marks: Mapping[str, int]) -> None:
        """Take over fingerprints from another database."""
        for mark, at in marks.items():
            await upsert(connection, forgotten, {"mark": mark}, {}, {"at": at})

    async def recognised(self, marks: Collection[str]) -> list[int]:
        """Those whose fingerprint is among these, of all that anything is held about."""

        async def work(connection: AsyncConnection) -> list[int]:
            key = await facts.fingerprint_key(connection, self.transactions.privacy_key)
            return [user_id for user_id in sorted(await everybody(connection)) if fingerprint(key, user_id) in marks]

        return await self.transactions.write(work, limit=None)  # a key may have to be made

    async def same_fingerprints(self, other: "ErasureStore", theirs: Collection[str]) -> bool:
        """Whether fingerprints of another database mean the same people here: a key that is known there alone is taken
        over where there are fingerprints. False where each has its own, or theirs is not known.
        """
        known, key = await other.transactions.read(facts.kept_key), self.transactions.privacy_key
        return await self.transactions.write(
            lambda connection: facts.same_key(connection, key, known, needed=bool(theirs))
        )

    async def everybody(self) -> set[int]:
        """The ids of all people that anything is held about."""
        return await self.transactions.read(everybody, limit=None)
