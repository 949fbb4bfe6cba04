"""What people make of the deal of a day: one attempt that counts, and practice after it.

Whoever is quicker with the same version, on another device, is the one: the other is told how it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.connection.transactions import Part
from data.store.log.tables import forgotten
from data.store.operations import facts
from data.store.solo.tables import attack_days, attacks
from data.store.users import users

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


async def keep_attempt(connection: AsyncConnection, kept: KeptAttack) -> bool:
    """Keep what became of the version that `kept` names, as the next one. False where somebody was quicker: another
    device of the same person.
    """
    mine = *_this(kept.user_id, kept.day, kept.practice), attacks.c.version == kept.version
    changed = {"counted": kept.counted, "acts": kept.acts, "points": kept.points}
    changed |= {"guild_id": kept.guild_id, "ended_at": kept.ended_at}
    done = await connection.execute(update(attacks).where(*mine).values(version=kept.version + 1, **changed))
    return done.rowcount == 1


async def list_of_day(connection: AsyncConnection, guild_id: int, day: str) -> Sequence[KeptAttack]:
    """The attempts that count and were ended on a server: most points first, then who ended first. Who stays off
    leaderboards is not among them.
    """
    query = (
        select(attacks)
        .where(attacks.c.guild_id == guild_id, attacks.c.day == day, attacks.c.counted, ~attacks.c.practice)
        .where(attacks.c.points.is_not(None))
        .order_by(attacks.c.points.desc(), attacks.c.ended_at, attacks.c.user_id)
        .limit(_ASKED)
    )
    found = [_to_attack(row) for row in await connection.execute(query)]
    hidden = await users.hidden_ones(connection, [one.user_id for one in found])
    return [one for one in found if one.user_id not in hidden][:LISTED]


async def counted_points(connection: AsyncConnection, user_id: int) -> list[tuple[str, int]]:
    """The days whose deals somebody has ended so that it counts, newest first, each with its points."""
    query = (
        select(attacks.c.day, attacks.c.points)
        .where(attacks.c.user_id == user_id, attacks.c.counted, ~attacks.c.practice, attacks.c.points.is_not(None))
        .order_by(attacks.c.day.desc())
    )
    return [(row.day, row.points) for row in await connection.execute(query)]


async def prune_days(connection: AsyncConnection, before: str) -> int:
    """Forget of the days before this one what did not come to anything, and what was laid; returns how many rows went.
    What an attempt came to stays.
    """
    old = attacks.c.day < before
    empty = attacks.c.practice | attacks.c.points.is_(None) | ~attacks.c.counted
    gone = (await connection.execute(delete(attacks).where(old, empty))).rowcount
    await connection.execute(update(attacks).where(old, attacks.c.acts != "").values(acts=""))
    await connection.execute(delete(attack_days).where(attack_days.c.day < before))
    return gone


def _this(user_id: int, day: str, practice: bool) -> tuple[Any, ...]:
    return attacks.c.user_id == user_id, attacks.c.day == day, attacks.c.practice.is_(practice)


def _to_attack(row: Row[Any]) -> KeptAttack:
    facts_of = row._mapping
    return KeptAttack(**{name: facts_of[name] for name in KeptAttack.__dataclass_fields__})


class ScoreAttacks(Part):
    """The store's door to them."""

    async def attack_secret(self, day: str, fresh: bytes, *, now: int) -> bytes:
        """What the tiles of a day are ordered by: `fresh`, where nobody has asked for them before."""

        async def work(connection: AsyncConnection) -> bytes:
            added = insert_unless_there(attack_days, connection.dialect.name)
            await connection.execute(added.values(day=day, secret=fresh, made_at=now))
            found = await day_secret(connection, day)
            assert found is not None
            return found

        return await self._write(work)

    async def known_attack_secret(self, day: str) -> bytes | None:
        """The same; None where nobody has asked for that deal, or long ago."""
        return await self._read(lambda connection: day_secret(connection, day))

    async def begin_attack(self, user_id: int, day: str, *, practice: bool, began: int, now: int) -> KeptAttack:
        """Somebody looks at the deal of a day, which began at this moment."""
        return await self._write(
            lambda connection: look_at_deal(
                connection, user_id, day, practice=practice, began=began, key=self._privacy_key, now=now
            )
        )

    async def attack(self, user_id: int, day: str, *, practice: bool) -> KeptAttack | None:
        """How far somebody is with a deal; None where they have not begun."""
        return await self._read(lambda connection: attack(connection, user_id, day, practice))

    async def keep_attack(self, kept: KeptAttack) -> bool:
        """Keep what became of a version as the next one. False where it is not the last one any more."""
        return await self._write(lambda connection: keep_attempt(connection, kept))

    async def attacks_of_day(self, guild_id: int, day: str) -> Sequence[KeptAttack]:
        """The list of a server for a day, best first."""
        return await self._read(lambda connection: list_of_day(connection, guild_id, day))

    async def attack_points(self, user_id: int) -> list[tuple[str, int]]:
        """What somebody's attempts that count came to, newest day first."""
        return await self._read(lambda connection: counted_points(connection, user_id))

    async def begin_sharing_attack(self, user_id: int, day: str, *, now: int) -> bool:
        """The caller may show an attempt to all. False where that was done before."""
        mine = *_this(user_id, day, False), attacks.c.counted, attacks.c.points.is_not(None)
        fresh = update(attacks).where(*mine, attacks.c.shared_at.is_(None)).values(shared_at=now)

        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(fresh)).rowcount == 1

        return await self._write(work)

    async def attack_not_shared(self, user_id: int, day: str) -> None:
        """Nothing came of showing it."""
        back = update(attacks).where(*_this(user_id, day, False)).values(shared_at=None)

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(back)

        await self._write(work)

    async def prune_attacks(self, before: str) -> int:
        """Forget of the days before this one what did not come to anything, and what was laid."""
        return await self._write(lambda connection: prune_days(connection, before))
