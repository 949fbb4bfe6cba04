"""Servers and what their moderators have set, and the pulse by which the bot knows how long it was gone."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.tables import guilds, pulses
from data.store.upsert import upsert
from data.store.values import Guild


async def guild(connection: AsyncConnection, guild_id: int) -> Guild:
    """A server; one that never set anything has no settings."""
    row = (await connection.execute(select(guilds).where(guilds.c.guild_id == guild_id))).first()
    if row is None:
        return Guild(guild_id=guild_id)
    return Guild(guild_id=guild_id, settings=codec.to_mapping(row.settings), left_at=row.left_at)


async def set_guild(connection: AsyncConnection, guild_id: int, settings: Mapping[str, Any], now: int) -> None:
    """Keep all settings of a server."""
    changed = {"settings": codec.to_text(settings), "updated_at": now}
    await upsert(connection, guilds, {"guild_id": guild_id}, {"left_at": None}, changed)


async def guild_left(connection: AsyncConnection, guild_id: int, left_at: int | None, now: int) -> None:
    """The bot was removed from a server at this time; None: it is back."""
    changed = {"left_at": left_at, "updated_at": now}
    await upsert(connection, guilds, {"guild_id": guild_id}, {"settings": "{}"}, changed)


async def pulse(connection: AsyncConnection, name: str, now: int) -> int | None:
    """Note that the process of this name is alive; returns when it last was, None when never."""
    found = (await connection.execute(select(pulses.c.at).where(pulses.c.name == name))).scalar_one_or_none()
    await upsert(connection, pulses, {"name": name}, {}, {"at": now})
    return found
