"""`boneyard backup`, `restore` and `recount`."""

import asyncio
import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes
from typing import Final

from bot.core.logs import logger
from bot.core.privacy import Privacy
from bot.operating.doctor import ALIVE, damaged, require_stopped
from bot.tables.acts import Acts, Now
from bot.tables.service import Tables
from data.private import narrow_database, private_folder
from data.store.connection.engines import parse_url
from data.store.connection.facts import APPLICATION, PLAYGROUND, Owner
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.privacy_key import give_back, has_key, key_file, key_of, keyed, lend
from data.store.connection.store_errors import StoreUnavailable
from data.store.operations.copies import (
    Contents,
    CopyFailed,
    copy,
    file_of,
    leave_copies,
    leave_partial,
    put_in_place,
    url_of,
)
from data.store.operations.inspection import inspect
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES
from engine.table.evolve import replay

log = logger(__name__)
TOLD: Final = 5  # damaged matches that are listed
COUNTED_AT_ONCE: Final = 500  # numbers of older matches in one query
ANOTHER: Final = "Nothing was changed. Try another backup."


def backup(url: str | None, file: Path) -> str:
    """Copy the database to a new file while the bot runs; return what to print. Raises CopyFailed."""
    source = file_of(url)
    contents = copy(source, file.absolute())
    size = file.stat().st_size / 1_000_000
    told = f"{file}: {_matches(contents)}, {size:.1f} MB. Keep it where only you can read it: it contains hidden hands."
    return told + asyncio.run(_warnings(file))


async def _warnings(file: Path) -> str:
    """Return warnings about damaged logs in a backup. Opening a copy keeps the backup one unchanged file."""
    opened = file.with_name(f"{file.name}.opened")
    try:
        copy(file, opened)
        store = await Store.open(url_of(opened))
        try:
            quarantined, wrong = await store.quarantine.quarantined(), await damaged(store)
        finally:
            await store.close()
    except (CopyFailed, StoreUnavailable, DatabaseUnavailable, OSError, UnicodeEncodeError) as error:
        # UnicodeEncodeError: the file name is undecodable.
        return f"\nWarning: its logs could not be checked ({type(error).__name__}). Is there enough disk space?"
    finally:
        for ending in ("", "-wal", "-shm", ".key"):
            opened.with_name(opened.name + ending).unlink(missing_ok=True)
    told = [
        f"match {one.match_id} is in quarantine: event {one.seq} of its log can't be read ({one.why}). An earlier "
        "backup may have the whole match."
        for one in quarantined
    ]
    if wrong:
        told.append(
            f"{_damage_text(wrong)}. `boneyard restore` refuses this backup. Open the table in Discord, which puts "
            "it in quarantine, and make another backup; an earlier one may have the whole match."
        )
    return "".join(f"\nWarning: {line}" for line in told)


def restore(url: str | None, file: Path, now: Now) -> list[str]:
    """Replace the database by a backup; return what to print. Raises CopyFailed, StoreUnavailable without a change."""
    target = file_of(url)
    inspect(file)
    if file.absolute() == target.absolute():
        raise CopyFailed(f"{file} is the database itself; give the file of a backup.")
    if url is None:
        private_folder(target.parent, ours=True)
    told = []
    since = _Changes()
    leave_copies(target)
    if target.exists():
        try:
            since = _read_changes(target, now())
            narrow_database(target)
            if since.marks and not has_key(target):
                told.append(
                    f"{key_file(target)} is missing, so users who deleted their data since the backup, if any, "
                    "can't be recognized in it."
                )
        except (sqlite3.DatabaseError, ValueError, TypeError):
            told.append("The present database can't be read, so deletions since the backup are unknown.")
    fresh = target.with_name(f"{target.name}.restoring")
    fresh.unlink(missing_ok=True)
    leave_partial(fresh, before=math.inf)
    try:
        contents = copy(file, fresh)
        lend(target, fresh)
        forgotten = asyncio.run(_catch_up_copy(file, url_of(fresh), since, now))
        moment = datetime.fromtimestamp(now() / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (f"{target.stem}.before-{moment}{again}{target.suffix}" for again in ("", *range(-2, -100, -1)))
        aside = next(one for one in map(target.with_name, names) if not one.exists())
        existed = target.exists()
        # The key first: fingerprints without their key are useless.
        put_in_place(fresh, target, aside, lambda: give_back(target, fresh))
    except OSError as error:
        raise CopyFailed(
            f"{target} can't be replaced: {error.strerror or type(error).__name__}. Nothing was changed."
        ) from error
    finally:
        for ending in ("", "-wal", "-shm", ".key"):
            fresh.with_name(fresh.name + ending).unlink(missing_ok=True)
    told.append(f"{target} now has the content of {file}: {_matches(contents)}.")
    if existed:
        told.append(f"The old database is in {aside}; delete it when everything works.")
    if forgotten:
        told.append(f"Users whose data was deleted again because they deleted it after the backup: {forgotten}.")
    return told


async def recount(url: str | None) -> str:
    """Recompute all statistics and puzzle ratings; return what to print. Raises StoreUnavailable."""
    store = await Store.open(url)
    try:
        counted = await _count_old_moves(store)
        lines = await store.results.rebuild_standings()
        rated = (await store.operations.rebuild_features()).get("puzzles", 0)
    finally:
        await store.close()
    told = f"Ratings and leaderboards were recomputed: {lines} row{'' if lines == 1 else 's'}."
    if rated:
        told += f" Puzzle ratings: {rated}."
    return f"{told} Older matches whose moves were counted: {counted}." if counted else told


async def _count_old_moves(store: Store) -> int:
    """Count the moves of earlier matches from their logs, where readable; return the number of matches."""
    counted = last = 0
    while numbers := await store.results.uncounted(COUNTED_AT_ONCE, after=last):
        for last in numbers:
            try:
                loaded = await store.matches.load(last)
                event_log = None if loaded is None else replay(loaded.log)[1]
            except Exception as error:  # an unreadable log may raise anything
                log.warning("the moves of a match can't be counted", match=last, reason=type(error).__name__)
                continue
            if event_log is not None:
                await store.results.count_moves(last, event_log.plays)
                counted += 1
    return counted


@dataclass(frozen=True, slots=True)
class _Changes:
    marks: Mapping[str, int] = field(default_factory=dict)  # fingerprint of a deleted user: time
    left: Mapping[int, int] = field(default_factory=dict)  # guild that the bot left: time
    owner: Owner | None = None


def _read_changes(target: Path, now: int) -> _Changes:
    """Read that from the database. Raises CopyFailed while a bot runs on it."""
    with closing(sqlite3.connect(target, timeout=5)) as connection:
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        pulses = []
        if "pulses" in known:
            pulses = [at for (at,) in connection.execute("SELECT at FROM pulses WHERE name <> 'doctor'")]
        # A running bot would have a newer pulse than one from the future.
        if lately := [now - at for at in pulses if abs(now - at) < ALIVE]:
            seconds = max(0, min(lately)) // 1000
            raise CopyFailed(
                f"A bot is using {target}: it was active {seconds} s ago. Stop it, wait a minute and try again."
            )
        marks = dict(connection.execute("SELECT mark, at FROM forgotten")) if "forgotten" in known else {}
        left = {}
        if "guilds" in known:
            left = dict(connection.execute("SELECT guild_id, left_at FROM guilds WHERE left_at IS NOT NULL"))
        if "facts" not in known:  # an old version, without a key to its fingerprints
            return _Changes({keyed(key_of(target), mark): at for mark, at in marks.items()}, left)
        facts = dict(connection.execute("SELECT name, value FROM facts"))
        whose = facts.get(APPLICATION)
        return _Changes(marks, left, Owner(int(whose), playground=PLAYGROUND in facts) if whose else None)


def _matches(contents: Contents) -> str:
    return f"{contents.matches} match{'' if contents.matches == 1 else 'es'}"


async def _catch_up_copy(file: Path, url: str, since: _Changes, now: Now) -> int:
    """Migrate and check the copy of a backup, and repeat deletions; return their number. Raises CopyFailed,
    StoreUnavailable.
    """
    try:
        store = await Store.open(url)
        try:
            if wrong := await damaged(store):
                raise CopyFailed(f"{file} has damaged logs: {_damage_text(wrong)}. {ANOTHER}")
            acts = Acts(store, Tables(store), now, lambda: token_bytes(SECRET_BYTES))
            forgotten = await Privacy(store, acts, now).delete_again(since.marks)
            for guild_id, at in since.left.items():
                await store.guilds.guild_left(guild_id, at, now=now())
            if since.owner is not None and await store.operations.owner() is None:
                await store.claim(since.owner)
            return forgotten
        finally:
            await store.close()
    except (CopyFailed, StoreUnavailable):
        raise
    except DatabaseUnavailable as trouble:
        raise CopyFailed(f"The copy of {file} can't be migrated: {trouble}.") from trouble
    except Exception as error:  # foreign rows may make a migration or a deletion raise anything
        raise CopyFailed(f"{file} can't be migrated: {type(error).__name__}. {ANOTHER}") from error


def _damage_text(wrong: Mapping[int, str]) -> str:
    told = "; ".join(f"match {number}: {why}" for number, why in list(wrong.items())[:TOLD])
    return f"{told}; and {len(wrong) - TOLD} more" if len(wrong) > TOLD else told


async def caught_up(url: str | None, before: str, now: Now) -> list[str]:
    """Repeat in the database at `url` the deletions made at `before`, which it replaces; return what to print.

    It can be repeated. Raises CopyFailed and StoreUnavailable; `before` stays unchanged.
    """
    if parse_url(url).get_backend_name() != "postgresql" or parse_url(before).get_backend_name() != "postgresql":
        raise CopyFailed(
            "--since works between two PostgreSQL databases. For SQLite, give the file that `boneyard backup` made."
        )
    if parse_url(url) == parse_url(before):
        raise CopyFailed("Both addresses are the same. BONEYARD_DATABASE_URL must be the restored database.")
    there, here = await Store.open(before), None
    try:
        await require_stopped(there, now())
        here = await Store.open(url)
        return await _replay_deletions(here, there, now)
    finally:
        await there.close()
        if here is not None:
            await here.close()


async def _replay_deletions(here: Store, there: Store, now: Now) -> list[str]:
    ours, theirs = await here.operations.owner(), await there.operations.owner()
    if ours is not None and theirs is not None and ours.application_id != theirs.application_id:
        raise CopyFailed(
            f"{here.name} belongs to the application {ours.application_id}, {there.name} to {theirs.application_id}: "
            "nothing was changed."
        )
    marks = await there.erasure.forgotten()
    if not await here.erasure.same_fingerprints(there.erasure, marks):
        raise CopyFailed(
            f"Users who deleted their data at {there.name} can't be recognized here, because the privacy keys differ. "
            "Set BONEYARD_PRIVACY_KEY to the key of the bot and try again. Nothing was changed."
        )
    acts = Acts(here, Tables(here), now, lambda: token_bytes(SECRET_BYTES))
    forgotten = await Privacy(here, acts, now).delete_again(marks)
    for guild_id in await there.guilds.guilds_left(now()):
        if guild_id in await here.guilds.guilds_known():
            await here.guilds.guild_left(guild_id, (await there.guilds.guild(guild_id)).left_at, now=now())
    told = [
        f"{here.name} has all deletions requested at {there.name} since the backup. "
        f"Users whose data was deleted again: {forgotten}."
    ]
    told += [f"The log of match {number} can't be used: {why}" for number, why in (await damaged(here)).items()]
    return told
