"""Facts about the whole database, such as the application that owns it."""

import secrets
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there, upsert
from data.store.connection.migrate import OWNER
from data.store.connection.privacy_key import BYTES, PrivacyKey
from data.store.connection.tables import facts

APPLICATION: Final = OWNER
PLAYGROUND: Final = "playground"
FINGERPRINT_KEY: Final = "privacy_key"
REMAINS: Final = "remains"
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


async def fact(connection: AsyncConnection, name: str) -> str | None:
    return (await connection.execute(_FACT, {"name": name})).scalar_one_or_none()


elsewhere = partial(fact, name=MOVED)
"""Return the new location of a database that was moved; None if it was not."""
kept_key = partial(fact, name=FINGERPRINT_KEY)
"""Return the fingerprint key that is stored in this database; None if it is elsewhere or missing."""
remains = partial(fact, name=REMAINS)
"""Return the id of the note that deleted bytes may remain; None if there is none."""


async def owner_of(connection: AsyncConnection) -> Owner | None:
    """Return the owner of the database; None before the first start of a bot."""
    application = await fact(connection, APPLICATION)
    if application is None:
        return None
    return Owner(int(application), playground=await fact(connection, PLAYGROUND) is not None)


async def claim(connection: AsyncConnection, owner: Owner) -> Owner:
    """Set the owner of the database unless it has one; return its owner."""
    added = insert_unless_there(facts, connection.dialect.name)
    row = {"name": APPLICATION, "value": str(owner.application_id)}
    if (await connection.execute(added, row)).rowcount and owner.playground:
        await connection.execute(added, {"name": PLAYGROUND, "value": "yes"})
    found = await owner_of(connection)
    assert found is not None
    return found


def told_whose(name: str, found: Owner, asking: Owner) -> str:
    told = (
        f"The database {name} belongs to {'a playground' if found.playground else 'the bot'} with the application id "
        f"{found.application_id}; this bot has {asking.application_id}. Nothing in the database was changed. "
    )
    if asking.playground:
        return told + "To start with an empty one, move it away; or put back the discord.db from the same folder."
    return told + (
        "Set BONEYARD_DATABASE_URL to the database of this bot, or transfer this database permanently: "
        f"boneyard adopt {asking.application_id} --from {found.application_id}"
    )


def told_moved(name: str, elsewhere: str) -> str:
    return (
        f"The database {name} was moved to {elsewhere}. Set BONEYARD_DATABASE_URL to that address. "
        "To use this file again, without the matches played there since: boneyard move --undo"
    )


def told_moving(name: str) -> str:
    return f"The database {name} is incomplete: `boneyard move` did not finish. Run it again."


async def unfinished(connection: AsyncConnection) -> bool:
    return await fact(connection, MOVING) is not None


async def fingerprint_key(connection: AsyncConnection, privacy_key: PrivacyKey) -> bytes:
    """Raises OSError."""
    beside = privacy_key.beside()
    if beside is not None:
        return beside
    added = insert_unless_there(facts, connection.dialect.name)
    await connection.execute(added, {"name": FINGERPRINT_KEY, "value": secrets.token_bytes(BYTES).hex()})
    return bytes.fromhex(await fact(connection, FINGERPRINT_KEY) or "")


async def same_key(connection: AsyncConnection, privacy_key: PrivacyKey, theirs: str | None, needed: bool) -> bool:
    """Take over a key unless this database has one; return whether both are the same, or none is `needed`."""
    if privacy_key.beside() is not None or not needed:
        return True
    if theirs is None:
        return False
    added = insert_unless_there(facts, connection.dialect.name)
    await connection.execute(added, {"name": FINGERPRINT_KEY, "value": theirs})
    return await kept_key(connection) == theirs


async def leave_remains(connection: AsyncConnection) -> None:
    await upsert(connection, facts, {"name": REMAINS}, {}, {"value": secrets.token_hex(8)})


async def no_remains(connection: AsyncConnection, those: str) -> None:
    """Remove the note with this id: the deleted bytes were overwritten."""
    await connection.execute(delete(facts).where(facts.c.name == REMAINS, facts.c.value == those))
