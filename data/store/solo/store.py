"""Solo puzzles, kept for months, and score attack: one attempt a day that counts, and practice after it.

Whoever is quicker with the same version, on another device, is the one: the other is told how it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.engines import insert_unless_there
from data.store.connection.hooks import purges_guild, register_guild_column, register_user_table
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.tables import forgotten
from data.store.solo.tables import attack_days, attacks, figures
from data.store.users.store import hidden_ones

_ONE: Final = select(figures).where(figures.c.user_id == bindparam("user"), figures.c.figure == bindparam("name"))


@dataclass(frozen=True, slots=True)
class KeptFigure:
    """How far somebody is with a figure."""

    figure: str
    version: int = 0
    """Grows by one with each change; 0 where nothing was kept yet."""
    acts: str = ""
    """What was laid and lifted (`engine.solo.filling`)."""
    hints: int = 0
    """Since it was begun."""
    solved_at: int | None = None
    """When it was filled for the first time."""
    updated_at: int = 0


register_user_table(figures)
register_user_table(attacks)
register_guild_column(attacks.c.guild_id)

LISTED: Final = 10
"""So many stand on the list of a server."""

_ASKED: Final = 50
"""So many rows are looked at for it: some of them are of people who stay off lists."""


@dataclass(frozen=True, slots=True)
class KeptAttack:
    """How far somebody is with the deal of a day."""

    user_id: int
    day: str
    practice: bool
    version: int
    """Grows by one with each change."""
    counted: bool
    acts: str
    """What was done (`engine.solo.score_attack`)."""
    points: int | None
    """What it came to; None while it is open."""
    guild_id: int | None
    """The server on which it was ended."""
    begun_at: int
    ended_at: int | None


@purges_guild
async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget a server at the attempts that were ended there. What an attempt came to is its player's and stays."""
    await connection.execute(update(attacks).where(attacks.c.guild_id == guild_id).values(guild_id=None))


async def day_secret(connection: AsyncConnection, day: str) -> bytes | None:
    """What the tiles of a day are ordered by; None where nobody has asked for them yet."""
    query = select(attack_days.c.secret).where(attack_days.c.day == day)
    return (await connection.execute(query)).scalar_one_or_none()


async def look_at_deal(
    connection: AsyncConnection,
    user_id: int,
    day: str,
    *,
    practice: bool,
    began: int,
    key: PrivacyKey,
    now: int,
) -> KeptAttack:
    """Somebody looks at the deal of a day, which began at this moment; where they have before, nothing changes. It
    does not count where they had themselves forgotten since: nobody knows whether they have tried.
    """
    if (known := await attack(connection, user_id, day, practice)) is not None:
        return known
    counted = not practice and not await _forgotten_since(connection, user_id, began, key)
    row = {"user_id": user_id, "day": day, "practice": practice, "version": 1, "counted": counted, "acts": ""}
    added = insert_unless_there(attacks, connection.dialect.name).values(**row, begun_at=now)
    await connection.execute(added)
    found = await attack(connection, user_id, day, practice)
    assert found is not None
    return found


async def _forgotten_since(connection: AsyncConnection, user_id: int, at: int, key: PrivacyKey) -> bool:
    marks = set(await connection.scalars(select(forgotten.c.mark).where(forgotten.c.at >= at)))
    return bool(marks) and fingerprint(await facts.fingerprint_key(connection, key), user_id) in marks


async def attack(connection: AsyncConnection, user_id: int, day: str, practice: bool) -> KeptAttack | None:
    """How far somebody is; None where they have not begun."""
    row = (await connection.execute(select(attacks).where(*_this(user_id, day, practice)))).first()
    return None if row is None else _to_attack(row)


def _this(user_id: int, day: str, practice: bool) -> tuple[Any, ...]:
    return attacks.c.user_id == user_id, attacks.c.day == day, attacks.c.practice.is_(practice)


def _to_attack(row: Row[Any]) -> KeptAttack:
    facts_of = row._mapping
    return KeptAttack(**{name: facts_of[name] for name in KeptAttack.__dataclass_fields__})


class SoloStore(Repository):
    """Solo puzzles and score attack."""

    @reads
    async def figure(self, connection: AsyncConnection, user_id: int, figure: str) -> KeptFigure:
        """How far somebody is with a figure."""
        row = (await connection.execute(_ONE, {"user": user_id, "name": figure})).first()
        if row is None:
            return KeptFigure(figure)
        return KeptFigure(figure, row.version, row.acts, row.hints, row.solved_at, row.updated_at)

    @reads
    async def last_figure(self, connection: AsyncConnection, user_id: int) -> str | None:
        """The figure that somebody was at last."""
        mine = select(figures.c.figure).where(figures.c.user_id == user_id).order_by(figures.c.updated_at.desc())
        return (await connection.execute(mine.limit(1))).scalar_one_or_none()

    @writes
    async def keep_figure(self, connection: AsyncConnection, user_id: int, kept: KeptFigure, *, now: int) -> bool:
        """Keep what became of a version as the next one. False where it is not the last one any more."""
        row = {"acts": kept.acts, "hints": kept.hints, "solved_at": kept.solved_at, "updated_at": now}
        row["version"] = kept.version + 1
        if kept.version == 0:
            added = insert_unless_there(figures, connection.dialect.name)
            done = await connection.execute(added.values(user_id=user_id, figure=kept.figure, **row))
        else:
            mine = figures.c.user_id == user_id, figures.c.figure == kept.figure, figures.c.version == kept.version
            done = await connection.execute(update(figures).where(*mine).values(**row))
        return done.rowcount == 1

    @writes
    async def begin_sharing_figure(
        self, connection: AsyncConnection, user_id: int, figure: str, *, again: int, now: int
    ) -> bool:
        """The caller may show a figure to all. False where that was done since the moment `again`."""
        quiet = (figures.c.shared_at.is_(None)) | (figures.c.shared_at < again)
        mine = update(figures).where(figures.c.user_id == user_id, figures.c.figure == figure, quiet)
        return (await connection.execute(mine.values(shared_at=now))).rowcount == 1

    @writes
    async def figure_not_shared(self, connection: AsyncConnection, user_id: int, figure: str, *, at: int) -> None:
        """Nothing came of showing it at that moment."""
        mine = figures.c.user_id == user_id, figures.c.figure == figure, figures.c.shared_at == at
        await connection.execute(update(figures).where(*mine).values(shared_at=None))

    @writes
    async def prune_figures(self, connection: AsyncConnection, before: int) -> int:
        """Forget figures that nobody has touched since; returns how many."""
        return (await connection.execute(delete(figures).where(figures.c.updated_at < before))).rowcount

    @writes
    async def attack_secret(self, connection: AsyncConnection, day: str, fresh: bytes, *, now: int) -> bytes:
        """What the tiles of a day are ordered by: `fresh`, where nobody has asked for them before."""
        added = insert_unless_there(attack_days, connection.dialect.name)
        await connection.execute(added.values(day=day, secret=fresh, made_at=now))
        found = await day_secret(connection, day)
        assert found is not None
        return found

    @reads
    async def known_attack_secret(self, connection: AsyncConnection, day: str) -> bytes | None:
        """The same; None where nobody has asked for that deal, or long ago."""
        return await day_secret(connection, day)

    @writes
    async def begin_attack(
        self, connection: AsyncConnection, user_id: int, day: str, *, practice: bool, began: int, now: int
    ) -> KeptAttack:
        """Somebody looks at the deal of a day, which began at this moment."""
        return await look_at_deal(
            connection, user_id, day, practice=practice, began=began, key=self.transactions.privacy_key, now=now
        )

    @reads
    async def attack(self, connection: AsyncConnection, user_id: int, day: str, *, practice: bool) -> KeptAttack | None:
        """How far somebody is with a deal; None where they have not begun."""
        return await attack(connection, user_id, day, practice)

    @writes
    async def keep_attack(self, connection: AsyncConnection, kept: KeptAttack) -> bool:
        """Keep what became of a version as the next one. False where it is not the last one any more."""
        mine = *_this(kept.user_id, kept.day, kept.practice), attacks.c.version == kept.version
        changed = {"counted": kept.counted, "acts": kept.acts, "points": kept.points}
        changed |= {"guild_id": kept.guild_id, "ended_at": kept.ended_at}
        done = await connection.execute(update(attacks).where(*mine).values(version=kept.version + 1, **changed))
        return done.rowcount == 1

    @reads
    async def attacks_of_day(self, connection: AsyncConnection, guild_id: int, day: str) -> Sequence[KeptAttack]:
        """The list of a server for a day, best first."""
        query = (
            select(attacks)
            .where(attacks.c.guild_id == guild_id, attacks.c.day == day, attacks.c.counted, ~attacks.c.practice)
            .where(attacks.c.points.is_not(None))
            .order_by(attacks.c.points.desc(), attacks.c.ended_at, attacks.c.user_id)
            .limit(_ASKED)
        )
        found = [_to_attack(row) for row in await connection.execute(query)]
        hidden = await hidden_ones(connection, [one.user_id for one in found])
        return [one for one in found if one.user_id not in hidden][:LISTED]

    @reads
    async def attack_points(self, connection: AsyncConnection, user_id: int) -> list[tuple[str, int]]:
        """What somebody's attempts that count came to, newest day first."""
        query = (
            select(attacks.c.day, attacks.c.points)
            .where(attacks.c.user_id == user_id, attacks.c.counted, ~attacks.c.practice, attacks.c.points.is_not(None))
            .order_by(attacks.c.day.desc())
        )
        return [(row.day, row.points) for row in await connection.execute(query)]

    @writes
    async def begin_sharing_attack(self, connection: AsyncConnection, user_id: int, day: str, *, now: int) -> bool:
        """The caller may show an attempt to all. False where that was done before."""
        mine = *_this(user_id, day, False), attacks.c.counted, attacks.c.points.is_not(None)
        fresh = update(attacks).where(*mine, attacks.c.shared_at.is_(None)).values(shared_at=now)
        return (await connection.execute(fresh)).rowcount == 1

    @writes
    async def attack_not_shared(self, connection: AsyncConnection, user_id: int, day: str) -> None:
        """Nothing came of showing it."""
        back = update(attacks).where(*_this(user_id, day, False)).values(shared_at=None)
        await connection.execute(back)

    @writes
    async def prune_attacks(self, connection: AsyncConnection, before: str) -> int:
        """Forget of the days before this one what did not come to anything, and what was laid."""
        old = attacks.c.day < before
        empty = attacks.c.practice | attacks.c.points.is_(None) | ~attacks.c.counted
        gone = (await connection.execute(delete(attacks).where(old, empty))).rowcount
        await connection.execute(update(attacks).where(old, attacks.c.acts != "").values(acts=""))
        await connection.execute(delete(attack_days).where(attack_days.c.day < before))
        return gone
