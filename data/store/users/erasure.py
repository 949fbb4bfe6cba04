"""What is held about one person: all of it to take along, and all of it to forget.

Ids of people stand in the columns listed here and nowhere else but in the JSON of a few columns, which is searched: in
logs there are numbers, and `participants` alone says whose they are.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, Text, TextClause, cast, delete, or_, select, text, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.leagues import seasons
from data.store.leagues.tables import entrants
from data.store.log import codec, journal, moderation
from data.store.log.deal_tables import deal_sitters
from data.store.log.tables import (
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
from data.store.operations import facts
from data.store.puzzles import tries
from data.store.puzzles.tables import puzzle_shares, puzzle_tries
from data.store.results import player_standings
from data.store.results.tables import bests, figures, recents, results
from data.store.results.tables import standings as lines
from data.store.reviews import store as reviews_store
from data.store.solo.tables import attacks
from data.store.users.participants import lobbies_naming
from engine.table.table_events import Forgotten
from engine.table.table_state import RUNNING

NOBODY: Final = 0
"""The host of a table whose host was forgotten."""

OWN: Final = (
    people,
    results,
    lines,
    recents,
    bests,
    figures,
    attacks,
    alerts,
    alerted,
    deal_sitters,
    notes,
    premoves,
    puzzle_tries,
    puzzle_shares,
)
"""Rows that are about one person and nobody else."""
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
    """Everything the store holds about a person, as JSON."""
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
        row["preferences"] = codec.to_mapping(row["preferences"])
    stepped_in = await moderation.acts_of(connection, user_id)
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
    found["reviews"] = [asdict(one) for one in await reviews_store.own_reviews(connection, user_id)]
    found["seasons"] = await seasons.lines_of(connection, user_id)
    for table in OWN[1:]:
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
    for table in OWN:
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
    known |= await seasons.forget_entrant(connection, user_id)
    for table in LINKS:
        await connection.execute(update(table).where(table.c.user_id == user_id).values(user_id=None))
    await connection.execute(update(matches).where(matches.c.host_id == user_id).values(host_id=NOBODY))
    await connection.execute(update(matches).where(matches.c.turn_user == user_id).values(turn_user=None))
    await player_standings.strike_off(connection, user_id)
    tried = await tries.rated_with(connection, user_id)
    for table in OWN:
        await connection.execute(delete(table).where(table.c.user_id == user_id))
    await tries.refold(connection, tried)
    mark = fingerprint(await facts.fingerprint_key(connection, privacy_key), user_id)
    await upsert(connection, forgotten, {"mark": mark}, {}, {"at": now})
    if known:
        await facts.leave_remains(connection)
    return True


async def fingerprints(connection: AsyncConnection) -> dict[str, int]:
    """The fingerprints of those who were forgotten, and when."""
    return {row.mark: row.at for row in await connection.execute(select(forgotten))}


async def keep_fingerprints(connection: AsyncConnection, known: Mapping[str, int]) -> None:
    """Take over fingerprints from another database."""
    for mark, at in known.items():
        await upsert(connection, forgotten, {"mark": mark}, {}, {"at": at})


async def recognised(connection: AsyncConnection, key: bytes, marks: Collection[str]) -> list[int]:
    """Those whose fingerprint is among these, of all that anything is held about."""
    return [user_id for user_id in sorted(await everybody(connection)) if fingerprint(key, user_id) in marks]


async def everybody(connection: AsyncConnection) -> set[int]:
    """The ids of all people that anything is held about.

    In JSON the id of a channel or a message looks like that of a person: those that stand there are among them.
    """
    columns = [table.c.user_id for table in (*OWN, *LINKS, entrants)] + [matches.c.host_id, matches.c.turn_user]
    found = set(await connection.scalars(union(*(select(column) for column in columns))))
    people_known = {int(user) for user in found if user} - {NOBODY}
    for table, _, name in _JSON:
        async with connection.stream(select(table.c[name]).where(*_worded(table))) as rows:
            async for (text,) in rows:
                people_known.update(map(int, _ID.findall(text)))
    return people_known


async def _rows(connection: AsyncConnection, query: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await connection.execute(query)]


async def _scrub(connection: AsyncConnection, table: Table, key: tuple[str, ...], name: str, user_id: int) -> bool:
    """Take a person out of the JSON of one column; whether they stood there."""
    columns = [table.c[part] for part in key]
    naming = select(*columns, table.c[name]).where(*_naming(table, name, user_id))
    rows = (await connection.execute(naming)).all()
    for row in rows:
        cleaned = codec.to_text(without(codec.to_mapping(row._mapping[name]), user_id))
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
