"""The backup and restore commands of the guide, on a database in use."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import make_url

from bot.core.environment import read_clock
from bot.operating.doctor import check_logs, open_store
from data.store.connection.facts import Owner
from data.store.connection.store_errors import StaleVersion
from data.store.store import Store
from tests.data.store.released.database import write_released
from tests.data.store.released.reading import read_everything
from tests.data.store.scene import (
    ADA,
    GRACE,
    GUILD,
    NOW,
    add_finished_match,
    add_match,
    build_result,
    build_seat,
    commit_change,
)
from tests.postgres.servers import Server, run_server

ROOT = Path(__file__).parents[2]
DUMP, RESTORE = re.findall(
    r"^```sh\n(.*?)^```$", (ROOT / "docs/how-to/postgresql.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)

pytestmark = pytest.mark.skipif(
    shutil.which("pg_dump") is None, reason="pg_dump is not installed (Debian: postgresql-client)"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[Server]:
    async with run_server() as running:
        yield running


async def test_guide_restores_dump_taken_during_play(server: Server, tmp_path: Path) -> None:
    url = await server.create_database("bones")
    await write_released(url)
    store = await Store.open(url)
    await server.run_sql("DELETE FROM forgotten", database="bones")  # the key of their fingerprints is missing
    await server.run_sql("DELETE FROM outbox", database="bones")
    await server.run_sql("UPDATE matches SET shown_seq = seq", database="bones")
    before = await read_everything(store, NOW, requests=(), user_ids=sorted(await store.erasure.list_user_ids()))
    head = await add_match(store, channel_id=4711)
    stopped = asyncio.Event()

    async def play() -> int:
        now_at = head
        while not stopped.is_set():
            now_at = await commit_change(store, now_at)
            await store.outbox.note_shown(now_at.match_id, seq=now_at.seq, message_id=None)
        return now_at.seq

    playing = asyncio.create_task(play())
    restored = make_url(url).set(database="boneyard_restored").render_as_string()
    environment = os.environ | {"BONEYARD_DATABASE_URL": url, "RESTORED_URL": restored}
    await _run_commands(DUMP, tmp_path, environment)
    stopped.set()
    played = await playing
    # The token check needs Discord; everything else works in the test environment.
    output = await _run_commands(RESTORE, tmp_path, environment | {"DISCORD_TOKEN": "a.b.c"})
    assert "FIX" not in output
    async with open_store(restored) as again:
        assert await check_logs(again) == {}
        found = await again.matches.find_head(head.match_id)
        assert 1 <= found.seq <= played
        assert len(await again.matches.load_log(head.match_id)) == found.seq, "of one instant"
        with pytest.raises(StaleVersion):
            await commit_change(again, head, expected_seq=found.seq + 1)
        after = await read_everything(again, NOW, requests=(), user_ids=sorted(await again.erasure.list_user_ids()))
        assert {number: row for number, row in after["matches"].items() if number != str(head.match_id)} == before[
            "matches"
        ]
        assert after["leaderboards"] == before["leaderboards"]
    await store.close()


async def test_user_deleted_after_dump_is_deleted_again(server: Server, tmp_path: Path) -> None:
    url, restored = (
        await server.create_database("since"),
        make_url(server.build_url("since_restored")).render_as_string(),
    )
    async with open_store(url) as store:
        await store.claim(Owner(77))
        await add_finished_match(store, build_result((ADA, 9), (GRACE, 3)), now=NOW)
        sitting = await add_match(store, channel_id=4712, seats=[build_seat(0, GRACE), build_seat(1, ADA)])
        environment = os.environ | {"BONEYARD_DATABASE_URL": url, "RESTORED_URL": restored, "DISCORD_TOKEN": "a.b.c"}
        await _run_commands(DUMP, tmp_path, environment)
        assert await store.erasure.erase_user(ADA, left_match_ids=[sitting.match_id], now=NOW + 1)
        await store.guilds.note_guild_left(GUILD, NOW + 2, now=NOW + 2)

        output = await _run_commands(RESTORE.replace("boneyard_restored", "since_restored"), tmp_path, environment)
        assert "deleted again: 1." in output
        async with open_store(restored) as again:
            assert await again.erasure.list_user_ids() == {GRACE}
            assert (await again.guilds.load_guild(GUILD)).left_at == NOW + 2
            assert list(await again.erasure.load_fingerprints()) == list(await store.erasure.load_fingerprints())
            # All databases recognize a returning user by the same fingerprint.
            await again.users.set_person(ADA, quick=True, now=NOW)
            assert await again.erasure.list_users_by_fingerprint(await store.erasure.load_fingerprints()) == [ADA]

        since = f'BONEYARD_DATABASE_URL="$RESTORED_URL" boneyard restore --since {url}'
        assert "deleted again: 0." in await _run_commands(since, tmp_path, environment), "it has been done"
        await store.operations.record_pulse("shard 0/1", now=read_clock())
        with pytest.raises(AssertionError, match="A bot is using"):
            await _run_commands(since, tmp_path, environment)
        with pytest.raises(AssertionError, match="Both addresses are the same"):
            await _run_commands(f"boneyard restore --since {url}", tmp_path, environment)


async def _run_commands(commands: str, folder: Path, environment: dict[str, str]) -> str:
    boneyard = folder / "boneyard"
    boneyard.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bot "$@"\n')
    boneyard.chmod(0o755)
    full_environment = environment | {"PATH": f"{folder}:{environment['PATH']}"}
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-ec",
        commands,
        cwd=folder,
        env=full_environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()
