"""Check a database without changing it: whether it can be reached, read and written, and is up to date."""

import os
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.engines import UNFIT, WHY_UNFIT, make_engine, parse_url, without_password
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseFault, diagnose
from data.store.connection.migrate import newest, revision_of
from data.store.connection.open_database import probe
from data.store.connection.sqlite import read_astray_note
from data.store.log.match_values import Quarantined
from data.store.matches import quarantine
from data.store.operations import store_health
from data.store.operations.store import last_pulses, pulse
from data.store.outbox.outbox_values import Backlog


@dataclass(frozen=True, slots=True)
class Checkup:
    """The result. `trouble` is one sentence for a database that cannot be used, else empty."""

    name: str
    """The database, without its password."""
    file: Path | None
    """None for a server."""
    exists: bool = True
    trouble: str = ""
    revision: str | None = None
    """Its migration; None for an empty database."""
    backlog: Backlog | None = None
    pulses: dict[str, int] | None = None
    owner: Owner | None = None
    fault: DatabaseFault | None = None
    """The fault behind `trouble`, if known."""
    astray: str = ""
    """The note of a bot whose file is no longer here; else empty."""
    closed: bool = False
    """Whether the user who checks may not open it: its content is unknown."""
    quarantined: tuple[Quarantined, ...] = ()

    @property
    def is_current(self) -> bool:
        return self.revision == newest()


async def checkup(url: str | None, now: int) -> Checkup:
    """Check a database. The write of the test is rolled back. Raises StoreUnavailable for an unusable URL."""
    parsed = parse_url(url)
    file = Path(str(parsed.database)) if parsed.get_backend_name() == "sqlite" else None
    name = without_password(parsed)
    engine = make_engine(parsed)
    gone = "" if file is None else read_astray_note(file)
    if file is not None:
        try:
            if not file.exists():
                return Checkup(name, file, exists=False, astray=gone)
            if not os.access(file, os.R_OK):
                return Checkup(name, file, trouble="it is not yours to read", closed=True)
            probe(file)
        except OSError as error:
            return Checkup(name, file, trouble=error.strerror or "it cannot be looked at", closed=True)
        except sqlite3.Error as error:
            return Checkup(name, file, trouble=str(error), fault=diagnose(error))
    try:
        async with engine.connect() as connection:
            if file is not None:
                found = str((await connection.execute(text("PRAGMA quick_check(1)"))).scalar_one())
                if found != "ok":
                    return Checkup(
                        name, file, trouble=f"it is damaged: {found.splitlines()[-1]}", fault=DatabaseFault.DAMAGED
                    )
            revision = await connection.run_sync(revision_of)
            if revision != newest():
                return Checkup(name, file, revision=revision)
            return await _at_work(connection, Checkup(name, file, revision=revision, astray=gone), now)
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        return Checkup(name, file, trouble=" ".join(str(cause).split()).rstrip("."), fault=diagnose(error))
    except UNFIT:
        return Checkup(name, file, trouble=WHY_UNFIT)
    finally:
        await engine.dispose()


async def _at_work(connection: AsyncConnection, so_far: Checkup, now: int) -> Checkup:
    pulses = await last_pulses(connection)
    owner = await facts.owner_of(connection)
    backlog = await store_health.backlog(connection, now=now)
    quarantined = tuple(await quarantine.quarantined(connection))
    await pulse(connection, "doctor", now)
    await connection.rollback()
    return replace(so_far, backlog=backlog, pulses=pulses, owner=owner, quarantined=quarantined)
