"""Solo puzzles, kept for months, and score attack: one attempt a day that counts, then practice.

Of two devices with the same version, the faster one wins: the other gets the new state.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    Row,
    String,
    Text,
    bindparam,
    delete,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.bodies import GARBLED, check_text, read_body, register_body
from data.store.connection.engines import insert_if_missing
from data.store.connection.hooks import register_guild_column, register_guild_purger, register_user_table
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import build_columns, build_key, build_table, to_row, to_value
from data.store.users.store import list_hidden_users

attack_days = build_table(
    "attack_days",
    Column("day", String(10), primary_key=True),
    # Orders the tiles of the day. It is drawn on the day itself.
    Column("secret", LargeBinary, nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

attacks = build_table(
    "attacks",
    # Practice is what follows the attempt of the day.
    *build_key(user_id=BigInteger, day=String(10), practice=Boolean),
    Column("version", Integer, nullable=False),
    # False if an earlier attempt is possible.
    Column("counted", Boolean, nullable=False),
    # Text of `engine.solo.score_attack`.
    Column("acts", Text, nullable=False),
    # NULL while it is open.
    Column("points", Integer),
    # The guild in which it ended, for its list.
    Column("guild_id", BigInteger),
    Column("begun_at", BigInteger, nullable=False),
    *build_columns(BigInteger, "ended_at", "shared_at", nullable=True),
    Index("ix_attacks_list", "guild_id", "day"),
    Index("ix_attacks_day", "day"),
)


figures = build_table(
    "figures",
    *build_key(user_id=BigInteger, figure=String(24)),
    Column("version", Integer, nullable=False),
    Column("acts", Text, nullable=False),
    Column("hints", Integer, nullable=False),
    *build_columns(BigInteger, "solved_at", "shared_at", nullable=True),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_figures_updated", "updated_at"),
)


_FIGURE: Final = select(figures).where(figures.c.user_id == bindparam("user"), figures.c.figure == bindparam("name"))


@dataclass(frozen=True, slots=True)
class StoredFigure:
    figure: str
    version: int = 0
    """Increases with each change; 0 if nothing is stored."""
    acts: str = ""
    """Text of `engine.solo.filling`."""
    hints: int = 0
    solved_at: int | None = None
    updated_at: int = 0


register_user_table(figures)
register_user_table(attacks)
register_guild_column(attacks.c.guild_id)

_ACTS: Final = re.compile(r"[\w,.=+ -]*", re.ASCII)
LIST_LENGTH: Final = 10
_READ_LIMIT: Final = 50
"""Rows to read for it: some are of hidden users."""


@dataclass(frozen=True, slots=True)
class StoredAttack:
    user_id: int
    day: str
    practice: bool
    version: int
    counted: bool
    acts: str
    """Text of `engine.solo.score_attack`."""
    points: int | None
    """None while it is open."""
    guild_id: int | None
    begun_at: int
    ended_at: int | None


@register_guild_purger
async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Remove a guild from the attempts that ended there. Points belong to the player and stay."""
    await connection.execute(update(attacks).where(attacks.c.guild_id == guild_id).values(guild_id=None))


async def find_day_secret(connection: AsyncConnection, day: str) -> bytes | None:
    """Return the secret that orders the tiles of a day; None if no player has requested them."""
    query = select(attack_days.c.secret).where(attack_days.c.day == day)
    return await connection.scalar(query)


async def find_attack(connection: AsyncConnection, user_id: int, day: str, *, practice: bool) -> StoredAttack | None:
    row = (await connection.execute(select(attacks).where(*_build_key_condition(user_id, day, practice)))).first()
    return None if row is None else to_value(StoredAttack, row, acts=_read_acts(row))


def _read_acts(row: Row[Any]) -> str:
    """Return the acts of a row; garbled ones fail to be parsed, and their player starts again."""
    return read_body(check_text, row.acts, GARBLED)


def _check_acts(row: Row[Any]) -> None:
    if _ACTS.fullmatch(check_text(row.acts)) is None:
        raise ValueError("these are no acts")


for _table in (figures, attacks):
    register_body(_table.c.acts, _check_acts)


def _build_key_condition(user_id: int, day: str, practice: bool) -> tuple[Any, ...]:
    return attacks.c.user_id == user_id, attacks.c.day == day, attacks.c.practice.is_(practice)


class SoloStore(Repository):
    find_attack_secret = build_read_method(find_day_secret)

    @read_transaction
    async def load_figure(self, connection: AsyncConnection, user_id: int, figure: str) -> StoredFigure:
        row = (await connection.execute(_FIGURE, {"user": user_id, "name": figure})).first()
        return StoredFigure(figure) if row is None else to_value(StoredFigure, row, acts=_read_acts(row))

    @read_transaction
    async def find_last_figure(self, connection: AsyncConnection, user_id: int) -> str | None:
        mine = select(figures.c.figure).where(figures.c.user_id == user_id).order_by(figures.c.updated_at.desc())
        return await connection.scalar(mine.limit(1))

    @write_transaction
    async def save_figure(self, connection: AsyncConnection, user_id: int, kept: StoredFigure, *, now: int) -> bool:
        """Store the next version; False if the version is not the current one."""
        row = to_row(figures, kept, user_id=user_id, version=kept.version + 1, updated_at=now)
        if kept.version == 0:
            return await insert_if_missing(connection, figures, row)
        mine = figures.c.user_id == user_id, figures.c.figure == kept.figure, figures.c.version == kept.version
        return (await connection.execute(update(figures).where(*mine).values(row))).rowcount == 1

    @write_transaction
    async def begin_sharing_figure(
        self, connection: AsyncConnection, user_id: int, figure: str, *, again: int, now: int
    ) -> bool:
        """Reserve sharing a figure; False if it was shared since `again`."""
        quiet = (figures.c.shared_at.is_(None)) | (figures.c.shared_at < again)
        mine = update(figures).where(figures.c.user_id == user_id, figures.c.figure == figure, quiet)
        return (await connection.execute(mine.values(shared_at=now))).rowcount == 1

    @write_transaction
    async def cancel_sharing_figure(self, connection: AsyncConnection, user_id: int, figure: str, *, at: int) -> None:
        mine = figures.c.user_id == user_id, figures.c.figure == figure, figures.c.shared_at == at
        await connection.execute(update(figures).where(*mine).values(shared_at=None))

    @write_transaction
    async def prune_figures(self, connection: AsyncConnection, before: int) -> int:
        return (await connection.execute(delete(figures).where(figures.c.updated_at < before))).rowcount

    @write_transaction
    async def load_attack_secret(self, connection: AsyncConnection, day: str, fresh: bytes, *, now: int) -> bytes:
        """Return the secret that orders the tiles of a day: `fresh` if there is none."""
        await insert_if_missing(connection, attack_days, {"day": day, "secret": fresh, "made_at": now})
        found = await find_day_secret(connection, day)
        assert found is not None
        return found

    @write_transaction
    async def begin_attack(
        self, connection: AsyncConnection, user_id: int, day: str, *, practice: bool, began: int, now: int
    ) -> StoredAttack:
        """Begin an attempt at the deal of a day, which began at the time `began`; return an existing one unchanged.

        It does not count if the user's data was erased since `began`: they may have tried before.
        """
        if (known := await find_attack(connection, user_id, day, practice=practice)) is not None:
            return known
        key = self.transactions.privacy_key
        counted = not practice and not await facts.list_erased_users(connection, key, [user_id], since=began)
        row = {"user_id": user_id, "day": day, "practice": practice, "counted": counted, "begun_at": now}
        await insert_if_missing(connection, attacks, {**row, "version": 1, "acts": ""})
        found = await find_attack(connection, user_id, day, practice=practice)
        assert found is not None
        return found

    find_attack = build_read_method(find_attack)

    @write_transaction
    async def save_attack(self, connection: AsyncConnection, kept: StoredAttack) -> bool:
        """Store the next version; False if the version is not the current one."""
        mine = *_build_key_condition(kept.user_id, kept.day, kept.practice), attacks.c.version == kept.version
        changed = update(attacks).where(*mine).values(to_row(attacks, kept, version=kept.version + 1))
        return (await connection.execute(changed)).rowcount == 1

    @read_transaction
    async def list_attacks(self, connection: AsyncConnection, guild_id: int, day: str) -> Sequence[StoredAttack]:
        query = (
            select(attacks)
            .where(attacks.c.guild_id == guild_id, attacks.c.day == day, attacks.c.counted, ~attacks.c.practice)
            .where(attacks.c.points.is_not(None))
            .order_by(attacks.c.points.desc(), attacks.c.ended_at, attacks.c.user_id)
            .limit(_READ_LIMIT)
        )
        found = [to_value(StoredAttack, row, acts=_read_acts(row)) for row in await connection.execute(query)]
        hidden = await list_hidden_users(connection, [one.user_id for one in found])
        return [one for one in found if one.user_id not in hidden][:LIST_LENGTH]

    @read_transaction
    async def list_attack_points(self, connection: AsyncConnection, user_id: int) -> list[tuple[str, int]]:
        query = (
            select(attacks.c.day, attacks.c.points)
            .where(attacks.c.user_id == user_id, attacks.c.counted, ~attacks.c.practice, attacks.c.points.is_not(None))
            .order_by(attacks.c.day.desc())
        )
        return [(row.day, row.points) for row in await connection.execute(query)]

    @write_transaction
    async def begin_sharing_attack(self, connection: AsyncConnection, user_id: int, day: str, *, now: int) -> bool:
        """Reserve sharing an attempt; False if it was shared before."""
        mine = *_build_key_condition(user_id, day, False), attacks.c.counted, attacks.c.points.is_not(None)
        fresh = update(attacks).where(*mine, attacks.c.shared_at.is_(None)).values(shared_at=now)
        return (await connection.execute(fresh)).rowcount == 1

    @write_transaction
    async def cancel_sharing_attack(self, connection: AsyncConnection, user_id: int, day: str) -> None:
        mine = _build_key_condition(user_id, day, False)
        await connection.execute(update(attacks).where(*mine).values(shared_at=None))

    @write_transaction
    async def prune_attacks(self, connection: AsyncConnection, before: str) -> int:
        """Delete attempts before this day that have no result, and the actions of the others."""
        old = attacks.c.day < before
        empty = attacks.c.practice | attacks.c.points.is_(None) | ~attacks.c.counted
        gone = (await connection.execute(delete(attacks).where(old, empty))).rowcount
        await connection.execute(update(attacks).where(old, attacks.c.acts != "").values(acts=""))
        await connection.execute(delete(attack_days).where(attack_days.c.day < before))
        return gone
