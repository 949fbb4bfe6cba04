"""`boneyard backup`, `restore` and `recount`."""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes
from typing import Final

from bot.core.logs import get_logger
from bot.core.privacy import Privacy
from bot.operating.doctor import ALIVE_MS, check_logs, format_damaged_rows, open_store, require_stopped
from bot.tables.acts import Now, TableActions
from bot.tables.service import TableCache
from data.private import create_private_folder, restrict_database
from data.store.connection.engines import parse_url
from data.store.connection.facts import APPLICATION, PLAYGROUND, Owner
from data.store.connection.faults import (
    REMEDIES,
    DatabaseFault,
    DatabaseFileError,
    DatabaseUnavailable,
    diagnose,
    explain,
)
from data.store.connection.file_check import check_file, set_log_aside
from data.store.connection.privacy_key import build_key_path, copy_key, has_key, hash_with_key, load_key, return_key
from data.store.connection.store_errors import CopyError, StoreUnavailable
from data.store.log.match_values import QuarantinedMatch
from data.store.operations.copies import (
    copy,
    copy_for_check,
    delete_abandoned_copies,
    delete_stale_links,
    delete_with_side_files,
    replace_database,
    to_file,
    to_url,
)
from data.store.operations.inspection import Contents, check_untrusted
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES
from engine.table.evolve import replay

log = get_logger(__name__)
MAX_LISTED: Final = 5  # damaged matches that are listed
COUNT_BATCH: Final = 500  # numbers of older matches in one query
RETRY_HINT: Final = "Nothing was changed. Try another backup."


def backup(url: str | None, file: Path) -> str:
    """Copy the database to a new file while the bot runs; return what to print. Raises CopyError."""
    source = to_file(url)
    contents = copy(source, file.absolute())
    size = file.stat().st_size / 1_000_000
    text = f"{file}: {_format_match_count(contents)}, {size:.1f} MB. It contains hidden hands: keep it private."
    return text + asyncio.run(_format_warnings(file))


async def _format_warnings(file: Path) -> str:
    """Return warnings about damaged logs in a backup. Opening a copy keeps the backup one unchanged file."""
    try:
        with copy_for_check(file) as opened:
            async with open_store(to_url(opened)) as store:
                quarantined, wrong = await store.quarantine.list_quarantined(), await check_logs(store)
                damaged = await store.operations.list_damaged_rows()
    except (sqlite3.Error, StoreUnavailable, DatabaseUnavailable, OSError, UnicodeEncodeError) as error:
        # UnicodeEncodeError: the file name is undecodable.
        return f"\nWarning: its logs could not be checked ({type(error).__name__}). Is there enough disk space?"
    warnings = [_format_quarantined(one) for one in quarantined]
    if damaged:
        warnings.append(f"{format_damaged_rows(damaged)}: {REMEDIES[DatabaseFault.ROWS]}.")
    if wrong:
        warnings.append(
            f"{_format_damage(wrong)}. Open the table in Discord, or restore this backup: unreadable matches go into "
            "quarantine, and all others continue. An earlier backup may have the whole match."
        )
    return "".join(f"\nWarning: {line}" for line in warnings)


def _format_quarantined(one: QuarantinedMatch) -> str:
    return (
        f"match {one.match_id} is in quarantine: event {one.seq} of its log can't be read ({one.why}). An earlier "
        "backup may have the whole match."
    )


def restore(url: str | None, file: Path, now: Now) -> list[str]:
    """Replace the database by a backup; return what to print. Raises CopyError, StoreUnavailable without a change."""
    target = to_file(url)
    check_untrusted(file)
    if file.absolute() == target.absolute():
        raise CopyError(f"{file} is the database itself; give the file of a backup.")
    if url is None:
        create_private_folder(target.parent, is_ours=True)
    lines = []
    since = _Changes()
    delete_stale_links(target)
    delete_abandoned_copies(target.parent)
    try:
        check_file(target)
    except (DatabaseFileError, sqlite3.Error) as error:
        if diagnose(error) is DatabaseFault.STALE_LOG:
            set_log_aside(target)
            lines.append(f"{explain(error)}. That -wal file is now {target.name}.damaged-wal.")
    if target.exists():
        try:
            since = _read_changes(target, now())
            restrict_database(target)
            if since.marks and not has_key(target):
                lines.append(
                    f"{build_key_path(target)} is missing, so users who deleted their data since the backup, if any, "
                    "can't be recognized in it."
                )
        except (sqlite3.DatabaseError, ValueError, TypeError):
            lines.append("The present database can't be read, so deletions since the backup are unknown.")
    new_file = target.with_name(f"{target.name}.restoring")
    delete_with_side_files(new_file)
    try:
        contents = copy(file, new_file)
        copy_key(target, new_file)
        forgotten, damaged = asyncio.run(_catch_up_copy(file, to_url(new_file), since, now))
        moment = datetime.fromtimestamp(now() / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (f"{target.stem}.before-{moment}{suffix}{target.suffix}" for suffix in ("", *range(-2, -100, -1)))
        old_file = next(one for one in map(target.with_name, names) if not one.exists())
        existed = target.exists()
        # The key first: fingerprints without their key are useless.
        replace_database(new_file, target, old_file, lambda: return_key(target, new_file))
    except OSError as error:
        raise CopyError(
            f"{target} can't be replaced: {error.strerror or type(error).__name__}. Nothing was changed."
        ) from error
    finally:
        delete_with_side_files(new_file)
    lines.append(f"{target} now has the content of {file}: {_format_match_count(contents)}.")
    if existed:
        lines.append(f"The old database is in {old_file}; delete it when everything works.")
    if forgotten:
        lines.append(f"Users whose data was deleted again because they deleted it after the backup: {forgotten}.")
    return lines + damaged


async def recount(url: str | None) -> str:
    """Recompute all statistics and puzzle ratings; return what to print. Raises StoreUnavailable."""
    async with open_store(url) as store:
        counted = await _count_old_moves(store)
        lines = await store.results.rebuild_standings()
        rated_puzzles = (await store.operations.rebuild_features()).get("puzzles", 0)
    text = f"Ratings and leaderboards were recomputed: {lines} row{'' if lines == 1 else 's'}."
    if rated_puzzles:
        text += f" Puzzle ratings: {rated_puzzles}."
    return f"{text} Older matches whose moves were counted: {counted}." if counted else text


async def _count_old_moves(store: Store) -> int:
    """Count the moves of earlier matches from their logs, where readable; return the number of matches."""
    counted = last = 0
    while numbers := await store.results.list_uncounted(COUNT_BATCH, after=last):
        for last in numbers:
            try:
                loaded = await store.matches.load(last)
                event_log = None if loaded is None else replay(loaded.log)[1]
            except Exception as error:  # an unreadable log may raise anything
                log.warning("the moves of a match can't be counted", match=last, reason=type(error).__name__)
                continue
            if event_log is not None:
                await store.results.set_move_count(last, event_log.play_count)
                counted += 1
    return counted


@dataclass(frozen=True, slots=True)
class _Changes:
    marks: Mapping[str, int] = field(default_factory=dict)  # fingerprint of a deleted user: time
    left: Mapping[int, int] = field(default_factory=dict)  # guild that the bot left: time
    owner: Owner | None = None


def _read_changes(target: Path, now: int) -> _Changes:
    """Read the changes from the database. Raises CopyError while a bot runs on it."""
    with closing(sqlite3.connect(target, timeout=5)) as connection:
        table_names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        pulses = []
        if "pulses" in table_names:
            pulses = [at for (at,) in connection.execute("SELECT at FROM pulses WHERE name <> 'doctor'")]
        # A running bot would have a newer pulse than one from the future.
        if ages := [now - at for at in pulses if abs(now - at) < ALIVE_MS]:
            seconds = max(0, min(ages)) // 1000
            raise CopyError(
                f"A bot is using {target}: it was active {seconds} s ago. Stop it, wait a minute and try again."
            )
        marks = dict(connection.execute("SELECT mark, at FROM forgotten")) if "forgotten" in table_names else {}
        left = {}
        if "guilds" in table_names:
            left = dict(connection.execute("SELECT guild_id, left_at FROM guilds WHERE left_at IS NOT NULL"))
        if "facts" not in table_names:  # an old version, without a key to its fingerprints
            return _Changes({hash_with_key(load_key(target), mark): at for mark, at in marks.items()}, left)
        facts = dict(connection.execute("SELECT name, value FROM facts"))
        owner_id = facts.get(APPLICATION)
        return _Changes(marks, left, Owner(int(owner_id), playground=PLAYGROUND in facts) if owner_id else None)


def _format_match_count(contents: Contents) -> str:
    return f"{contents.matches} match{'' if contents.matches == 1 else 'es'}"


async def _catch_up_copy(file: Path, url: str, since: _Changes, now: Now) -> tuple[int, list[str]]:
    """Migrate and check the copy of a backup, quarantine what is unreadable, and repeat deletions.

    Return the number of deletions, and lines about what is unreadable. Raises CopyError, StoreUnavailable.
    """
    try:
        async with open_store(url) as store:
            if wrong := await check_logs(store, quarantine_at=now()):
                raise CopyError(f"{file} has damaged logs: {_format_damage(wrong)}. {RETRY_HINT}")
            forgotten = await _repeat_deletions(store, since.marks, now)
            for guild_id, at in since.left.items():
                await store.guilds.note_guild_left(guild_id, at, now=now())
            if since.owner is not None and await store.operations.load_owner() is None:
                await store.claim(since.owner)
            running = await store.quarantine.list_quarantined()
            lines = [_format_quarantined(one) for one in running]
            over = await store.quarantine.list_match_ids() - {one.match_id for one in running}
            lines += [f"match {one} is over: its event log can't be read, its result stays." for one in sorted(over)]
            if damaged := await store.operations.list_damaged_rows():
                lines.append(f"{format_damaged_rows(damaged)}: {REMEDIES[DatabaseFault.ROWS]}.")
            return forgotten, lines
    except (CopyError, StoreUnavailable):
        raise
    except DatabaseUnavailable as trouble:
        raise CopyError(f"The copy of {file} can't be migrated: {trouble}.") from trouble
    except Exception as error:  # foreign rows may make a migration or a deletion raise anything
        raise CopyError(f"{file} can't be migrated: {type(error).__name__}. {RETRY_HINT}") from error


async def _repeat_deletions(store: Store, marks: Mapping[str, int], now: Now) -> int:
    acts = TableActions(store, TableCache(store), now, lambda: token_bytes(SECRET_BYTES))
    return await Privacy(store, acts, now).repeat_deletions(marks)


def _format_damage(wrong: Mapping[int, str]) -> str:
    text = "; ".join(f"match {number}: {why}" for number, why in list(wrong.items())[:MAX_LISTED])
    return f"{text}; and {len(wrong) - MAX_LISTED} more" if len(wrong) > MAX_LISTED else text


async def catch_up_database(url: str | None, before: str, now: Now) -> list[str]:
    """Repeat in the database at `url` the deletions made at `before`, which it replaces; return what to print.

    It can be repeated. Raises CopyError and StoreUnavailable; `before` stays unchanged.
    """
    if parse_url(url).get_backend_name() != "postgresql" or parse_url(before).get_backend_name() != "postgresql":
        raise CopyError(
            "--since works between two PostgreSQL databases. For SQLite, give the file that `boneyard backup` made."
        )
    if parse_url(url) == parse_url(before):
        raise CopyError("Both addresses are the same. BONEYARD_DATABASE_URL must be the restored database.")
    async with open_store(before) as old_store:
        await require_stopped(old_store, now())
        async with open_store(url) as new_store:
            return await _replay_deletions(new_store, old_store, now)


async def _replay_deletions(new_store: Store, old_store: Store, now: Now) -> list[str]:
    new_owner, old_owner = await new_store.operations.load_owner(), await old_store.operations.load_owner()
    if new_owner is not None and old_owner is not None and new_owner.application_id != old_owner.application_id:
        raise CopyError(
            f"{new_store.name} belongs to the application {new_owner.application_id}, and {old_store.name} to "
            f"{old_owner.application_id}. Nothing was changed."
        )
    marks = await old_store.erasure.load_fingerprints()
    if not await new_store.erasure.adopt_fingerprint_key(old_store.erasure, marks):
        raise CopyError(
            f"Users who deleted their data at {old_store.name} can't be recognized here: the privacy keys differ. "
            "Set BONEYARD_PRIVACY_KEY to the key of the bot and try again. Nothing was changed."
        )
    forgotten = await _repeat_deletions(new_store, marks, now)
    for guild_id in await old_store.guilds.list_left_guilds(now()):
        if guild_id in await new_store.guilds.list_known_guilds():
            await new_store.guilds.note_guild_left(
                guild_id, (await old_store.guilds.load_guild(guild_id)).left_at, now=now()
            )
    lines = [
        f"{new_store.name} has all deletions requested at {old_store.name} since the backup. "
        f"Users whose data was deleted again: {forgotten}."
    ]
    lines += [
        f"The log of match {number} can't be used: {why}" for number, why in (await check_logs(new_store)).items()
    ]
    return lines
