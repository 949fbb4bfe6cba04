"""Facts about the whole database, such as the application that owns it."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Row, bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import GARBLED, check_text, read_body, register_body
from data.store.connection.engines import insert_if_missing, upsert
from data.store.connection.faults import DatabaseFault, DatabaseFileError
from data.store.connection.migrate import OWNER_FACT
from data.store.connection.privacy_key import KEY_BYTES, PrivacyKey, compute_fingerprint
from data.store.connection.tables import facts, forgotten

APPLICATION: Final = OWNER_FACT
PLAYGROUND: Final = "playground"
FINGERPRINT_KEY: Final = "privacy_key"
SCRUB_REQUEST: Final = "remains"
MOVED: Final = "moved"
"""The fact in a database that was moved: its new location."""
MOVING: Final = "moving"
"""The fact in a database that another one is being moved to."""
_FACT: Final = select(facts.c.value).where(facts.c.name == bindparam("name"))


@dataclass(frozen=True, slots=True)
class Owner:
    application_id: int
    playground: bool = False
    """Whether the database belongs to a local simulated Discord."""


async def load_fact(connection: AsyncConnection, name: str) -> str | None:
    found = await connection.scalar(_FACT, {"name": name})
    return None if found is None else read_body(check_text, found, GARBLED)


def _check_fact(row: Row[Any]) -> None:
    if row.name == APPLICATION:
        int(row.value)
    check_text(row.value)


register_body(facts.c.value, _check_fact)


load_new_location = partial(load_fact, name=MOVED)
"""Return the new location of a database that was moved; None if it was not."""
load_unfinished_move = partial(load_fact, name=MOVING)
load_stored_key = partial(load_fact, name=FINGERPRINT_KEY)
"""Return the fingerprint key that is stored in this database; None if it is elsewhere or missing."""
load_scrub_request = partial(load_fact, name=SCRUB_REQUEST)
"""Return the id of the note that deleted bytes may remain; None if there is none."""


async def load_owner(connection: AsyncConnection) -> Owner | None:
    """Return the owner of the database; None before the first start of a bot."""
    application = await load_fact(connection, APPLICATION)
    if application is None:
        return None
    if not application.isdecimal():
        raise DatabaseFileError(DatabaseFault.OWNERLESS)
    return Owner(int(application), playground=await load_fact(connection, PLAYGROUND) is not None)


async def claim(connection: AsyncConnection, owner: Owner) -> Owner:
    """Set the owner of the database unless it has one; return its owner."""
    row = {"name": APPLICATION, "value": str(owner.application_id)}
    if await insert_if_missing(connection, facts, row) and owner.playground:
        await insert_if_missing(connection, facts, {"name": PLAYGROUND, "value": "yes"})
    found = await load_owner(connection)
    assert found is not None
    return found


def format_wrong_owner(name: str, found: Owner, requester: Owner) -> str:
    text = (
        f"The database {name} belongs to {'a playground' if found.playground else 'the bot'} with the application id "
        f"{found.application_id}; this bot has {requester.application_id}. Nothing in the database was changed. "
    )
    if requester.playground:
        return text + "To start with an empty one, move it away; or put back the discord.db from the same folder."
    return text + (
        "Set BONEYARD_DATABASE_URL to the database of this bot, or transfer this database permanently: "
        f"boneyard adopt {requester.application_id} --from {found.application_id}"
    )


def format_moved(name: str, location: str) -> str:
    return (
        f"The database {name} was moved to {location}. Set BONEYARD_DATABASE_URL to that address. "
        "To use this file again, without the matches played there since: boneyard move --undo"
    )


def format_unfinished_move(name: str) -> str:
    return f"The database {name} is incomplete: `boneyard move` did not finish. Run it again."


async def load_fingerprint_key(connection: AsyncConnection, privacy_key: PrivacyKey) -> bytes:
    """Raises OSError."""
    external_key = privacy_key.load_external()
    if external_key is not None:
        return external_key
    fresh = secrets.token_bytes(KEY_BYTES).hex()
    await insert_if_missing(connection, facts, {"name": FINGERPRINT_KEY, "value": fresh})
    try:
        return bytes.fromhex(await load_fact(connection, FINGERPRINT_KEY) or "")
    except ValueError:
        raise DatabaseFileError(DatabaseFault.OWNERLESS) from None


async def list_erased_users(
    connection: AsyncConnection, privacy_key: PrivacyKey, user_ids: Collection[int], *, since: int
) -> list[int]:
    """Return which of these users were erased since this time, in order. Raises OSError."""
    marks = set(await connection.scalars(select(forgotten.c.mark).where(forgotten.c.at >= since)))
    if not marks:
        return []
    key = await load_fingerprint_key(connection, privacy_key)
    return [user_id for user_id in sorted(user_ids) if compute_fingerprint(key, user_id) in marks]


async def adopt_key(
    connection: AsyncConnection, privacy_key: PrivacyKey, other_key: str | None, is_needed: bool
) -> bool:
    """Take over a key unless this database has one; return whether both are the same, or none is `is_needed`."""
    if privacy_key.load_external() is not None or not is_needed:
        return True
    if other_key is None:
        return False
    await insert_if_missing(connection, facts, {"name": FINGERPRINT_KEY, "value": other_key})
    return await load_stored_key(connection) == other_key


async def request_scrub(connection: AsyncConnection) -> None:
    await upsert(connection, facts, {"name": SCRUB_REQUEST}, {}, {"value": secrets.token_hex(8)})


async def clear_scrub_request(connection: AsyncConnection, request_id: str) -> None:
    """Remove the note with this id: the deleted bytes were overwritten."""
    await connection.execute(delete(facts).where(facts.c.name == SCRUB_REQUEST, facts.c.value == request_id))
