"""Premoves of players. They are part of the state of a match, but not of its log."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import read_body, register_body
from data.store.connection.engines import upsert
from data.store.connection.schema import to_text
from data.store.connection.tables import premoves
from data.store.log.match_values import Head
from engine.table.table_state import Premove

_PREMOVES: Final = select(premoves.c.user_id, premoves.c.body).where(premoves.c.match_id == bindparam("match"))
_DECODER: Final = msgspec.json.Decoder(Premove)
register_body(premoves.c.body, lambda row: _DECODER.decode(row.body))


async def load_premoves(connection: AsyncConnection, head: Head) -> dict[int, Premove]:
    if not head.private:
        return {}
    rows = await connection.execute(_PREMOVES, {"match": head.match_id})
    found = {row.user_id: read_body(_DECODER.decode, row.body, None) for row in rows}
    return {user_id: premove for user_id, premove in found.items() if premove is not None}


async def save_premoves(connection: AsyncConnection, match_id: int, changed: Mapping[int, Premove | None]) -> None:
    """Replace the premoves of some users; None deletes one."""
    for user_id, premove in changed.items():
        key: dict[str, Any] = {"match_id": match_id, "user_id": user_id}
        if premove is None:
            await connection.execute(delete(premoves).filter_by(**key))
        else:
            await upsert(connection, premoves, key, {}, {"body": to_text(premove)})


async def delete_premoves(connection: AsyncConnection, match_id: int) -> None:
    await connection.execute(delete(premoves).where(premoves.c.match_id == match_id))
