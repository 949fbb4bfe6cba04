"""Check a database without changing it: whether it can be reached, read and written, and is up to date."""

import os
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.bodies import DamagedRow, list_damaged_rows
from data.store.connection.engines import DRIVER_OPTION_ERRORS, make_engine, parse_url, without_password
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseFault, DatabaseFileError, diagnose
from data.store.connection.migrate import get_newest_revision, load_revision
from data.store.connection.open_database import format_reason, probe
from data.store.connection.sqlite import read_misplaced_note
from data.store.log.match_values import QuarantinedMatch
from data.store.matches import quarantine
from data.store.operations import store_health
from data.store.operations.inspection import SCHEMA_QUERY, check_schema
from data.store.operations.store import load_pulses, record_pulse
from data.store.outbox.outbox_values import Backlog


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """The result. `problem` is one sentence for a database that cannot be used, else empty."""

    name: str
    """The database, without its password."""
    file: Path | None
    """None for a server."""
    exists: bool = True
    problem: str = ""
    revision: str | None = None
    """Its migration; None for an empty database."""
    backlog: Backlog | None = None
    pulses: dict[str, int] | None = None
    owner: Owner | None = None
    fault: DatabaseFault | None = None
    """The fault behind `problem`, if known."""
    misplaced_note: str = ""
    """The note of a bot whose file is no longer here; else empty."""
    is_closed: bool = False
    """Whether the user who checks may not open it: its content is unknown."""
    quarantined: tuple[QuarantinedMatch, ...] = ()
    damaged_rows: tuple[DamagedRow, ...] = ()

    @property
    def is_current(self) -> bool:
        return self.revision == get_newest_revision()


async def check_database(url: str | None, now: int) -> DatabaseCheck:
    """Check a database. The write of the test is rolled back. Raises StoreUnavailable for an unusable URL."""
    parsed = parse_url(url)
    file = Path(str(parsed.database)) if parsed.get_backend_name() == "sqlite" else None
    name = without_password(parsed)
    engine = make_engine(parsed)
    misplaced_note = "" if file is None else read_misplaced_note(file)
    if file is not None:
        try:
            if not file.exists():
                return DatabaseCheck(name, file, exists=False, misplaced_note=misplaced_note)
            if not os.access(file, os.R_OK):
                return DatabaseCheck(name, file, problem="it is not yours to read", is_closed=True)
            probe(file)
        except OSError as error:
            return DatabaseCheck(name, file, problem=error.strerror or "it cannot be looked at", is_closed=True)
        except (sqlite3.Error, DatabaseFileError) as error:
            return DatabaseCheck(name, file, problem=_format_problem(error), fault=diagnose(error))
    try:
        async with engine.connect() as connection:
            if file is not None:
                found = str((await connection.execute(text("PRAGMA quick_check(1)"))).scalar_one())
                if found != "ok":
                    return DatabaseCheck(
                        name, file, problem=f"it is damaged: {found.splitlines()[-1]}", fault=DatabaseFault.DAMAGED
                    )
            revision = await connection.run_sync(load_revision)
            if revision != get_newest_revision():
                return DatabaseCheck(name, file, revision=revision)
            if file is not None:
                check_schema((await connection.execute(text(SCHEMA_QUERY))).all(), get_newest_revision())
            return await _check_contents(
                connection, DatabaseCheck(name, file, revision=revision, misplaced_note=misplaced_note), now
            )
    except (SQLAlchemyError, sqlite3.Error, DatabaseFileError, OSError, *DRIVER_OPTION_ERRORS) as error:
        return DatabaseCheck(name, file, problem=_format_problem(error), fault=diagnose(error))
    finally:
        await engine.dispose()


def _format_problem(error: Exception) -> str:
    if isinstance(error, DatabaseFileError):
        return error.detail or error.fault.value.replace("_", " ")
    return format_reason(error)


async def _check_contents(connection: AsyncConnection, result: DatabaseCheck, now: int) -> DatabaseCheck:
    pulses = await load_pulses(connection)
    damaged = tuple(await list_damaged_rows(connection))
    owner = await facts.load_owner(connection)
    backlog = await store_health.load_backlog(connection, now=now)
    quarantined = tuple(await quarantine.list_quarantined(connection))
    await record_pulse(connection, "doctor", now)
    await connection.rollback()
    return replace(result, backlog=backlog, pulses=pulses, owner=owner, quarantined=quarantined, damaged_rows=damaged)
