"""Seasons of leagues: their state, logs and players.

As with matches, the compare-and-set of the row is the concurrency design. A fixture's match and its event are written
in one transaction (`FixtureOpener`), so a crash repeats nothing.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

import msgspec
from sqlalchemy import Column, ColumnElement, Row, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import hooks
from data.store.connection.bodies import read_body, register_body
from data.store.connection.repository import Repository, build_write_method, read_transaction, write_transaction
from data.store.connection.schema import to_mapping, to_row, to_text, to_value
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.store_errors import DamagedLog, StaleVersion
from data.store.leagues.seasons import (
    DUE_NOW,
    UNDER_WAY,
    NewSeason,
    PastSeason,
    SeasonChange,
    SeasonHead,
    SeasonMessage,
    StoredSeason,
)
from data.store.leagues.tables import entrants, fixtures, season_events, season_messages, seasons
from engine.leagues.season import SeasonState
from engine.leagues.season_events import FixtureOpened, SeasonEvent

hooks.register_guild_column(seasons.c.guild_id)
hooks.register_user_column(entrants.c.user_id)


async def begin_message(
    connection: AsyncConnection, season_id: int, channel_id: int, state: SeasonState, now: int
) -> SeasonMessage:
    line = {"season_id": season_id, "channel_id": channel_id, "state": state, "begun_at": now}
    row = await connection.execute(insert(season_messages).values(**line).returning(season_messages))
    return SeasonMessage(**row.one()._mapping)


_DECODERS: Final[dict[str, msgspec.json.Decoder[SeasonEvent]]] = {
    kind.__name__.lower(): msgspec.json.Decoder(kind) for kind in get_args(SeasonEvent)
}
"""By the name of the kind of event in the log."""

_MARK_DUE: Final = (
    update(seasons)
    .where(
        seasons.c.season_id.in_(select(fixtures.c.season_id).where(fixtures.c.match_id == bindparam("match"))),
        seasons.c.state == "running",
    )
    .values(due_at=DUE_NOW)
)


async def change_season(connection: AsyncConnection, change: SeasonChange, now: int) -> SeasonHead:
    """Raises StaleVersion if the season has changed since."""
    moved = (
        update(seasons)
        .where(seasons.c.season_id == change.season_id, seasons.c.seq == change.expected_seq)
        .values(seq=change.expected_seq + len(change.events), state=change.state, due_at=change.due_at, updated_at=now)
        .returning(seasons)
    )
    row = (await connection.execute(moved)).first()
    if row is None:
        raise StaleVersion(change.expected_seq)
    await _append_events(connection, change.season_id, change.expected_seq, change.events, now)
    if change.signup is not None:
        player, user_id = change.signup
        there = entrants.c.season_id == change.season_id, entrants.c.player == player
        if (await connection.execute(select(entrants.c.player).where(*there))).first() is None:
            line = {"season_id": change.season_id, "player": player, "user_id": user_id}
            await connection.execute(insert(entrants), [line])
    return to_value(SeasonHead, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureOpener:
    """The fixture of a season that a new match is for (`NewMatch.extra_write`)."""

    change: SeasonChange
    """The change that was decided on. Its only event comes with the match, whose number is not known before."""
    number: int

    async def __call__(self, connection: AsyncConnection, match_id: int, now: int) -> None:
        """Note the match of the fixture in the transaction that writes the match. Raises StaleVersion."""
        events = [FixtureOpened(self.number, match_id)]
        await change_season(connection, replace(self.change, events=events), now)
        line = {"match_id": match_id, "season_id": self.change.season_id, "number": self.number}
        await connection.execute(insert(fixtures), [line])


@hooks.register_match_ender
async def mark_season_due(connection: AsyncConnection, match_id: int) -> None:
    """Make the season of a match that has ended due now, if it has one."""
    await connection.execute(_MARK_DUE, {"match": match_id})


@hooks.register_stalled_finder
async def list_stalled_seasons(
    connection: AsyncConnection, in_scope: Callable[[Column[int]], ColumnElement[bool]]
) -> list[hooks.StalledItem]:
    """Return the seasons under way that cannot continue, of the guilds that `here` selects."""
    first = (season_events.c.season_id == seasons.c.season_id) & (season_events.c.seq == 1)
    columns = (seasons.c.season_id, seasons.c.guild_id, seasons.c.channel_id, seasons.c.trouble, season_events.c.body)
    these = seasons.c.state.in_(UNDER_WAY), seasons.c.trouble.is_not(None), in_scope(seasons.c.guild_id)
    query = select(*columns).join(season_events, first).where(*these).order_by(seasons.c.season_id)
    return [
        to_value(hooks.StalledItem, row, number=row.season_id, name=_read_name(row))
        for row in await connection.execute(query)
    ]


def _read_name(row: Any) -> str:
    return read_body(lambda body: str(to_mapping(body)["conditions"]["name"]), row.body, f"#{row.season_id}")


@hooks.register_guild_purger
async def purge_seasons(connection: AsyncConnection, guild_id: int) -> None:
    await connection.execute(delete(seasons).where(seasons.c.guild_id == guild_id))


def _decode_event(season_id: int, row: Row[Any]) -> SeasonEvent:
    """Decode the event of a row. Raises DamagedLog for an unknown or unreadable event."""
    decoder = _DECODERS.get(row.kind)
    if decoder is None:
        raise DamagedLog(season_id, row.seq, f"its kind {row.kind!r} is unknown in a season", is_newer=True)
    try:
        return decoder.decode(row.body)
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise DamagedLog(season_id, row.seq, str(error)) from error


register_body(season_events.c.body, lambda row: _decode_event(row.season_id, row))


async def _append_events(
    connection: AsyncConnection, season_id: int, after: int, added: Sequence[SeasonEvent], now: int
) -> None:
    rows = [
        {"season_id": season_id, "seq": seq, "kind": type(event).__name__.lower(), "body": to_text(event), "at": now}
        for seq, event in enumerate(added, after + 1)
    ]
    if rows:
        await connection.execute(insert(season_events), rows)


async def export_seasons(connection: AsyncConnection, user_id: int) -> list[dict[str, Any]]:
    query = (
        select(entrants.c.season_id, entrants.c.player, seasons.c.guild_id, seasons.c.state)
        .join(seasons, seasons.c.season_id == entrants.c.season_id)
        .where(entrants.c.user_id == user_id)
        .order_by(entrants.c.season_id)
    )
    return [dict(row._mapping) for row in await connection.execute(query)]


hooks.register_user_exporters(seasons=export_seasons)


@hooks.register_user_eraser
async def forget_entrant(connection: AsyncConnection, user_id: int) -> bool:
    """Remove the link from a user to the players of seasons; seasons under way are due now, to note that they left."""
    theirs = select(entrants.c.season_id).where(entrants.c.user_id == user_id)
    numbers = list(await connection.scalars(theirs))
    if numbers:
        waiting = seasons.c.season_id.in_(numbers), seasons.c.state.in_(UNDER_WAY)
        await connection.execute(update(seasons).where(*waiting).values(due_at=DUE_NOW))
        await connection.execute(update(entrants).where(entrants.c.user_id == user_id).values(user_id=None))
    return bool(numbers)


class SeasonStore(Repository):
    change_season = build_write_method(change_season)

    @write_transaction
    async def announce_season(
        self, connection: AsyncConnection, new: NewSeason, *, now: int, request: int | None = None
    ) -> SeasonHead:
        """Announce a season; return the existing one for a repeated request or a second successor of a season."""
        known = [seasons.c.request_id == request] if request is not None else []
        known += [seasons.c.previous_id == new.previous_id] if new.previous_id is not None else []
        for one in known:
            row = (await connection.execute(select(seasons).where(one))).first()
            if row is not None:
                return to_value(SeasonHead, row)
        start = {"state": "signup", "seq": len(new.events), "shown_seq": 0, "attempts": 0}
        values = to_row(seasons, new, request_id=request, created_at=now, updated_at=now, **start)
        row = (await connection.execute(insert(seasons).values(values).returning(seasons))).one()
        await _append_events(connection, row.season_id, 0, new.events, now)
        return to_value(SeasonHead, row)

    @read_transaction
    async def find_season(self, connection: AsyncConnection, season_id: int) -> StoredSeason | None:
        """Raises DamagedLog."""
        row = (await connection.execute(select(seasons).where(seasons.c.season_id == season_id))).first()
        if row is None:
            return None
        lines = select(season_events).where(season_events.c.season_id == season_id).order_by(season_events.c.seq)
        log = tuple(_decode_event(season_id, line) for line in await connection.execute(lines))
        who = select(entrants).where(entrants.c.season_id == season_id).order_by(entrants.c.player)
        user_ids = {line.player: line.user_id for line in await connection.execute(who)}
        return StoredSeason(head=to_value(SeasonHead, row), log=log, user_ids=user_ids)

    @read_transaction
    async def list_due_seasons(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNSHARDED
    ) -> list[SeasonHead]:
        query = select(seasons).where(seasons.c.due_at <= now, of.build_guild_condition(seasons.c.guild_id))
        rows = await connection.execute(query.order_by(seasons.c.due_at).limit(limit))
        return [to_value(SeasonHead, row) for row in rows]

    @read_transaction
    async def list_seasons(self, connection: AsyncConnection, guild_id: int, *, limit: int = 25) -> list[SeasonHead]:
        query = select(seasons).where(seasons.c.guild_id == guild_id)
        ordered = query.order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc()).limit(limit)
        return [to_value(SeasonHead, row) for row in await connection.execute(ordered)]

    @read_transaction
    async def list_past_seasons(
        self, connection: AsyncConnection, user_id: int, guild_id: int, *, limit: int
    ) -> list[PastSeason]:
        """Newest first."""
        columns = seasons.c.season_id, seasons.c.channel_id, entrants.c.player
        query = (
            select(*columns)
            .join(entrants, entrants.c.season_id == seasons.c.season_id)
            .where(entrants.c.user_id == user_id, seasons.c.guild_id == guild_id, seasons.c.state == "over")
            .order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc())
            .limit(limit)
        )
        return [PastSeason(**row._mapping) for row in await connection.execute(query)]

    @read_transaction
    async def load_season_users(
        self, connection: AsyncConnection, season_ids: Collection[int]
    ) -> dict[tuple[int, int], int | None]:
        """Return the user ids of players of these seasons, by season and player; None for an erased user."""
        columns = entrants.c.season_id, entrants.c.player, entrants.c.user_id
        rows = await connection.execute(select(*columns).where(entrants.c.season_id.in_(season_ids)))
        return {(row.season_id, row.player): row.user_id for row in rows}

    @read_transaction
    async def count_active_seasons(self, connection: AsyncConnection, guild_id: int) -> int:
        query = select(func.count()).where(seasons.c.guild_id == guild_id, seasons.c.state.in_(UNDER_WAY))
        return await connection.scalar(query) or 0

    @read_transaction
    async def find_season_of_match(self, connection: AsyncConnection, match_id: int) -> int | None:
        return await connection.scalar(select(fixtures.c.season_id).where(fixtures.c.match_id == match_id))

    @read_transaction
    async def list_season_messages(self, connection: AsyncConnection, season_id: int) -> list[SeasonMessage]:
        query = select(season_messages).where(season_messages.c.season_id == season_id)
        rows = await connection.execute(query.order_by(season_messages.c.number))
        return [SeasonMessage(**row._mapping) for row in rows]

    @read_transaction
    async def load_newest_messages(self, connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, int]:
        """Return the newest message of each of these seasons in its channel, if there is one."""
        sent = season_messages.c
        in_season_channel = (sent.season_id == seasons.c.season_id) & (sent.channel_id == seasons.c.channel_id)
        query = (
            select(sent.season_id, sent.message_id)
            .join(seasons, in_season_channel)
            .where(sent.season_id.in_(season_ids), sent.message_id.is_not(None))
            .order_by(sent.number)
        )
        return {row.season_id: row.message_id for row in await connection.execute(query)}

    @write_transaction
    async def begin_season_message(self, connection: AsyncConnection, head: SeasonHead, *, now: int) -> SeasonMessage:
        return await begin_message(connection, head.season_id, head.channel_id, head.state, now)

    @write_transaction
    async def note_season_shown(
        self, connection: AsyncConnection, message: SeasonMessage, *, message_id: int, before: int, seq: int
    ) -> None:
        """Note that this message arrived as `message_id` and shows this seq; `before` was shown when its sender looked.

        If something else was shown since, an older request may have come last, so the season is due again.
        """
        mine = season_messages.c.number == message.number
        await connection.execute(update(season_messages).where(mine).values(message_id=message_id))
        season = update(seasons).where(seasons.c.season_id == message.season_id)
        shown = season.where(seasons.c.shown_seq == before).values(shown_seq=seq)
        if (await connection.execute(shown)).rowcount != 1:
            await connection.execute(season.values(shown_seq=0, due_at=DUE_NOW))

    @write_transaction
    async def delete_season_message(self, connection: AsyncConnection, message: SeasonMessage) -> None:
        await connection.execute(delete(season_messages).where(season_messages.c.number == message.number))

    @write_transaction
    async def lease_season(self, connection: AsyncConnection, head: SeasonHead, *, until: int) -> bool:
        """Take a lease on a due season; False if another process has it."""
        mine = seasons.c.season_id == head.season_id, seasons.c.due_at == head.due_at
        return (await connection.execute(update(seasons).where(*mine).values(due_at=until))).rowcount == 1

    @write_transaction
    async def release_season(
        self, connection: AsyncConnection, season_id: int, *, taken: int, at: int | None, trouble: int | None
    ) -> None:
        """End the lease `taken` of a season: it is due `at` that time, None for never; `trouble` blocked it."""
        row = {"due_at": at, "trouble": trouble, "attempts": 0 if trouble is None else seasons.c.attempts + 1}
        mine = seasons.c.season_id == season_id, seasons.c.due_at == taken
        await connection.execute(update(seasons).where(*mine).values(**row))

    @write_transaction
    async def close_damaged_season(self, connection: AsyncConnection, season_id: int, guild_id: int) -> bool:
        """Cancel a season under way whose log is garbled; False if there is none."""
        mine = seasons.c.season_id == season_id, seasons.c.guild_id == guild_id, seasons.c.state.in_(UNDER_WAY)
        closed = update(seasons).where(*mine).values(state="off", due_at=None, trouble=None, shown_seq=seasons.c.seq)
        return (await connection.execute(closed)).rowcount == 1

    @write_transaction
    async def move_season(self, connection: AsyncConnection, season_id: int, channel_id: int, *, now: int) -> None:
        """Move a season under way to this channel, where it gets a new message."""
        row = {"channel_id": channel_id, "shown_seq": 0, "trouble": None, "due_at": DUE_NOW}
        waiting = seasons.c.season_id == season_id, seasons.c.state.in_(UNDER_WAY)
        moved = (await connection.execute(update(seasons).where(*waiting).values(**row).returning(seasons))).first()
        if moved is not None:
            await begin_message(connection, season_id, channel_id, moved.state, now)
