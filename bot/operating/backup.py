"""`boneyard backup`, `restore` and `recount`: a copy of all that is kept, and back; leaderboards made anew."""

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

TOLD: Final = 5
"""Damaged matches that are told one by one."""

COUNTED_AT_ONCE: Final = 500
"""Numbers of older matches that are read at once; their logs are read one by one."""

ANOTHER: Final = "Nothing has changed here. Take another backup."


def backup(url: str | None, file: Path) -> str:
    """Copy the database to a new file while the bot runs; answers with what to tell. Raises CopyFailed."""
    source = file_of(url)
    contents = copy(source, file.absolute())
    size = file.stat().st_size / 1_000_000
    told = f"{file}: {_matches(contents)}, {size:.1f} MB. Keep it where only you can read it: it holds the hands."
    return told + asyncio.run(_warned(file))


async def _warned(file: Path) -> str:
    """What cannot be read in a backup; empty where all can. What is opened for that is a copy of it: a backup stays one
    file, as it was written.
    """
    opened = file.with_name(f"{file.name}.opened")
    try:
        copy(file, opened)
        store = await Store.open(url_of(opened))
        try:
            quarantined, wrong = await store.quarantine.quarantined(), await damaged(store)
        finally:
            await store.close()
    except (CopyFailed, StoreUnavailable, DatabaseUnavailable, OSError, UnicodeEncodeError) as error:
        # The last for a name that is no text, which no URL takes.
        return f"\nWarning: whether each log in it can be read is not known ({type(error).__name__}); is there room?"
    finally:
        for ending in ("", "-wal", "-shm", ".key"):
            opened.with_name(opened.name + ending).unlink(missing_ok=True)
    told = [
        f"match {one.match_id} is set aside in it, event {one.seq} of its log cannot be read ({one.why}); an earlier "
        "backup may have it whole."
        for one in quarantined
    ]
    if wrong:
        told.append(
            f"{_told(wrong)}. `boneyard restore` refuses that: ask for the table in Discord, which sets it aside, and "
            "take another backup; an earlier one may have it whole."
        )
    return "".join(f"\nWarning: {line}" for line in told)


def restore(url: str | None, file: Path, now: Now) -> list[str]:
    """Put a backup in the place of the database, which is kept beside it; answers with what to tell.

    People who deleted their data since the backup are forgotten in it too. Raises CopyFailed, StoreUnavailable; then
    everything is as it was.
    """
    target = file_of(url)
    inspect(file)
    if file.absolute() == target.absolute():
        raise CopyFailed(f"{file} is the database itself; name a backup.")
    if url is None:
        private_folder(target.parent, ours=True)
    told = []
    since = _Since()
    leave_copies(target)
    if target.exists():
        try:
            since = _since_then(target, now())
            narrow_database(target)
            if since.marks and not has_key(target):
                told.append(
                    f"{key_file(target)} is missing: people who had their data deleted since the backup cannot be "
                    "recognised in it, if there are any."
                )
        except (sqlite3.DatabaseError, ValueError, TypeError):
            told.append("The database there cannot be read: deletions since the backup are not known.")
    fresh = target.with_name(f"{target.name}.restoring")
    fresh.unlink(missing_ok=True)
    leave_partial(fresh, before=math.inf)
    try:
        contents = copy(file, fresh)
        lend(target, fresh)
        forgotten = asyncio.run(_caught_up(file, url_of(fresh), since, now))
        moment = datetime.fromtimestamp(now() / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (f"{target.stem}.before-{moment}{again}{target.suffix}" for again in ("", *range(-2, -100, -1)))
        aside = next(one for one in map(target.with_name, names) if not one.exists())
        existed = target.exists()
        # The key first: fingerprints whose key is lost recognise nobody.
        put_in_place(fresh, target, aside, lambda: give_back(target, fresh))
    except OSError as error:
        raise CopyFailed(
            f"{target} cannot be replaced: {error.strerror or type(error).__name__}. Nothing has changed here."
        ) from error
    finally:
        for ending in ("", "-wal", "-shm", ".key"):
            fresh.with_name(fresh.name + ending).unlink(missing_ok=True)
    told.append(f"{target} is {file} now: {_matches(contents)}.")
    if existed:
        told.append(f"What was there is in {aside}; delete it when all is well.")
    if forgotten:
        told.append(f"People forgotten again, who had their data deleted since the backup: {forgotten}.")
    return told


async def recount(url: str | None) -> str:
    """Add up ratings, leaderboards and records anew from all results, those of matches from before moves were counted
    with what their logs say, and the ratings of puzzles from all tries; answers with what to tell. Raises
    StoreUnavailable.
    """
    store = await Store.open(url)
    try:
        counted = await _moves_counted(store)
        lines = await store.results.rebuild_standings()
        rated = (await store.operations.rebuild_features()).get("puzzles", 0)
    finally:
        await store.close()
    told = f"Ratings and leaderboards were added up anew: {lines} line{'' if lines == 1 else 's'}."
    if rated:
        told += f" The ratings of {rated} puzzle{'' if rated == 1 else 's'} too."
    return f"{told} Moves were counted of {counted} older match{'' if counted == 1 else 'es'}." if counted else told


async def _moves_counted(store: Store) -> int:
    """Count the moves of matches that ended before anybody did, as far as their logs can be read; of how many."""
    counted = last = 0
    while numbers := await store.results.uncounted(COUNTED_AT_ONCE, after=last):
        for last in numbers:
            try:
                loaded = await store.matches.load(last)
                event_log = None if loaded is None else replay(loaded.log)[1]
            except Exception as error:  # whatever a log is that cannot be read: nothing else waits for it
                log.warning("the moves of a match cannot be counted", match=last, reason=type(error).__name__)
                continue
            if event_log is not None:
                await store.results.count_moves(last, event_log.plays)
                counted += 1
    return counted


@dataclass(frozen=True, slots=True)
class _Since:
    """What a database knows that is to be replaced, and its backup may not."""

    marks: Mapping[str, int] = field(default_factory=dict)
    """The fingerprints of those who were forgotten, and when."""
    left: Mapping[int, int] = field(default_factory=dict)
    """The servers that the bot was removed from, and when."""
    owner: Owner | None = None


def _since_then(target: Path, now: int) -> _Since:
    """What is known in the database that is to be replaced.

    Raises CopyFailed while a bot runs on it.
    """
    with closing(sqlite3.connect(target, timeout=5)) as connection:
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        pulses = []
        if "pulses" in known:
            pulses = [at for (at,) in connection.execute("SELECT at FROM pulses WHERE name <> 'doctor'")]
        # One from the future is of a clock that was ahead, and of a bot that is gone: another would have a newer one.
        if lately := [now - at for at in pulses if abs(now - at) < ALIVE]:
            seconds = max(0, min(lately)) // 1000
            raise CopyFailed(
                f"A bot runs on {target}: its last sign of life is {seconds} s old. Stop it, wait a minute, try again."
            )
        marks = dict(connection.execute("SELECT mark, at FROM forgotten")) if "forgotten" in known else {}
        left = {}
        if "guilds" in known:
            left = dict(connection.execute("SELECT guild_id, left_at FROM guilds WHERE left_at IS NOT NULL"))
        if "facts" not in known:  # by a version that had no key to its fingerprints
            return _Since({keyed(key_of(target), mark): at for mark, at in marks.items()}, left)
        facts = dict(connection.execute("SELECT name, value FROM facts"))
        whose = facts.get(APPLICATION)
        return _Since(marks, left, Owner(int(whose), playground=PLAYGROUND in facts) if whose else None)


def _matches(contents: Contents) -> str:
    return f"{contents.matches} match{'' if contents.matches == 1 else 'es'}"


async def _caught_up(file: Path, url: str, since: _Since, now: Now) -> int:
    """Bring the copy of a backup to this version's schema, re-run its logs, and do in it what people asked for since;
    the number of the forgotten. Raises CopyFailed where a log or anything else in it is wrong, StoreUnavailable.
    """
    try:
        store = await Store.open(url)
        try:
            if wrong := await damaged(store):
                raise CopyFailed(f"{file} has logs that are damaged: {_told(wrong)}. {ANOTHER}")
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
        raise CopyFailed(f"The copy of {file} cannot be brought up to date: {trouble}.") from trouble
    except Exception as error:  # whatever rows that we did not write make of a migration or of a deletion
        raise CopyFailed(f"{file} cannot be brought up to date: {type(error).__name__}. {ANOTHER}") from error


def _told(wrong: Mapping[int, str]) -> str:
    """Which matches are damaged, and how."""
    told = "; ".join(f"match {number}: {why}" for number, why in list(wrong.items())[:TOLD])
    return f"{told}; and {len(wrong) - TOLD} more" if len(wrong) > TOLD else told


async def caught_up(url: str | None, before: str, now: Now) -> list[str]:
    """Forget in the database at `url` whoever had their data deleted at `before`, the one it takes the place of, and
    note the servers that were left; answers with what to tell. Stopped in the middle, it may be begun again.

    Raises CopyFailed and StoreUnavailable; nothing is changed at `before`.
    """
    if parse_url(url).get_backend_name() != "postgresql" or parse_url(before).get_backend_name() != "postgresql":
        raise CopyFailed("--since is for PostgreSQL, on both sides; for a file name what `boneyard backup` made.")
    if parse_url(url) == parse_url(before):
        raise CopyFailed("The database cannot take its own place: BONEYARD_DATABASE_URL names the one put back.")
    there, here = await Store.open(before), None
    try:
        await require_stopped(there, now())
        here = await Store.open(url)
        return await _replayed(here, there, now)
    finally:
        await there.close()
        if here is not None:
            await here.close()


async def _replayed(here: Store, there: Store, now: Now) -> list[str]:
    ours, theirs = await here.operations.owner(), await there.operations.owner()
    if ours is not None and theirs is not None and ours.application_id != theirs.application_id:
        raise CopyFailed(
            f"{here.name} belongs to the application {ours.application_id}, {there.name} to {theirs.application_id}: "
            "nothing was changed."
        )
    marks = await there.erasure.forgotten()
    if not await here.erasure.same_fingerprints(there.erasure, marks):
        raise CopyFailed(
            f"People who had their data deleted at {there.name} cannot be recognised here: their fingerprints have "
            "another key. Set BONEYARD_PRIVACY_KEY as the bot has it, and try again. Nothing was changed."
        )
    acts = Acts(here, Tables(here), now, lambda: token_bytes(SECRET_BYTES))
    forgotten = await Privacy(here, acts, now).delete_again(marks)
    for guild_id in await there.guilds.guilds_left(now()):
        if guild_id in await here.guilds.guilds_known():
            await here.guilds.guild_left(guild_id, (await there.guilds.guild(guild_id)).left_at, now=now())
    told = [
        f"{here.name} knows what was asked for at {there.name} since. "
        f"People forgotten again, who had their data deleted: {forgotten}."
    ]
    told += [f"The log of match {number} cannot be used: {why}" for number, why in (await damaged(here)).items()]
    return told
