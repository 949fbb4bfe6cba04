"""Another user of the machine looks for readable files that the program created."""

import asyncio
import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.operating.doctor import open_store
from bot.playground.server import LocalDiscord
from bot.playground.world_storage import WorldStorage
from data.private import create_private_database, create_private_folder, restrict_database
from data.store.connection.file_check import STAMP_SUFFIX
from data.store.connection.store_errors import StoreUnavailable
from data.store.store import Store
from tests.abuse.host_machine import ROOT, read_mode, run_playground, start_boneyard, wait_until_online
from tests.data.store.empty import prepare_database
from tests.data.store.scene import ADA, GRACE, add_finished_match, build_result
from tests.e2e.playground import STEP_TIMEOUT
from tests.playground.page_user import PageUser

pytestmark = pytest.mark.skipif(os.name != "posix", reason="file modes need POSIX")

RECORD = ROOT / "tests" / "golden" / "triominoes-by-hand.txt"


async def run_boneyard(home: Path, *arguments: object, status: int = 0) -> str:
    process = await start_boneyard(home, *arguments)
    async with asyncio.timeout(STEP_TIMEOUT):
        output, _ = await process.communicate()
    assert process.returncode == status, output.decode()
    return output.decode()


def _list_permissive_files(*folders: Path) -> list[str]:
    files = [path for folder in folders for path in folder.rglob("*")]
    assert files
    return [f"{read_mode(path):o} {path}" for path in files if read_mode(path) & 0o077]


async def test_files_created_by_commands_are_readable_by_owner_only(tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir(mode=0o755)
    out.mkdir(mode=0o755)
    data = home / ".local" / "share" / "boneyard"

    # `run` on the database in the user's data directory; it stops when standard input closes
    async with LocalDiscord(tmp_path / "world" / "discord.db", port=0) as discord:
        bot = await start_boneyard(home, "run", "--local", discord.url, DISCORD_TOKEN=discord.token)
        async with asyncio.timeout(STEP_TIMEOUT), PageUser(discord.address, "Ada") as ada:
            await wait_until_online(ada)
            tiles = await ada.fetch_channel_id("tiles")
            await ada.wait_for_answer(tiles, await ada.use_command(tiles, "tiles", "new", seats=2, computers=1))
            await ada.wait_for_answer(tiles, await ada.use_command(tiles, "tiles", "data", "export"))
            running = {path.name for path in data.iterdir()}
            assert {"boneyard.db", "boneyard.db-wal", "boneyard.db-shm"} <= running
            assert _list_permissive_files(home, tmp_path / "world") == [], "while it runs"
            bot.stdin.close()
            await bot.communicate()
    async with run_playground(home, "--no-browser") as lines, PageUser(lines[-1].split()[-1], "Ada") as ada:
        await wait_until_online(ada)
        assert _list_permissive_files(home) == [], "while it is played"

    with closing(sqlite3.connect(data / "boneyard.db")) as connection, connection:
        connection.execute("UPDATE pulses SET at = 0")
    (data / "boneyard.db").chmod(0o644)  # the state that an earlier version left
    output = await run_boneyard(home, "backup", out / "copy.db")
    assert "boneyard.db could be read" in output
    await run_boneyard(home, "restore", out / "copy.db")
    await run_boneyard(home, "recount")
    await run_boneyard(home, "replay", "--picture", out / "board.png", RECORD)
    await run_boneyard(home, "doctor", status=1)
    names = {path.name for path in [*home.rglob("*"), *out.iterdir()]}
    assert {"copy.db", "board.png", "discord.db", "playground"} <= names
    assert any(".before-" in name for name in names), "what the restore has put aside"
    assert _list_permissive_files(home, out, tmp_path / "world") == []
    assert (read_mode(home), read_mode(out)) == (0o755, 0o755), "folders of other people stay as they are"


async def test_library_creates_private_files_with_any_umask(tmp_path: Path) -> None:
    old_umask = os.umask(0)
    try:
        file = tmp_path / "one" / "two" / "boneyard.db"
        create_private_folder(file.parent, is_ours=False)
        await (await Store.open(f"sqlite:///{file}")).close()
        assert _list_permissive_files(tmp_path) == []
        async with open_store(f"sqlite:///{file}") as store:
            await add_finished_match(store, build_result((ADA, 3), (GRACE, 2)), now=1)
            world_storage = WorldStorage(tmp_path / "three" / "discord.db")
            beside = {f"{file.name}{suffix}" for suffix in ("-wal", "-shm", STAMP_SUFFIX)}
            assert {path.name for path in file.parent.iterdir()} >= {file.name, *beside}
            assert _list_permissive_files(tmp_path) == []
            await world_storage.close()
        assert _list_permissive_files(tmp_path) == []
    finally:
        os.umask(old_umask)


async def test_permissions_of_older_files_are_restricted_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "boneyard.db"
    async with open_store(await prepare_database(f"sqlite:///{file}")) as store:
        await store.operations.record_pulse("doctor", now=1)
        wal = file.with_name("boneyard.db-wal")
        for wide in (file, wal):
            wide.chmod(0o644)
        with caplog.at_level(logging.WARNING):
            other = await Store.open(f"sqlite:///{file}")
        assert (read_mode(file), read_mode(wal)) == (0o600, 0o600)
        warnings = [record.getMessage() for record in caplog.records if "could be read" in record.getMessage()]
        assert [line.split()[0] for line in warnings] == [str(file), str(wal)]
        await other.close()


async def test_permissions_of_foreign_files_are_unchanged(tmp_path: Path) -> None:
    shared, secret = tmp_path / "shared", tmp_path / "secret"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    secret.write_text("noise " * 1000)
    secret.chmod(0o644)
    (shared / "boneyard.db-wal").symlink_to(secret)
    create_private_folder(shared, is_ours=False)
    create_private_database(shared)  # the operator names a folder by mistake
    create_private_database(shared / "boneyard.db")
    restrict_database(shared / "boneyard.db")
    restrict_database(shared)
    create_private_database(secret)  # or the wrong file
    with pytest.raises(StoreUnavailable, match="not an SQLite database"):
        await Store.open(f"sqlite:///{secret}")
    assert (read_mode(shared), read_mode(secret)) == (0o777, 0o644)
    assert read_mode(shared / "boneyard.db") == 0o600
