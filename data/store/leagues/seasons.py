"""Seasons of leagues: where each stands, its log, and whom the log means.

As with matches, the compare-and-set of the row is the whole concurrency design. A fixture's match and the event that
notes it are written in one transaction (`note_opening`), so nothing is played twice whoever is killed meanwhile.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast, get_args

import msgspec
from sqlalchemy import Column, ColumnElement, Row, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.shards import Shards
from data.store.connection.store_errors import LogDamaged, Stale
from data.store.leagues.tables import entrants, fixtures, season_events, season_messages, seasons
from data.store.log import codec
from engine.leagues.season import SeasonState
from engine.leagues.season_events import FixtureOpened, SeasonEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonMessage:
    """A message of a season that stands in a channel, or may: nobody knows whether it arrived before that is noted."""

    number: int
    """As no other message of any season has."""
    season_id: int
    channel_id: int
    state: SeasonState
    """The state that it was posted for."""
    message_id: int | None
    """None: it is being sent, or whoever sent it did not live to note it."""
    begun_at: int

    @property
    def nonce(self) -> str:
        """By what it is sent, and found again."""
        return f"season{self.season_id}{self.state}{self.number}"[-25:]


async def messages_of(connection: AsyncConnection, season_id: int) -> list[SeasonMessage]:
    """The messages of a season that stand, or may, oldest first."""
    query = select(season_messages).where(season_messages.c.season_id == season_id).order_by(season_messages.c.number)
    return [SeasonMessage(**row._mapping) for row in await connection.execute(query)]


async def standing_messages(connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, int]:
    """The message of each of these seasons that shows how it stands, where there is one."""
    here = season_messages.c.season_id == seasons.c.season_id, season_messages.c.channel_id == seasons.c.channel_id
    query = (
        select(season_messages.c.season_id, season_messages.c.message_id)
        .join(seasons, and_(*here))
        .where(season_messages.c.season_id.in_(season_ids), season_messages.c.message_id.is_not(None))
        .order_by(season_messages.c.number)
    )
    return {row.season_id: row.message_id for row in await connection.execute(query)}


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


async def forget_message(connection: AsyncConnection, message: SeasonMessage) -> None:
    """A message of a season stands nowhere any more."""
    await connection.execute(delete(season_messages).where(season_messages.c.number == message.number))


KINDS_OF_SEASONS: Final[dict[str, type[SeasonEvent]]] = {kind.__name__.lower(): kind for kind in get_args(SeasonEvent)}
"""The class of each kind of event, by its name in the log."""
_DECODERS: Final = {name: msgspec.json.Decoder(kind) for name, kind in KINDS_OF_SEASONS.items()}
DUE_NOW: Final = 0
"""When something is due that is due at once."""
UNDER_WAY: Final = ("signup", "running")

_WAKE: Final = (
    update(seasons)
    .where(
        seasons.c.season_id.in_(select(fixtures.c.season_id).where(fixtures.c.match_id == bindparam("match"))),
        seasons.c.state == "running",
    )
    .values(due_at=DUE_NOW)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonHead:
    """Where a season stands: everything about it but its log and its people."""

    season_id: int
    previous_id: int | None
    guild_id: int
    channel_id: int
    state: SeasonState
    seq: int
    shown_seq: int
    """The event that the newest of its messages shows."""
    due_at: int | None
    attempts: int
    """How often in a row something could not be done."""
    trouble: int | None
    """Discord's number of what keeps it from going on; 0 where that has none."""
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSeason:
    """A season that cannot go on: its next matches cannot open, or its message cannot be shown."""

    season_id: int
    guild_id: int
    channel_id: int
    trouble: int
    """As in its head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSeason:
    """A season read at one instant."""

    head: SeasonHead
    log: tuple[SeasonEvent, ...]
    people: Mapping[int, int | None]
    """By player; None for somebody who was forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSeason:
    """A season to announce."""

    guild_id: int
    channel_id: int
    events: Sequence[SeasonEvent]
    due_at: int | None
    previous_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonChange:
    """What one act does to a season: all of it happens, or nothing."""

    season_id: int
    expected_seq: int
    events: Sequence[SeasonEvent] = ()
    state: SeasonState
    due_at: int | None
    signs_up: tuple[int, int] | None = None
    """A player, and who that is, from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpensFixture:
    """The fixture of a season that a new match is for."""

    change: SeasonChange
    """Where the season was decided on. Its only event comes with the match, whose number is not known before."""
    number: int


async def announce(connection: AsyncConnection, new: NewSeason, now: int, request: int | None) -> SeasonHead:
    """A new season, or the one that this request, or the end of the one before, has announced already."""
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


async def note_opening(connection: AsyncConnection, opening: OpensFixture, match_id: int, now: int) -> None:
    """A new match is that of a fixture, in the transaction that writes the match. Raises Stale."""
    told = [FixtureOpened(opening.number, match_id)]
    await change_season(connection, replace(opening.change, events=told), now)
    line = {"match_id": match_id, "season_id": opening.change.season_id, "number": opening.number}
    await connection.execute(insert(fixtures), [line])


async def wake(connection: AsyncConnection, match_id: int) -> None:
    """A match is over: its season looks at once what that means, where it has one."""
    await connection.execute(_WAKE, {"match": match_id})


async def due_seasons(connection: AsyncConnection, now: int, limit: int, of: Shards) -> list[SeasonHead]:
    """The seasons on which the clock must act, longest overdue first."""
    query = select(seasons).where(seasons.c.due_at <= now, of.hold(seasons.c.guild_id))
    return [_head(row) for row in await connection.execute(query.order_by(seasons.c.due_at).limit(limit))]


async def load_season(connection: AsyncConnection, season_id: int) -> KeptSeason | None:
    """A season with its log. Raises LogDamaged."""
    row = (await connection.execute(select(seasons).where(seasons.c.season_id == season_id))).first()
    if row is None:
        return None
    lines = select(season_events).where(season_events.c.season_id == season_id).order_by(season_events.c.seq)
    log = tuple(_event(season_id, line) for line in await connection.execute(lines))
    who = select(entrants).where(entrants.c.season_id == season_id).order_by(entrants.c.player)
    people = {line.player: line.user_id for line in await connection.execute(who)}
    return KeptSeason(head=_head(row), log=log, people=people)


async def seasons_of(connection: AsyncConnection, guild_id: int, limit: int) -> list[SeasonHead]:
    """The seasons of a server, newest first."""
    query = select(seasons).where(seasons.c.guild_id == guild_id)
    ordered = query.order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc()).limit(limit)
    return [_head(row) for row in await connection.execute(ordered)]


async def underway(connection: AsyncConnection, guild_id: int) -> int:
    """How many seasons of a server are not over."""
    query = select(func.count()).where(seasons.c.guild_id == guild_id, seasons.c.state.in_(UNDER_WAY))
    return int((await connection.execute(query)).scalar_one())


async def held_up(connection: AsyncConnection, here: Callable[[Column[int]], ColumnElement[bool]]) -> list[HeldSeason]:
    """The seasons under way that cannot go on, of the servers that `here` chooses."""
    columns = (seasons.c.season_id, seasons.c.guild_id, seasons.c.channel_id, seasons.c.trouble)
    these = seasons.c.state.in_(UNDER_WAY), seasons.c.trouble.is_not(None), here(seasons.c.guild_id)
    rows = await connection.execute(select(*columns).where(*these).order_by(seasons.c.season_id))
    return [HeldSeason(**row._mapping) for row in rows]


async def season_of_match(connection: AsyncConnection, match_id: int) -> int | None:
    """The season that a match belongs to; None where it has none."""
    return (
        await connection.execute(select(fixtures.c.season_id).where(fixtures.c.match_id == match_id))
    ).scalar_one_or_none()


async def take_season(connection: AsyncConnection, head: SeasonHead, until: int) -> bool:
    """Only the caller goes on with a season, until then. False where somebody else does, or something came."""
    mine = seasons.c.season_id == head.season_id, seasons.c.due_at == head.due_at
    return (await connection.execute(update(seasons).where(*mine).values(due_at=until))).rowcount == 1


async def let_go(connection: AsyncConnection, season_id: int, taken: int, at: int | None, trouble: int | None) -> None:
    """Whoever took a season is done with it: it is due again then. `trouble` is Discord's reason why something could
    not be done; None: all went well. What came meanwhile is due at once, and stays so.
    """
    row = {"due_at": at, "trouble": trouble, "attempts": 0 if trouble is None else seasons.c.attempts + 1}
    mine = seasons.c.season_id == season_id, seasons.c.due_at == taken
    await connection.execute(update(seasons).where(*mine).values(**row))


async def move_season(connection: AsyncConnection, season_id: int, channel_id: int, now: int) -> None:
    """A season that is under way goes on in this channel, where its message is posted anew."""
    row = {"channel_id": channel_id, "shown_seq": 0, "trouble": None, "due_at": DUE_NOW}
    waiting = seasons.c.season_id == season_id, seasons.c.state.in_(UNDER_WAY)
    moved = (await connection.execute(update(seasons).where(*waiting).values(**row).returning(seasons))).first()
    if moved is not None:
        await begin_message(connection, season_id, channel_id, moved.state, now)


async def message_shows(connection: AsyncConnection, season_id: int, before: int, seq: int) -> None:
    """The message of a season shows this event; `before` was shown when that was begun.

    Where somebody else has shown something meanwhile, nobody knows whose request came last: it is shown once more.
    """
    season = update(seasons).where(seasons.c.season_id == season_id)
    if (await connection.execute(season.where(seasons.c.shown_seq == before).values(shown_seq=seq))).rowcount != 1:
        await connection.execute(season.values(shown_seq=0, due_at=DUE_NOW))


async def purge_seasons(connection: AsyncConnection, guild_id: int) -> None:
    """Delete all seasons of a server."""
    await connection.execute(delete(seasons).where(seasons.c.guild_id == guild_id))


async def names_of(connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, str]:
    """What these leagues are called."""
    first = season_events.c.season_id.in_(season_ids), season_events.c.seq == 1
    rows = await connection.execute(select(season_events.c.season_id, season_events.c.body).where(*first))
    return {row.season_id: codec.to_mapping(row.body)["conditions"]["name"] for row in rows}


def _head(row: Row[Any]) -> SeasonHead:
    return SeasonHead(
        season_id=row.season_id,
        previous_id=row.previous_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        state=cast(SeasonState, row.state),
        seq=row.seq,
        shown_seq=row.shown_seq,
        due_at=row.due_at,
        attempts=row.attempts,
        trouble=row.trouble,
        created_at=row.created_at,
    )


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
            "body": codec.to_text(event),
            "at": now,
        }
        for seq, event in enumerate(added, after + 1)
    ]
    if rows:
        await connection.execute(insert(season_events), rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSeason:
    """A season that is over, for somebody who signed up for it."""

    season_id: int
    channel_id: int
    player: int
    """As whom its log knows them."""


async def over_with(connection: AsyncConnection, user_id: int, guild_id: int, limit: int) -> list[PastSeason]:
    """The seasons of a server that are over and for which somebody signed up, `limit` at most, newest first."""
    columns = seasons.c.season_id, seasons.c.channel_id, entrants.c.player
    query = (
        select(*columns)
        .join(entrants, entrants.c.season_id == seasons.c.season_id)
        .where(entrants.c.user_id == user_id, seasons.c.guild_id == guild_id, seasons.c.state == "over")
        .order_by(seasons.c.created_at.desc(), seasons.c.season_id.desc())
        .limit(limit)
    )
    return [PastSeason(**row._mapping) for row in await connection.execute(query)]


async def entrants_of(connection: AsyncConnection, season_ids: Collection[int]) -> dict[tuple[int, int], int | None]:
    """Whom the logs of these seasons mean, by season and player; None for somebody who was forgotten."""
    columns = entrants.c.season_id, entrants.c.player, entrants.c.user_id
    rows = await connection.execute(select(*columns).where(entrants.c.season_id.in_(season_ids)))
    return {(row.season_id, row.player): row.user_id for row in rows}


async def lines_of(connection: AsyncConnection, user_id: int) -> list[dict[str, Any]]:
    """The seasons that somebody plays in or has."""
    query = (
        select(entrants.c.season_id, entrants.c.player, seasons.c.guild_id, seasons.c.state)
        .join(seasons, seasons.c.season_id == entrants.c.season_id)
        .where(entrants.c.user_id == user_id)
        .order_by(entrants.c.season_id)
    )
    return [dict(row._mapping) for row in await connection.execute(query)]


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
