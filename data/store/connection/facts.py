"""What is true of the database as a whole: which application it belongs to, and whether remains lie about in it."""

import secrets
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there, upsert
from data.store.connection.migrate import OWNER
from data.store.connection.privacy_key import PrivacyKey
from data.store.connection.tables import facts

APPLICATION: Final = OWNER

PLAYGROUND: Final = "playground"

FINGERPRINT_KEY: Final = "privacy_key"

REMAINS: Final = "remains"

MOVED: Final = "moved"
"""Where all of this database went."""

MOVING: Final = "moving"
"""All of another one is on its way here."""

_FACT: Final = select(facts.c.value).where(facts.c.name == bindparam("name"))


@dataclass(frozen=True, slots=True)
class Owner:
    """The application that a database belongs to."""

    application_id: int
    playground: bool = False
    """Whether it is one of the local Discord, which people play in on their machine."""


async def owner_of(connection: AsyncConnection) -> Owner | None:
    """Whose it is; None where no bot has ever started on it."""
    application = await fact(connection, APPLICATION)
    if application is None:
        return None
    return Owner(int(application), playground=await fact(connection, PLAYGROUND) is not None)


async def claim(connection: AsyncConnection, owner: Owner) -> Owner:
    """Let the database belong to this application, unless it belongs to one; returns the one it belongs to."""
    added = insert_unless_there(facts, connection.dialect.name)
    row = {"name": APPLICATION, "value": str(owner.application_id)}
    if (await connection.execute(added, row)).rowcount and owner.playground:
        await connection.execute(added, {"name": PLAYGROUND, "value": "yes"})
    found = await owner_of(connection)
    assert found is not None
    return found


def told_whose(name: str, found: Owner, asking: Owner) -> str:
    """What to tell whoever starts a bot on the database of another one."""
    told = (
        f"The database {name} belongs to {'a playground' if found.playground else 'the bot'} with the application id "
        f"{found.application_id}; this one has {asking.application_id}, so nothing that is kept there was touched. "
    )
    if asking.playground:
        return told + "Move it away to begin anew, or put back the discord.db that was beside it."
    return told + (
        "Name the bot's own database in BONEYARD_DATABASE_URL, or hand this one over for good: "
        f"boneyard adopt {asking.application_id} --from {found.application_id}"
    )


def told_moved(name: str, elsewhere: str) -> str:
    """What to tell whoever starts a bot on a database that was moved away."""
    return (
        f"The database {name} was moved to {elsewhere}, where it goes on: name that one in BONEYARD_DATABASE_URL. "
        "To go on here after all, without what was played there since: boneyard move --undo"
    )


def told_moving(name: str) -> str:
    """What to tell whoever starts a bot on a database that another one is still being moved to."""
    return f"The database {name} is not whole yet: `boneyard move` did not come to its end. Run it again."


async def elsewhere(connection: AsyncConnection) -> str | None:
    """Where this database was moved to; None where it is at home here."""
    return await fact(connection, MOVED)


async def unfinished(connection: AsyncConnection) -> bool:
    """Whether another database is being moved here."""
    return await fact(connection, MOVING) is not None


async def fingerprint_key(connection: AsyncConnection, privacy_key: PrivacyKey) -> bytes:
    """The key of the fingerprints of those who were forgotten. Raises OSError."""
    beside = privacy_key.beside()
    if beside is not None:
        return beside
    added = insert_unless_there(facts, connection.dialect.name)
    await connection.execute(added, {"name": FINGERPRINT_KEY, "value": privacy_key.made().hex()})
    return bytes.fromhex(await fact(connection, FINGERPRINT_KEY) or "")


async def kept_key(connection: AsyncConnection) -> str | None:
    """The key of fingerprints that stands in this database; None where it is elsewhere, or there is none."""
    return await fact(connection, FINGERPRINT_KEY)


async def same_key(connection: AsyncConnection, privacy_key: PrivacyKey, theirs: str | None, needed: bool) -> bool:
    """Let this database have the key that stands in another one, unless it has one of its own. Whether the two have the
    same key from now on, or none is `needed`.
    """
    if privacy_key.beside() is not None or not needed:
        return True
    if theirs is None:
        return False
    added = insert_unless_there(facts, connection.dialect.name)
    await connection.execute(added, {"name": FINGERPRINT_KEY, "value": theirs})
    return await kept_key(connection) == theirs


async def leave_remains(connection: AsyncConnection) -> None:
    """Something is deleted, whose bytes may still lie about in the file."""
    await upsert(connection, facts, {"name": REMAINS}, {}, {"value": secrets.token_hex(8)})


async def remains(connection: AsyncConnection) -> str | None:
    """Which bytes of what was deleted may lie about: other ones, another text; None where there are none."""
    return await fact(connection, REMAINS)


async def no_remains(connection: AsyncConnection, those: str) -> None:
    """Those were overwritten."""
    await connection.execute(delete(facts).where(facts.c.name == REMAINS, facts.c.value == those))


async def fact(connection: AsyncConnection, name: str) -> str | None:
    return (await connection.execute(_FACT, {"name": name})).scalar_one_or_none()
