"""A user's preferences and their effects on tables are stored together or not at all."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from data.store.connection.store_errors import StaleVersion
from data.store.store import Store
from engine.table.preferences import Person, Preferences
from engine.table.table_posts import Post
from tests.data.store.leaver import TABLES
from tests.data.store.scene import ADA, GRACE, NOW, add_match, build_change, commit_change
from tests.data.store.server import BOTH_DATABASES
from tests.depth import scale_count

ROOT = Path(__file__).parents[3]
AWAY = Preferences(away_until=NOW + 1)
BERLIN = Preferences(zone="Europe/Berlin")


async def test_preferences_and_their_table_changes_are_saved_together(store: Store):
    heads = [await add_match(store, channel_id=channel) for channel in (1, 2)]
    changes = [build_change(head, outbox=[Post(kind="notice")]) for head in reversed(heads)]
    after = await store.matches.save_preferences(await store.users.load_person(ADA), AWAY, changes, now=NOW)
    assert [(head.match_id, head.seq) for head in after] == [(head.match_id, 2) for head in heads]
    assert (await store.users.load_person(ADA)).preferences == AWAY
    assert len(await store.outbox.list_due(NOW, 10)) == 2


async def test_preferences_are_not_saved_when_one_table_is_stale(store: Store):
    heads = [await add_match(store, channel_id=channel) for channel in (1, 2)]
    moved = await commit_change(store, heads[1])
    with pytest.raises(StaleVersion):
        await store.matches.save_preferences(
            await store.users.load_person(ADA), AWAY, [build_change(head) for head in heads], now=NOW
        )
    assert await store.users.load_person(ADA) == Person(user_id=ADA)
    assert await store.matches.find_head(heads[0].match_id) == heads[0]
    assert await store.matches.find_head(heads[1].match_id) == moved


async def test_mention_setting_and_preferences_change_together_or_not(store: Store):
    before = await store.users.load_person(ADA)
    await store.matches.save_preferences(before, AWAY, pings="dm", now=NOW)
    assert await store.users.load_person(ADA) == Person(user_id=ADA, pings="dm", preferences=AWAY)
    with pytest.raises(StaleVersion):
        await store.matches.save_preferences(before, Preferences(), pings="none", now=NOW)
    await store.matches.save_preferences(await store.users.load_person(ADA), Preferences(), now=NOW)
    assert await store.users.load_person(ADA) == Person(user_id=ADA, pings="dm")


@BOTH_DATABASES
async def test_one_of_two_concurrent_first_changes_is_stale(store: Store, other: Store):
    for user in range(1, 21):
        newcomer = await store.users.load_person(user)
        changes = (
            store.matches.save_preferences(newcomer, BERLIN, now=NOW),
            other.matches.save_preferences(newcomer, AWAY, now=NOW),
        )
        ends = await asyncio.gather(*changes, return_exceptions=True)
        assert sorted(type(end).__name__ for end in ends) == ["StaleVersion", "list"]


@pytest.mark.deep
def test_vacation_applies_to_every_table_after_process_is_killed(tmp_path: Path):
    rng = Random(3)
    for run in range(scale_count(2)):
        url = f"sqlite:///{tmp_path}/{run}.db"
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.data.store.leaver", url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(5):
            acknowledged = int(child.stdout.readline())
        time.sleep(rng.random() * 0.02)
        child.send_signal(signal.SIGKILL)
        acknowledged = int((child.communicate()[0].splitlines() or [acknowledged])[-1])
        asyncio.run(_check_acknowledged(url, acknowledged))


async def _check_acknowledged(url: str, acknowledged: int) -> None:
    store = await Store.open(url)
    vacation = (await store.users.load_person(ADA)).preferences.every
    assert vacation in (acknowledged, acknowledged + 1)
    vacations: dict[int, list[int]] = {}
    for row in await store.outbox.list_due(NOW, 100_000):
        vacations.setdefault(row.match_id, []).append(row.body["vacation"])
    assert len(vacations) == TABLES
    assert list(vacations.values()) == [list(range(1, vacation + 1))] * TABLES
    await store.close()


@BOTH_DATABASES
async def test_changing_one_setting_keeps_others(store: Store):
    assert await store.users.set_person(ADA, quick=True, now=NOW) == Person(user_id=ADA, quick=True, pings="channel")
    assert await store.users.set_person(ADA, pings="dm", now=NOW + 1) == Person(user_id=ADA, quick=True, pings="dm")
    assert await store.users.set_person(ADA, quick=False, now=NOW + 2) == Person(user_id=ADA, quick=False, pings="dm")
    assert await store.users.load_person(ADA) == Person(user_id=ADA, quick=False, pings="dm")
    assert await store.users.load_person(GRACE) == Person(user_id=GRACE, quick=False, pings="channel")


async def test_changing_nothing_changes_nothing(store: Store):
    assert await store.users.set_person(ADA, now=NOW) == Person(user_id=ADA)
