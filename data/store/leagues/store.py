"""Seasons of leagues: where each stands, its log, and whom the log means.

As with matches, the compare-and-set of the row is the whole concurrency design. A fixture's match and the event that
notes it are written in one transaction (`OpensFixture`), so nothing is played twice whoever is killed meanwhile.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

import msgspec
from sqlalchemy import Column, ColumnElement, Row, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.hooks import (
    HeldUp,
    ends_match,
    erases_user,
    exports_user,
    finds_held_up,
    purges_guild,
    register_guild_column,
    register_user_column,
)
from data.store.connection.json_text import to_mapping, to_text
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import LogDamaged, Stale
from data.store.leagues.seasons import (
    DUE_NOW,
    UNDER_WAY,
    KeptSeason,
    NewSeason,
    PastSeason,
    SeasonChange,
    SeasonHead,
    SeasonMessage,
)
from data.store.leagues.tables import entrants, fixtures, season_events, season_messages, seasons
from engine.leagues.season import SeasonState
from engine.leagues.season_events import FixtureOpened, SeasonEvent

register_guild_column(seasons.c.guild_id)
register_user_column(entrants.c.user_id)


async def begin_message(
    connection: AsyncConnection, season_id: int, channel_id: int, state: SeasonState, now: int
) -> SeasonMessage:
    """Note a message for this state of a season that is about to be sent to this channel."""
    line = {"season_id": season_id, "channel_id": channel_id, "state": state, "begun_at": now}
    row = await connection.execute(insert(season_messages).values(**line).returning(season_messages))
    return SeasonMessage(**row.one()._mapping)


async def arrived(connection: AsyncConnection, message: SeasonMessage, message_id: int) -> None:
    """This message of a season stands there."""
    mine = season_messages.c.number == message.number
    await connection.execute(update(season_messages).where(mine).values(message_id=message_id))


KINDS_OF_SEASONS: Final[dict[str, type[SeasonEvent]]] = {kind.__name__.lower(): kind for kind in get_args(SeasonEvent)}
"""The class of each kind of event, by its name in the log."""

_DECODERS: Final = {name: msgspec.json.Decoder(kind) for name, kind in KINDS_OF_SEASONS.items()}

_WAKE: Final = (
    update(seasons)
    .where(
        seasons.c.season_id.in_(select(fixtures.c.season_id).where(fixtures.c.match_id == bindparam("match"))),
        seasons.c.state == "running",
    )
    .values(due_at=DUE_NOW)
)


async def change_season(connection: AsyncConnection, change: SeasonChange, now: int) -> SeasonHead:
    """Do all of a change. Raises Stale where the season has moved on."""
    moved = (
        update(seasons)
        .where(seasons.c.season_id == change.season_id, seasons.c.seq == change.expected_seq)
        .values(seq=change.expected_seq + len(change.events), state=change.state, due_at=change.due_at, updated_at=now)
        .returning(seasons)
    )
    row = (await connection.execute(moved)).first()
    if row is None:
        raise Stale(change.expected_seq)
    await _append_events(connection, change.season_id, change.expected_seq, change.events, now)
    if change.signs_up is not None:
        player, user_id = change.signs_up
        there = entrants.c.season_id == change.season_id, entrants.c.player == player
        if (await connection.execute(select(entrants.c.player).where(*there))).first() is None:
            line = {"season_id": change.season_id, "player": player, "user_id": user_id}
            await connection.execute(insert(entrants), [line])
    return _head(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpensFixture:
    """The fixture of a season that a new match is for (`NewMatch.also`)."""

    change: SeasonChange
    """Where the season was decided on. Its only event comes with the match, whose number is not known before."""
    number: int

    async def __call__(self, connection: AsyncConnection, match_id: int, now: int) -> None:
        """Note that the match is that of the fixture, in the transaction that writes the match. Raises Stale."""
        told = [FixtureOpened(self.number, match_id)]
        await change_season(connection, replace(self.change, events=told), now)
        line = {"match_id": match_id, "season_id": self.change.season_id, "number": self.number}
        await connection.execute(insert(fixtures), [line])


@ends_match
async def wake(connection: AsyncConnection, match_id: int) -> None:
    """A match is over: its season looks at once what that means, where it has one."""
    await connection.execute(_WAKE, {"match": match_id})


async def names_of(connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, str]:
    """What the leagues of these seasons are called."""
    first = season_events.c.season_id.in_(season_ids), season_events.c.seq == 1
    rows = await connection.execute(select(season_events.c.season_id, season_events.c.body).where(*first))
    return {row.season_id: to_mapping(row.body)["conditions"]["name"] for row in rows}


@finds_held_up
async def held_up(connection: AsyncConnection, here: Callable[[Column[int]], ColumnElement[bool]]) -> list[HeldUp]:
    """The seasons under way that cannot go on, of the servers that `here` chooses."""
    columns = (seasons.c.season_id, seasons.c.guild_id, seasons.c.channel_id, seasons.c.trouble)
    these = seasons.c.state.in_(UNDER_WAY), seasons.c.trouble.is_not(None), here(seasons.c.guild_id)
    rows = await connection.execute(select(*columns).where(*these).order_by(seasons.c.season_id))
    found = rows.all()
    names = await names_of(connection, [row.season_id for row in found])
    return [
        HeldUp(
            number=row.season_id,
            name=names[row.season_id],
            guild_id=row.guild_id,
            channel_id=row.channel_id,
            trouble=row.trouble,
        )
        for row in found
    ]


async def message_shows(connection: AsyncConnection, season_id: int, before: int, seq: int) -> None:
    """The message of a season shows this event; `before` was shown when that was begun.

    Where somebody else has shown something meanwhile, nobody knows whose request came last: it is shown once more.
    """
    season = update(seasons).where(seasons.c.season_id == season_id)
    if (await connection.execute(season.where(seasons.c.shown_seq == before).values(shown_seq=seq))).rowcount != 1:
        await connection.execute(season.values(shown_seq=0, due_at=DUE_NOW))


@purges_guild
async def purge_seasons(connection: AsyncConnection, guild_id: int) -> None:
    """Delete all seasons of a server."""
    await connection.execute(delete(seasons).where(seasons.c.guild_id == guild_id))


def _head(row: Row[Any]) -> SeasonHead:
    return SeasonHead(**{name: row._mapping[name] for name in SeasonHead.__dataclass_fields__})


def _event(season_id: int, row: Row[Any]) -> SeasonEvent:
    """The event of a row. Raises LogDamaged rather than leave out what it does not know."""
    decoder = _DECODERS.get(row.kind)
    if decoder is None:
        raise LogDamaged(season_id, row.seq, f"its kind {row.kind!r} is unknown in a season", newer=True)
    try:
        return decoder.decode(row.body)
    except msgspec.MsgspecError as error:
        raise LogDamaged(season_id, row.seq, str(error)) from error


async def _append_events(
    connection: AsyncConnection, season_id: int, after: int, added: Sequence[SeasonEvent], now: int
) -> None:
    rows = [
        {
            "season_id": season_id,
            "seq": seq,
            "kind": type(event).__name__.lower(),
            "body": to_text(event),
            "at": now,
        }
        for seq, event in enumerate(added, after + 1)
    ]
    if rows:
        await connection.execute(insert(season_events), rows)


@exports_user("seasons")
async def lines_of(connection: AsyncConnection, user_id: int) -> list[dict[str, Any]]:
    """The seasons that somebody plays in or has."""
    query = (
        select(entrants.c.season_id, entrants.c.player, seasons.c.guild_id, seasons.c.state)
        .join(seasons, seasons.c.season_id == entrants.c.season_id)
        .where(entrants.c.user_id == user_id)
        .order_by(entrants.c.season_id)
    )
    return [dict(row._mapping) for row in await connection.execute(query)]


@erases_user
async def forget_entrant(connection: AsyncConnection, user_id: int) -> bool:
    """Nothing says any more whom the seasons mean by somebody's numbers; those under way see at once that they left.
    Whether there were any.
    """
    theirs = select(entrants.c.season_id).where(entrants.c.user_id == user_id)
    numbers = list(await connection.scalars(theirs))
    if numbers:
        waiting = seasons.c.season_id.in_(numbers), seasons.c.state.in_(UNDER_WAY)
        await connection.execute(update(seasons).where(*waiting).values(due_at=DUE_NOW))
        await connection.execute(update(entrants).where(entrants.c.user_id == user_id).values(user_id=None))
    return bool(numbers)


class SeasonStore(Repository):
    """Seasons: announcing them, going on with them, and what their messages show."""

    @writes
    async def announce_season(
        self, connection: AsyncConnection, new: NewSeason, *, now: int, request: int | None = None
    ) -> SeasonHead:
        """Announce a season; a second time for the same request, or after the same season, it is the one that is
        there.
        """
        known = [seasons.c.request_id == request] if request is not None else []
        known += [seasons.c.previous_id == new.previous_id] if new.previous_id is not None else []
        for one in known:
            row = (await connection.execute(select(seasons).where(one))).first()
            if row is not None:
                return _head(row)
        values = {
            "previous_id": new.previous_id,
            "request_id": request,
            "guild_id": new.guild_id,
            "channel_id": new.channel_id,
            "state": "signup",
            "seq": len(new.events),
            "shown_seq": 0,
            "due_at": new.due_at,
            "attempts": 0,
            "created_at": now,
            "updated_at": now,
        }
        row = (await connection.execute(insert(seasons).values(**values).returning(seasons))).one()
        await _append_events(connection, row.season_id, 0, new.events, now)
        return _head(row)

    @writes
    async def change_season(self, connection: AsyncConnection, change: SeasonChange, *, now: int) -> SeasonHead:
        """Write what an act does to a season. Raises Stale where it has moved on."""
        return await change_season(connection, change, now)

    @reads
    async def season(self, connection: AsyncConnection, season_id: int) -> KeptSeason | None:
        """A season with its log and its people. Raises LogDamaged."""
        row = (await connection.execute(select(seasons).where(seasons.c.season_id == season_id))).first()
        if row is None:
            return None
        lines = select(season_events).where(season_events.c.season_id == season_id).order_by(season_events.c.seq)
        log = tuple(_event(season_id, line) for line in await connection.execute(lines))
        who = select(entrants).where(entrants.c.season_id == season_id).order_by(entrants.c.player)
        people = {line.player: line.user_id for line in await connection.execute(who)}
        return KeptSeason(head=_head(row), log=log, people=people)

    @reads
    async def seasons_due(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNDIVIDED
    ) -> list[SeasonHead]:
        """The seasons of these shards on which the clock must act, longest overdue first."""
        query = select(seasons).where(seasons.c.due_at <= now, of.hold(seasons.c.guild_id))
        return [_head(row) for row in await connection.execute(query.order_by(seasons.c.due_at).limit(limit))]

    @reads
    async def seasons_of(self, connection: AsyncConnection, guild_id: int, *, limit: int = 25) -> list[SeasonHead]:
        """The seasons of a server, newest first."""
        query = select(seasons).where(seasons.c.guild_id == guild_id)
        ordered = query.order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc()).limit(limit)
        return [_head(row) for row in await connection.execute(ordered)]

    @reads
    async def seasons_over_with(
        self, connection: AsyncConnection, user_id: int, guild_id: int, *, limit: int
    ) -> list[PastSeason]:
        """The seasons of a server that are over and for which somebody signed up, newest first."""
        columns = seasons.c.season_id, seasons.c.channel_id, entrants.c.player
        query = (
            select(*columns)
            .join(entrants, entrants.c.season_id == seasons.c.season_id)
            .where(entrants.c.user_id == user_id, seasons.c.guild_id == guild_id, seasons.c.state == "over")
            .order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc())
            .limit(limit)
        )
        return [PastSeason(**row._mapping) for row in await connection.execute(query)]

    @reads
    async def season_people(
        self, connection: AsyncConnection, season_ids: Collection[int]
    ) -> dict[tuple[int, int], int | None]:
        """Whom the logs of these seasons mean, by season and player; None for somebody who was forgotten."""
        columns = entrants.c.season_id, entrants.c.player, entrants.c.user_id
        rows = await connection.execute(select(*columns).where(entrants.c.season_id.in_(season_ids)))
        return {(row.season_id, row.player): row.user_id for row in rows}

    @reads
    async def seasons_underway(self, connection: AsyncConnection, guild_id: int) -> int:
        """How many seasons of a server are not over."""
        query = select(func.count()).where(seasons.c.guild_id == guild_id, seasons.c.state.in_(UNDER_WAY))
        return int((await connection.execute(query)).scalar_one())

    @reads
    async def season_of_match(self, connection: AsyncConnection, match_id: int) -> int | None:
        """The season that a match belongs to; None where it has none."""
        return (
            await connection.execute(select(fixtures.c.season_id).where(fixtures.c.match_id == match_id))
        ).scalar_one_or_none()

    @reads
    async def season_messages(self, connection: AsyncConnection, season_id: int) -> list[SeasonMessage]:
        """The messages of a season that stand, or may, oldest first."""
        query = (
            select(season_messages).where(season_messages.c.season_id == season_id).order_by(season_messages.c.number)
        )
        return [SeasonMessage(**row._mapping) for row in await connection.execute(query)]

    @reads
    async def standing_messages(self, connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, int]:
        """The message of each of these seasons that shows how it stands, where there is one."""
        here = season_messages.c.season_id == seasons.c.season_id, season_messages.c.channel_id == seasons.c.channel_id
        query = (
            select(season_messages.c.season_id, season_messages.c.message_id)
            .join(seasons, and_(*here))
            .where(season_messages.c.season_id.in_(season_ids), season_messages.c.message_id.is_not(None))
            .order_by(season_messages.c.number)
        )
        return {row.season_id: row.message_id for row in await connection.execute(query)}

    @writes
    async def begin_season_message(self, connection: AsyncConnection, head: SeasonHead, *, now: int) -> SeasonMessage:
        """Note a message that is about to be sent where a season stands, for its state."""
        return await begin_message(connection, head.season_id, head.channel_id, head.state, now)

    @writes
    async def season_shown(
        self, connection: AsyncConnection, message: SeasonMessage, *, message_id: int, before: int, seq: int
    ) -> None:
        """This message of a season arrived as `message_id`, and shows this event; `before` was shown when whoever sent
        it looked. Where that is not so any more it is due again, since an older request may have come last.
        """
        await arrived(connection, message, message_id)
        await message_shows(connection, message.season_id, before, seq)

    @writes
    async def forget_season_message(self, connection: AsyncConnection, message: SeasonMessage) -> None:
        """A message of a season stands nowhere any more."""
        await connection.execute(delete(season_messages).where(season_messages.c.number == message.number))

    @writes
    async def take_season(self, connection: AsyncConnection, head: SeasonHead, *, until: int) -> bool:
        """Only the caller goes on with a season that is due, until then. False where somebody else does."""
        mine = seasons.c.season_id == head.season_id, seasons.c.due_at == head.due_at
        return (await connection.execute(update(seasons).where(*mine).values(due_at=until))).rowcount == 1

    @writes
    async def let_go_of_season(
        self, connection: AsyncConnection, season_id: int, *, taken: int, at: int | None, trouble: int | None
    ) -> None:
        """Whoever took a season until `taken` is done with it: it is due again `at` that time, None for never.
        `trouble` is what kept it from going on.
        """
        row = {"due_at": at, "trouble": trouble, "attempts": 0 if trouble is None else seasons.c.attempts + 1}
        mine = seasons.c.season_id == season_id, seasons.c.due_at == taken
        await connection.execute(update(seasons).where(*mine).values(**row))

    @writes
    async def move_season(self, connection: AsyncConnection, season_id: int, channel_id: int, *, now: int) -> None:
        """A season that is under way goes on in this channel, with a message of its own; those it has are old."""
        row = {"channel_id": channel_id, "shown_seq": 0, "trouble": None, "due_at": DUE_NOW}
        waiting = seasons.c.season_id == season_id, seasons.c.state.in_(UNDER_WAY)
        moved = (await connection.execute(update(seasons).where(*waiting).values(**row).returning(seasons))).first()
        if moved is not None:
            await begin_message(connection, season_id, channel_id, moved.state, now)
