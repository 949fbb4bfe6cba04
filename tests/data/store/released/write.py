"""Write the database of a release, and what the bot shows of it.

    python -m tests.data.store.released.write VERSION

From version 1.0 on, run it once for every release, at the commit of that release, and keep both files.
"""

import asyncio
import gzip
import json
import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random

from bot.tables.acts import TableActions
from bot.tables.service import Table
from data.rulebook import list_games
from data.store.connection.privacy_key import KEY_VARIABLE
from data.store.duplicates.deals import SealedDeal
from data.store.duplicates.store import DealStore
from data.store.leagues.store import SeasonStore
from data.store.puzzles.store import PuzzleStore
from data.store.store import Store
from engine.match.actions import Resign
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import AddWord, AskPlayers, Join, LeaveTable, Moderate, TakeAction
from engine.table.preferences import Preferences
from engine.table.terms import DAY
from tests.bot.simulated_guild import derive_secret
from tests.bot.timed_table import START, TimedTable
from tests.bot.use_cases import ADA, CHANNEL, GRACE, GUILD, LINUS
from tests.data.store.released.database import KEY, get_expected_path, get_script_path
from tests.data.store.released.reading import read_everything
from tests.data.store.seasons import add_running_season, build_new_season

CHANNELS = count(CHANNEL)
RANDOM = Random(1)


async def write(url: str) -> dict[str, object]:
    """Play in an empty database. Return what the bot shows of it, and the time."""
    store = await Store.open(url)
    timed_table, deal = TimedTable(store, START), count(1)
    timed_table.acts = TableActions(
        store, timed_table.tables, lambda: timed_table.time, lambda: derive_secret(next(deal)), presses=True
    )
    for game in list_games():
        await play(timed_table, await begin(timed_table, GRACE, game=game))
    await play(timed_table, await begin(timed_table, GRACE, options=("blocked_bonus=none",), target=60))
    resigned = await play_moves(timed_table, await begin(timed_table, GRACE, LINUS), 6)
    await timed_table.interact(resigned, TakeAction(LINUS, Resign))
    await play(timed_table, await timed_table.load_table(resigned))
    assert await store.operations.compress_logs(timed_table.time + 1, limit=3) == 3
    timed_table.time += 30 * DAY
    await play_tables(timed_table)
    await write_other_data(store, timed_table.time)
    now = timed_table.time + DAY // 24
    held = sorted(await store.erasure.list_user_ids())
    shown = await read_everything(store, now, requests=range(100, 110), user_ids=held)
    await store.close()
    return {"now": now, "requests": list(range(100, 110)), "held": held, "shown": shown}


async def play_tables(timed_table: TimedTable) -> None:
    """Leave tables in every state that the log can be in."""
    await timed_table.open(channel_id=next(CHANNELS), seats=3)
    left = await timed_table.open(channel_id=next(CHANNELS), seats=2)
    await timed_table.interact(left, LeaveTable(ADA))
    words = await timed_table.open(channel_id=next(CHANNELS), seats=3)
    await timed_table.interact(words, AddWord(ADA, "seven"))
    computers = await timed_table.open(channel_id=next(CHANNELS), seats=3, computers=2)
    await play_moves(timed_table, computers, 4)
    for clock in ("relaxed", "bank 5d+6h", "live 10m"):
        await play_moves(timed_table, await begin(timed_table, GRACE, clock=clock), 5)
    undone = await play_moves(timed_table, await begin(timed_table, GRACE, game="quad-ominos"), 5)
    await timed_table.interact(undone, AskPlayers(find_other_user(undone), "undo"))
    ended = await play_moves(timed_table, await begin(timed_table, GRACE), 5)
    await timed_table.interact(ended, AskPlayers(ADA, "abort"))
    asked = await play_moves(timed_table, await begin(timed_table, GRACE, LINUS), 5)
    await timed_table.interact(asked, AskPlayers(ADA, "abort"))
    for ruling in (("pause",), ("pause", "resume"), ("skip",), ("stop",)):
        ruled = await play_moves(timed_table, await begin(timed_table, GRACE), 5)
        for what in ruling:
            await timed_table.interact(ruled, Moderate(what, LINUS, "tea"))
    await play_moves(timed_table, await begin(timed_table, GRACE, LINUS), 5)
    await timed_table.wait(DAY)


async def write_other_data(store: Store, now: int) -> None:
    """Write the stored data other than matches."""
    await store.users.set_person(ADA, quick=True, preferences=Preferences(zone="Europe/Berlin"), now=now)
    await store.users.set_person(LINUS, pings="dm", now=now)
    await store.guilds.set_guild(GUILD, {"channels": [20, 21]}, now=now)
    await add_running_season(store)
    seasons = SeasonStore(store.transactions)
    await seasons.begin_season_message(await seasons.announce_season(build_new_season(), now=now), now=now)
    deal = SealedDeal(
        guild_id=GUILD,
        channel_id=CHANNEL,
        name="amber-otter",
        terms={},
        secret=bytes(32),
        made_at=now,
        closes_at=2 * now,
    )
    assert await DealStore(store.transactions).create_deal(deal)
    await PuzzleStore(store.transactions).begin_puzzle(ADA, "triominoes", "2026-01-10", counted=True, now=now)
    await store.operations.record_pulse("bot", now=now)
    assert await store.erasure.erase_user(4711, left_match_ids=(), now=now)


async def begin(timed_table: TimedTable, *others: int, **terms: object) -> Table:
    table = await timed_table.open(channel_id=next(CHANNELS), seats=len(others) + 1, **terms)
    for guest in others:
        table = await timed_table.interact(table, Join(guest))
    return table


async def play_moves(timed_table: TimedTable, table: Table, number: int) -> Table:
    for _ in range(number):
        timed_table.time += 60_000
        await timed_table.tick()
        table = await timed_table.settle_turn(await timed_table.load_table(table))
        if table.head.state == "open" and (user := table.find_turn_user()) is not None:
            action = greedy.choose(view_for(table.match, table.match.turn), RANDOM)
            table = await timed_table.interact(table, TakeAction(user, lambda _, action=action: action))
    return table


async def play(timed_table: TimedTable, table: Table) -> None:
    while table.head.state == "open":
        table = await play_moves(timed_table, table, 1)


def find_other_user(table: Table) -> int:
    return next(row.user_id for row in table.seats if row.user_id != table.find_turn_user())


def main(version: str) -> None:
    os.environ[KEY_VARIABLE] = KEY
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "boneyard.db"
        expected = asyncio.run(write(f"sqlite:///{file}"))
        with closing(sqlite3.connect(file)) as connection:
            script = "\n".join(connection.iterdump())
    get_script_path(version).write_bytes(gzip.compress(script.encode(), mtime=0))
    get_expected_path(version).write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
