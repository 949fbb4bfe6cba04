"""Export and erase all data of one user.

User ids are in the columns listed here and in the JSON of a few columns, which is searched. Logs have numbers, and
`participants` links them to users.
"""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Final

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
from data.store.connection.bodies import BODY_ERRORS, read_mapping
from data.store.connection.engines import upsert
from data.store.connection.hooks import load_hooks
from data.store.connection.privacy_key import PrivacyKey, compute_fingerprint
from data.store.connection.repository import Repository, read_transaction, write_transaction
from data.store.connection.schema import to_mapping, to_text
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
from data.store.log.heads import list_lobbies_with_user
from data.store.matches import journal
from data.store.results import player_standings
from data.store.results.tables import bests, recents, results
from data.store.results.tables import standings as lines
from engine.table.table_events import Forgotten
from engine.table.table_state import RUNNING

TIME_LIMIT: Final = 120.0
ERASED_HOST: Final = 0
"""The host of a table whose host was erased."""
USER_TABLES: Final = (people, results, lines, recents, bests, alerts, alerted, deal_sitters, notes, premoves)
"""SQL tables of the core whose rows belong to one user."""
LINK_TABLES: Final = (seats, participants)
"""Rows that link a number in a log to a user."""

_JSON_COLUMNS: Final = (
    (outbox, ("dedupe",), "body"),
    (events, ("match_id", "seq"), "body"),
    (guilds, ("guild_id",), "settings"),
)

_ID_PATTERN: Final = re.compile(r"(?<!\d)\d{15,19}(?!\d)")
"""A Discord id. All of them have so many digits; a time in ms has fewer."""


def has_user_id(text: str) -> bool:
    """Return whether a typed text may contain a user id, which could not be erased later."""
    return _ID_PATTERN.search(text) is not None


async def export_user(connection: AsyncConnection, user_id: int) -> dict[str, Any]:
    """Return all data of a user as JSON."""
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
    settings = await _load_rows(connection, select(people).where(people.c.user_id == user_id))
    for row in settings:
        row["preferences"] = read_mapping(row["preferences"])
    actions = await list_moderator_actions(connection, user_id)
    found = {
        "settings": settings,
        "seats": await _load_rows(connection, played),
        "hosted": list(await connection.scalars(hosted)),
        "turns": list(await connection.scalars(turns)),
        "moderations": [{"match_id": match_id, "seq": seq, "user_id": user_id} for match_id, seq in actions],
    }
    linked = select(participants.c.match_id).where(participants.c.user_id == user_id)
    found["tables"] = list(await connection.scalars(linked.order_by(participants.c.match_id)))
    found["named_in"] = []
    for table, key, name in _JSON_COLUMNS:
        query = select(*(table.c[part] for part in key)).where(*_build_mention_condition(table, name, user_id))
        found["named_in"] += [{"table": table.name, **row} for row in await _load_rows(connection, query)]
    for name, export in load_hooks().user_exporters.items():
        found[name] = await export(connection, user_id)
    for table in _list_own_tables()[1:]:
        found[table.name] = await _load_rows(connection, select(table).where(table.c.user_id == user_id))
    return found


async def erase_user(
    connection: AsyncConnection, user_id: int, left_match_ids: Collection[int], privacy_key: PrivacyKey, now: int
) -> bool:
    """Erase a user except for a fingerprint; False, and no change, if they sit at a running match that is not in
    `left_match_ids`.

    Seats, logs and posts of their matches stay without the link. Running matches get an event: their boards are drawn
    again, and changes that were decided while the name was known are stale (StaleVersion).
    """
    theirs = select(matches.c.match_id).where(matches.c.match_id.in_(union(*_build_match_queries(user_id))))
    # A user who sits down locks the guild before the match.
    naming = select(guilds.c.guild_id).where(*_build_mention_condition(guilds, "settings", user_id))
    await connection.execute(naming.order_by(guilds.c.guild_id).with_for_update())
    # First and in order, like a command that ends a match, to prevent deadlocks.
    known = bool(list(await connection.scalars(theirs.order_by(matches.c.match_id).with_for_update())))
    # A table that opens now may write an alert that is not visible yet.
    await connection.execute(select(alerts.c.game).where(alerts.c.user_id == user_id).with_for_update())
    for table in _list_own_tables():
        known |= await connection.scalar(select(table.c.user_id).where(table.c.user_id == user_id)) is not None
    running = list(await connection.scalars(theirs.where(matches.c.state.in_(RUNNING))))
    seated_matches = select(seats.c.match_id).where(seats.c.user_id == user_id, seats.c.match_id.in_(running))
    lobby_ids = await list_lobbies_with_user(connection, user_id)
    if {*await connection.scalars(seated_matches), *lobby_ids} - set(left_match_ids):
        return False
    for match_id in running:
        await journal.append_event(connection, match_id, Forgotten(), now)
    for table, key, name in _JSON_COLUMNS:
        if table is not events:  # only a moderator's text may name users there, and it stays
            known |= await _erase_from_json(connection, table, key, name, user_id)
    for table in LINK_TABLES:
        await connection.execute(update(table).where(table.c.user_id == user_id).values(user_id=None))
    await connection.execute(update(matches).where(matches.c.host_id == user_id).values(host_id=ERASED_HOST))
    await connection.execute(update(matches).where(matches.c.turn_user == user_id).values(turn_user=None))
    await player_standings.delete_standings(connection, user_id)
    for erase in load_hooks().user_erasers:
        known |= await erase(connection, user_id)
    for table in _list_own_tables():
        await connection.execute(delete(table).where(table.c.user_id == user_id))
    mark = compute_fingerprint(await facts.load_fingerprint_key(connection, privacy_key), user_id)
    await upsert(connection, forgotten, {"mark": mark}, {}, {"at": now})
    if known:
        await facts.request_scrub(connection)
    return True


async def list_user_ids(connection: AsyncConnection) -> set[int]:
    """Return the ids of all users with stored data. Ids of channels and messages in JSON are included, because they
    look the same.
    """
    columns = [table.c.user_id for table in (*_list_own_tables(), *LINK_TABLES)]
    columns += [matches.c.host_id, matches.c.turn_user, *load_hooks().user_columns]
    found = set(await connection.scalars(union(*(select(column) for column in columns))))
    user_ids = {int(user) for user in found if user} - {ERASED_HOST}
    for table, _, name in _JSON_COLUMNS:
        async with connection.stream(select(table.c[name]).where(*_build_text_condition(table))) as rows:
            async for (text,) in rows:
                user_ids.update(map(int, _ID_PATTERN.findall(str(text))))
    return user_ids


def _list_own_tables() -> list[Table]:
    return [*USER_TABLES, *load_hooks().user_tables]


async def _load_rows(connection: AsyncConnection, query: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await connection.execute(query)]


async def _erase_from_json(
    connection: AsyncConnection, table: Table, key: tuple[str, ...], name: str, user_id: int
) -> bool:
    columns = [table.c[part] for part in key]
    naming = select(*columns, table.c[name]).where(*_build_mention_condition(table, name, user_id))
    rows = (await connection.execute(naming)).all()
    for row in rows:
        # A garbled text with the user's id is replaced: it cannot be cleaned.
        cleaned = to_text(remove_user_id(read_mapping(row._mapping[name]), user_id))
        this = [part == row._mapping[part.name] for part in columns]
        await connection.execute(update(table).where(*this).values({name: cleaned}))
    return bool(rows)


def _build_match_queries(user_id: int) -> list[Select[int]]:
    """Return queries that together find all matches of a user."""
    return [
        select(matches.c.match_id).where(or_(matches.c.host_id == user_id, matches.c.turn_user == user_id)),
        select(outbox.c.match_id).where(*_build_mention_condition(outbox, "body", user_id)),
        *(select(table.c.match_id).where(table.c.user_id == user_id) for table in LINK_TABLES),
    ]


def _build_mention_condition(table: Table, name: str, user_id: int) -> list[ColumnElement[bool] | TextClause]:
    return [cast(table.c[name], Text).contains(str(user_id)), *_build_text_condition(table)]


def _build_text_condition(table: Table) -> list[ColumnElement[bool] | TextClause]:
    # Events have numbers for users; only a moderator's text may name one.
    return [text(RULINGS)] if table is events else []


def remove_user_id(value: Any, user_id: int) -> Any:
    """Return the JSON with null for a user id, and without entries under it."""
    match value:
        case dict():
            return {key: remove_user_id(part, user_id) for key, part in value.items() if key != str(user_id)}
        case list():
            return [remove_user_id(part, user_id) for part in value]
        case bool():
            return value
        case int() | str() if str(value) == str(user_id):
            return None
        case _:
            return value


_MODERATOR_ACTIONS: Final[Select[Any]] = (
    select(events.c.match_id, events.c.seq, events.c.body, participants.c.number)
    .join(participants, participants.c.match_id == events.c.match_id)
    .where(participants.c.user_id == bindparam("user"), text(RULINGS))
    .order_by(events.c.match_id, events.c.seq)
)


async def list_moderator_actions(connection: AsyncConnection, user_id: int) -> list[tuple[int, int]]:
    """Return the match and seq of each action of a moderator. Unreadable rows belong to no user."""
    found = []
    for row in await connection.execute(_MODERATOR_ACTIONS, {"user": user_id}):
        with suppress(*BODY_ERRORS):
            if to_mapping(row.body).get("by") == row.number:
                found.append((row.match_id, row.seq))
    return found


class ErasureStore(Repository):
    async def export_user(self, user_id: int) -> dict[str, Any]:
        return await self.transactions.read(lambda connection: export_user(connection, user_id), limit=TIME_LIMIT)

    async def erase_user(self, user_id: int, *, left_match_ids: Collection[int], now: int) -> bool:
        """Erase a user who has left these running matches; False, and no change, if they sit at others."""
        key = self.transactions.privacy_key
        return await self.transactions.write(
            lambda connection: erase_user(connection, user_id, left_match_ids, key, now), limit=TIME_LIMIT
        )

    @read_transaction
    async def load_fingerprints(self, connection: AsyncConnection) -> dict[str, int]:
        return {row.mark: row.at for row in await connection.execute(select(forgotten))}

    @write_transaction
    async def save_fingerprints(self, connection: AsyncConnection, marks: Mapping[str, int]) -> None:
        for mark, at in marks.items():
            await upsert(connection, forgotten, {"mark": mark}, {}, {"at": at})

    async def list_users_by_fingerprint(self, marks: Collection[str]) -> list[int]:
        """Return the users with stored data whose fingerprint is among these."""

        async def work(connection: AsyncConnection) -> list[int]:
            key = await facts.load_fingerprint_key(connection, self.transactions.privacy_key)
            user_ids = sorted(await list_user_ids(connection))
            return [user_id for user_id in user_ids if compute_fingerprint(key, user_id) in marks]

        return await self.transactions.write(work, limit=None)  # a key may be created

    async def adopt_fingerprint_key(self, other: "ErasureStore", fingerprints: Collection[str]) -> bool:
        """Return whether fingerprints of another database mean the same users here.

        Takes over the other key if this database has none. False if each has its own, or the other key is unknown.
        """
        known, key = await other.transactions.read(facts.load_stored_key), self.transactions.privacy_key
        return await self.transactions.write(
            lambda connection: facts.adopt_key(connection, key, known, is_needed=bool(fingerprints))
        )

    async def list_user_ids(self) -> set[int]:
        return await self.transactions.read(list_user_ids, limit=None)
