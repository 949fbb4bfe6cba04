"""`boneyard doctor`: checks what a bot on this machine needs, with a remedy for each problem."""

import asyncio
import os
import shlex
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bot.computers.external_players import read_programs
from bot.core.environment import Finding, Settings
from bot.sending.guild_presence import SILENT_AFTER
from data.private import is_open_to_others
from data.puzzle_book import PuzzleFileError, load_puzzles
from data.rulebook import list_games
from data.store.connection.bodies import DamagedRow
from data.store.connection.engines import parse_url, without_password
from data.store.connection.faults import REMEDIES, DatabaseFault, DatabaseUnavailable
from data.store.connection.hooks import StalledItem
from data.store.connection.shards import list_disconnected
from data.store.connection.store_errors import CopyError, DamagedLog, StoreUnavailable
from data.store.log.match_values import LoadedMatch
from data.store.operations.checkup import DatabaseCheck, check_database
from data.store.store import Store
from engine.match.shuffle import compute_commitment
from engine.table.evolve import replay
from engine.table.table_events import CLOCK_SKEW
from engine.table.table_state import RUNNING, SeatRow
from render.canvas import scripts
from render.canvas.lettering import Style, load_manrope
from render.canvas.png import DEFLATE, ZLIB

MIN_FREE_BYTES: Final = 200_000_000  # bytes that should be free at the database
MAX_LISTED: Final = 20  # garbled rows that are named
MAX_NAMED: Final = 5  # matches that are named; the others are counted
# By Discord's code: problems of a league that its moderators can fix.
MODERATOR_FIXES: Final = {
    50013: "a permission is missing in its channel",
    50001: "its channel is closed to the bot",
    10003: "its channel is gone, `/tiles-league move` takes it to another",
}
PUZZLES_AHEAD: Final = timedelta(days=30)  # warn when the daily puzzles end earlier
STUCK_AFTER: Final = 5 * 60_000  # ms after which a waiting post counts as stuck


def run_checks(settings: Settings, now: int) -> list[Finding]:
    """Check everything that needs no connection to Discord."""
    findings = [_check_token(settings.token)]
    try:
        found = asyncio.run(check_database(settings.database_url, now))
    except StoreUnavailable as unusable:
        findings.append(Finding("database", False, str(unusable)))
    else:
        findings += _check_database(found, now)
        if found.file is not None:
            findings.append(_check_disk_space(found.file.absolute().parent))
    findings += [_check_fonts(), _check_scripts(), _check_compression(), _check_puzzles(now)]
    if settings.players is not None:
        findings += _check_players(settings.players)
    return findings


def _check_token(token: str | None) -> Finding:
    if token is None:
        fix = "Set DISCORD_TOKEN to the token of your bot (README, Add it to your server). `boneyard play` needs none."
        return Finding("token: none", False, fix)
    # Three parts between dots. Only Discord can tell whether it is valid.
    if token.count(".") != 2 or any(letter.isspace() for letter in token):
        fix = "DISCORD_TOKEN does not look like a bot's token: copy it from the page Bot again."
        return Finding("token: malformed", False, fix)
    return Finding("token: present", True)


def _check_players(file: str) -> Iterator[Finding]:
    try:
        commands = read_programs(file)
    except ValueError as error:
        yield Finding("players: the file with external programs is wrong", False, f"{error}.")
        return
    for name, command in commands.items():
        fix = f"There is no program {command!r}; until there is, the level greedy plays instead."
        try:
            first = shlex.split(command)[0]
        except ValueError:
            first = command
        yield Finding(f"player {name}", shutil.which(first) is not None, fix)


def _check_database(found: DatabaseCheck, now: int) -> Iterator[Finding]:
    if found.misplaced_note:
        # A deleted or replaced file cannot be read at the path of the bot's database.
        fix = format_sentence(found.misplaced_note)
        yield Finding("bot: it uses another file than the one at this path", False, fix)
    if not found.exists:
        assert found.file is not None
        yield _check_folder(found.file.absolute().parent)
        return
    if found.is_closed:
        fix = (
            "Run doctor as the user who owns it (`runuser -u boneyard -- boneyard doctor`), or set "
            "BONEYARD_DATABASE_URL to another file."
        )
        yield Finding(f"database {found.name}: {found.problem}", False, fix)
        return
    if found.problem:
        fix = "Check that it runs and that you may write to it. `boneyard restore FILE` restores a backup."
        if found.fault is not None:
            fix = format_sentence(REMEDIES[found.fault])
        yield Finding(f"database {found.name}: {found.problem}", False, fix)
        return
    yield Finding(f"database {found.name}: can be read" + (" and written to" if found.is_current else ""), True)
    if found.file is not None:
        fix = f"`boneyard run` fixes this when it starts. Or run: chmod 600 '{found.file}'*"
        yield Finding("files: only their owner can read them", not is_open_to_others(found.file), fix)
    if not found.is_current:
        fix = "`boneyard run` migrates it when it starts."
        yield Finding(f"schema: version {found.revision or 'none'}, not the current one", False, fix)
    if found.pulses is not None:
        last = max((at for name, at in found.pulses.items() if name != "doctor"), default=None)
        ahead = last is not None and last - now > CLOCK_SKEW
        when = "" if last is None else f"{abs(now - last) // 1000} s {'ahead of this clock' if ahead else 'ago'}"
        fix = (
            "The clock of a machine is or was ahead: check that the time is synchronized (timedatectl). The bot "
            "corrects deadlines that are too late."
        )
        yield Finding("bot: never ran" if last is None else f"bot: last active {when}", not ahead, fix)
        for shard in list_disconnected(found.pulses, now, SILENT_AFTER):
            fix = "Start its process. Until then its servers can't play; no clocks run out there."
            yield Finding(f"shard {shard.number} of {shard.count}: no process is connected", False, fix)
        owner = "no application yet" if found.owner is None else f"the application {found.owner.application_id}"
        yield Finding(f"database belongs to: {owner}", True)
    if found.backlog is not None:
        waiting = f"messages to send: {found.backlog.posts}, boards to update: {found.backlog.boards}"
        fix = "If the bot is running, check its log: `the table cannot be shown now` has Discord's error code."
        yield Finding(waiting, found.backlog.oldest < STUCK_AFTER, fix)
        # Not for the operator to fix: the hosts were notified, and `/tiles-admin doctor` lists them.
        yield Finding(f"tables in channels that the bot can't use: {len(found.backlog.closed)}", True)
        yield _check_seasons(found.backlog.stalled)
        yield _check_quarantine(found)
        yield _check_rows(found)
        codes = ", ".join(map(str, sorted(found.backlog.refused)))
        fix = f"They won't be sent again. The log has each as `a post is given up`, with Discord's error code: {codes}."
        refused = sum(found.backlog.refused.values())
        yield Finding(f"messages refused by Discord in the last 7 days: {refused}", not refused, fix)


def _check_seasons(held_up: Sequence[StalledItem]) -> Finding:
    """Report leagues and tournaments that wait. Problems that moderators can fix are no failure of the bot."""
    for_moderators = [one for one in held_up if one.trouble in MODERATOR_FIXES]
    for_operator = [one for one in held_up if one.trouble not in MODERATOR_FIXES]
    lines = [
        f"season {one.number} (server {one.guild_id}): {MODERATOR_FIXES[one.trouble]}; its moderators are notified"
        for one in for_moderators[:MAX_NAMED]
    ]
    more = [f"and {len(for_moderators) - MAX_NAMED} more"] if len(for_moderators) > MAX_NAMED else []
    text = "; ".join([f"leagues and tournaments that wait: {len(held_up)}", *lines, *more])
    operator_lines = ", ".join(
        f"season {one.number} (server {one.guild_id}): {one.trouble or 'no code'}" for one in for_operator[:MAX_NAMED]
    )
    fix = f"The log has each as `a league is held up`, with Discord's error code. The bot retries. {operator_lines}."
    return Finding(text, not for_operator, fix)


def _check_quarantine(found: DatabaseCheck) -> Finding:
    named = [
        f"match {one.match_id} (server {one.guild_id}): event {one.seq}, {one.why}"
        for one in found.quarantined[:MAX_NAMED]
    ]
    more = f"; and {len(found.quarantined) - MAX_NAMED} more" if len(found.quarantined) > MAX_NAMED else ""
    fix = (
        f"{'; '.join(named)}{more}. newer: run the version that wrote it, and it continues. Damaged: check the "
        "disk; a backup may have the match; `/tiles-admin end` closes it."
    )
    return Finding(f"matches in quarantine, with unreadable logs: {len(found.quarantined)}", not found.quarantined, fix)


def _check_rows(found: DatabaseCheck) -> Finding:
    fix = f"{format_damaged_rows(found.damaged_rows)}. {format_sentence(REMEDIES[DatabaseFault.ROWS])}"
    return Finding(f"rows that can't be read: {len(found.damaged_rows)}", not found.damaged_rows, fix)


def format_damaged_rows(rows: Sequence[DamagedRow]) -> str:
    more = f"; and {len(rows) - MAX_LISTED} more" if len(rows) > MAX_LISTED else ""
    return "; ".join(row.format() for row in rows[:MAX_LISTED]) + more


def format_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _check_folder(folder: Path) -> Finding:
    folder = _find_existing_folder(folder)
    is_writable = os.access(folder, os.W_OK)
    fix = f"You may not write to {folder}: change its permissions, or set BONEYARD_DATABASE_URL to another file."
    return Finding("database: none yet; the first start creates it", is_writable, fix)


def _check_disk_space(folder: Path) -> Finding:
    folder = _find_existing_folder(folder)
    free = shutil.disk_usage(folder).free
    fix = f"Free some space on the disk of {folder}: without it the bot can't save moves."
    return Finding(f"disk: {free / 1e9:.1f} GB free", free >= MIN_FREE_BYTES, fix)


def _find_existing_folder(folder: Path) -> Path:
    while not os.access(folder, os.F_OK):
        folder = folder.parent
    return folder


def _check_fonts() -> Finding:
    try:
        for style in Style:
            load_manrope(style, 24)
    except OSError as error:
        return Finding(f"fonts: {error}", False, "The installation is incomplete: install Boneyard again.")
    return Finding("fonts: present", True)


def _check_scripts() -> Finding:
    """Report the scripts whose names become numbers in pictures. It is no failure: the message explains the numbers."""
    supported = {
        "Arabic, Hebrew, Thai and Devanagari (Debian: apt install libfribidi0)": scripts.can_shape_text(),
        "Chinese, Japanese and Korean (fonts-noto-cjk; smaller: fonts-wqy-zenhei)": scripts.find_east_asian_font(),
        "emoji (fonts-noto-color-emoji)": scripts.find_emoji_font(),
    }
    lacks = "; ".join(script for script, found in supported.items() if not found)
    return Finding(f"names in pictures: {f'without {lacks}' if lacks else 'in every script'}", True)


def _check_puzzles(now: int) -> Finding:
    """Report the last daily puzzles. Their end is no failure: the last one stays."""
    try:
        ends = {game: max(load_puzzles(game)) for game in list_games() if load_puzzles(game)}
    except PuzzleFileError as error:
        return Finding(f"puzzles of the day: {error}", False, "The installation is incomplete: install Boneyard again.")
    dates = ", ".join(
        f"{day} ({', '.join(sorted(game for game, end in ends.items() if end == day))})"
        for day in sorted({*ends.values()})
    )
    soon = datetime.fromtimestamp(now / 1000, UTC).date() + PUZZLES_AHEAD
    more = "; a newer version has more" if min(ends.values(), default=soon) < soon else ""
    return Finding(f"puzzles of the day: until {dates}{more}", True)


def _check_compression() -> Finding:
    more = ", which is five times slower than the package isal" if DEFLATE == ZLIB else ""
    return Finding(f"pictures: compressed by {DEFLATE.name}{more}", True)


MAX_PROBLEM_LENGTH: Final = 160  # characters for one damaged match; the log has the rest
ALIVE_MS: Final = 60_000  # a pulse within this many ms means a running bot
PAGE_SIZE: Final = 1000  # matches in one query


@asynccontextmanager
async def open_store(url: str | None) -> AsyncIterator[Store]:
    """Open a database that exists, and close it afterwards. Raises StoreUnavailable."""
    _require_file(url)
    store = await Store.open(url)
    try:
        yield store
    finally:
        await store.close()


def _require_file(url: str | None) -> None:
    parsed = parse_url(url)
    file = Path(str(parsed.database))
    # A folder that may not be entered is explained when it is opened.
    if parsed.get_backend_name() == "sqlite" and os.access(file.parent, os.X_OK) and not file.exists():
        remedy = REMEDIES[DatabaseFault.MISSING]
        raise StoreUnavailable(f"The database {without_password(parsed)} cannot be used: {remedy}.")


async def require_stopped(store: Store, now: int) -> None:
    last = max((at for name, at in (await store.operations.load_pulses()).items() if name != "doctor"), default=0)
    # A pulse in the far future comes from a clock that was ahead.
    if abs(now - last) < ALIVE_MS:
        raise CopyError(f"A bot is using {store.name}. Stop it, wait a minute and try again.")


async def check_logs(store: Store, *, quarantine_at: int | None = None) -> dict[int, str]:
    """Return contradictions, and what is wrong with the logs of matches that are not in quarantine, by number.

    With a time, unreadable ones are quarantined and not returned.
    """
    found: dict[int, str] = {}
    quarantined, last = await store.quarantine.list_match_ids(), 0
    while numbers := await store.matches.list_match_ids(PAGE_SIZE, after=last):
        for last in numbers:
            why = ""
            try:
                loaded = await store.matches.load(last)
                if loaded is not None:
                    why = _find_inconsistency(
                        loaded, await store.matches.list_seats(last), is_quarantined=last in quarantined
                    )
            except Exception as error:  # a damaged log may make the replay raise anything
                if last in quarantined:
                    pass
                elif quarantine_at is None or isinstance(error, DatabaseUnavailable):
                    why = format_damage(error)
                else:
                    seq = error.seq if isinstance(error, DamagedLog) else 0
                    await store.quarantine.quarantine_match(last, seq, "damaged", now=quarantine_at)
            if not why and last in quarantined:
                head = await store.matches.find_head(last)
                if head is not None and head.state in RUNNING:  # it would block its channel and its players
                    why = f"it is {head.state}, although it is in quarantine"
            if why:
                found[last] = why
    return found


def format_damage(error: Exception) -> str:
    if not isinstance(error, DamagedLog):
        return f"its log can't be replayed ({type(error).__name__})"
    return f"{str(error)[:MAX_PROBLEM_LENGTH]}…" if len(str(error)) > MAX_PROBLEM_LENGTH else str(error)


def _find_inconsistency(loaded: LoadedMatch, seats: Sequence[SeatRow], *, is_quarantined: bool) -> str:
    head = loaded.head
    table, event_log = replay(loaded.log)
    if table.seq != head.seq:
        if is_quarantined:
            return ""
        return f"its log has {table.seq} events instead of {head.seq}"
    if table.terms.game != head.game or _list_players(table.seats) != _list_players(seats):
        return "its log belongs to another table"
    if event_log is None:
        return ""
    if event_log.match.rules.game != head.game or event_log.match.commitment != compute_commitment(head.secret):
        return "its log belongs to other deals"
    return "" if is_quarantined or table.state == head.state else f"it is {head.state}, and its log says {table.state}"


def _list_players(seats: Sequence[SeatRow]) -> list[tuple[int | None, str | None]]:
    return [(row.user_id, row.computer) for row in seats]
