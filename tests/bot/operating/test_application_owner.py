"""A database belongs to one Discord application.

A bot on the database of another application would upgrade its schema and treat its guilds as left.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot import __main__
from bot.core.environment import read_clock
from bot.playground.server import LocalDiscord
from data.store.connection.facts import Owner
from data.store.connection.migrate import get_newest_revision
from data.store.connection.store_errors import DatabaseOwnerError, StoreUnavailable
from data.store.store import Store
from tests.bot.operating.runner import PATIENCE, change_database, run_bot_process, run_until_exit
from tests.data.store.later_schema import use_later_schema
from tests.data.store.scene import ADA, GRACE, add_finished_match, build_new_match, build_result
from tests.e2e.playground import Playground

OLD, NEW = 1_100_000_000_000_000_001, 1_100_000_000_000_000_002


def read_all_rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}


def run_command(file: Path, *words: object) -> tuple[int, str]:
    environment = {"BONEYARD_DATABASE_URL": f"sqlite:///{file}"}
    result = CliRunner().invoke(__main__.app, [*map(str, words)], env=environment)
    return result.exit_code, result.output.removesuffix("\n")


async def fill_database(file: Path, owner: Owner | None = None) -> None:
    store = await Store.open(f"sqlite:///{file}")
    await add_finished_match(store, build_result((ADA, 3), (GRACE, 2)), now=1)
    await store.matches.create(build_new_match(state="open"), now=1)
    if owner is not None:
        await store.claim(owner)
    await store.close()


async def test_bot_refuses_database_of_other_application_without_changes(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    await fill_database(file, Owner(OLD))
    before = read_all_rows(file)
    async with LocalDiscord(None, port=0) as discord:
        own = int(discord.world.bot["id"])
        ended, (line,) = await run_until_exit(f"sqlite:///{file}", discord)
        assert not discord.commands.list_usable(next(iter(discord.world.guilds))), "nor does Discord hear of it"
    assert ended == 3
    assert line == (
        f"The database sqlite:///{file} belongs to the bot with the application id {OLD}; this bot has {own}. "
        "Nothing in the database was changed. To start with an empty one, move it away; or put back the discord.db "
        "from the same folder."
    )
    assert read_all_rows(file) == before, "no server counts as left, and no sign of life is in it"


@pytest.fixture
async def older(tmp_path: Path) -> AsyncIterator[Path]:
    """Create a database of application OLD with an old schema."""
    file = tmp_path / "boneyard.db"
    await fill_database(file, Owner(OLD))
    with use_later_schema(tmp_path):
        yield file


async def test_older_database_is_upgraded_once_its_owner_claims_it(older: Path) -> None:
    file, before = older, read_all_rows(older)
    store = await Store.open(f"sqlite:///{file}", claimed=False)
    with pytest.raises(DatabaseOwnerError):
        await store.claim(Owner(NEW))
    assert read_all_rows(file) == before
    await store.claim(Owner(OLD))
    assert read_all_rows(file)["alembic_version"] == [(get_newest_revision(),)]
    assert await store.matches.list_timed_matches() == []
    await store.close()


async def test_different_bot_reports_how_to_transfer_database(store: Store) -> None:
    await store.claim(Owner(OLD, playground=True))
    await store.claim(Owner(OLD))
    with pytest.raises(DatabaseOwnerError) as refused:
        await store.claim(Owner(NEW))
    assert str(refused.value) == (
        f"The database {store.name} belongs to a playground with the application id {OLD}; this bot has {NEW}. "
        "Nothing in the database was changed. Set BONEYARD_DATABASE_URL to the database of this bot, or transfer this "
        "database permanently: "
        f"boneyard adopt {NEW} --from {OLD}"
    )
    assert await store.operations.load_owner() == Owner(OLD, playground=True)


async def test_first_bot_claims_database(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    await fill_database(file)
    async with LocalDiscord(None, port=0) as discord:
        async with run_bot_process(f"sqlite:///{file}", discord) as bot, asyncio.timeout(PATIENCE):
            await discord.gateway.connected.wait()
            bot.process.stdin.close()
            assert await bot.wait_for_exit() == 0
        own = discord.world.bot["id"]
    facts = dict(read_all_rows(file)["facts"])
    assert facts.pop("commands"), "Discord was told of them"
    assert facts == {"application": own, "playground": "yes"}


def test_database_transfer_requires_current_application_id(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    asyncio.run(fill_database(file))
    status, output = run_command(file, "adopt", NEW, "--from", OLD)
    assert (status, "no owner yet" in output) == (1, True)
    (tmp_path / "boneyard.db").unlink()
    asyncio.run(fill_database(file, Owner(OLD)))
    before = read_all_rows(file)
    status, output = run_command(file, "adopt", NEW, "--from", NEW)
    assert (status, f"application {OLD}, not to {NEW}" in output) == (1, True)
    assert read_all_rows(file) == before
    status, output = run_command(file, "adopt", NEW, "--from", OLD)
    assert (status, output.startswith(f"sqlite:///{file} now belongs to the application {NEW}")) == (0, True)
    assert dict(read_all_rows(file)["facts"]) == {"application": str(NEW)}
    assert [row for name in ("matches", "results", "guilds") for row in read_all_rows(file)[name]] == [
        row for name in ("matches", "results", "guilds") for row in before[name]
    ]


def test_database_is_not_transferred_while_its_bot_runs(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    asyncio.run(fill_database(file, Owner(OLD)))
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("INSERT INTO pulses VALUES ('boneyard', ?)", (read_clock(),))
    status, output = run_command(file, "adopt", NEW, "--from", OLD)
    assert (status, "is using" in output) == (1, True)
    assert dict(read_all_rows(file)["facts"]) == {"application": str(OLD)}


@pytest.mark.parametrize("since", ["before there were owners", "with its owner"])
def test_restored_database_belongs_to_same_bot(tmp_path: Path, since: str) -> None:
    file, copy = tmp_path / "boneyard.db", tmp_path / "copy.db"
    asyncio.run(fill_database(file, None if since.startswith("before") else Owner(OLD, playground=True)))
    assert run_command(file, "backup", copy)[0] == 0
    if since.startswith("before"):
        owner = Owner(OLD, playground=True)
        asyncio.run(change_database(f"sqlite:///{file}", lambda store: store.claim(owner)))
    status, output = run_command(file, "restore", copy)
    assert status == 0, output
    assert dict(read_all_rows(file)["facts"]) == {"application": str(OLD), "playground": "yes"}


async def test_playground_with_lost_world_reports_once_and_exits(tmp_path: Path) -> None:
    folder = tmp_path / "what? 100%41 #1"  # where the application id would have another meaning
    folder.mkdir()
    await fill_database(tmp_path / "boneyard.db", Owner(OLD, playground=True))
    (tmp_path / "boneyard.db").rename(folder / "boneyard.db")
    async with Playground(folder) as playground:
        assert await playground.wait_for_exit() == 3
        assert len(playground.bots) == 1, "it would say the same again"
        (line_found,) = [line for line in playground.lines if "The database" in line]
    assert f"application id {OLD}" in line_found
    assert [line for line in playground.lines if "Traceback" in line] == []


async def test_upgrade_of_locked_database_succeeds_at_next_attempt(older: Path) -> None:
    file = older
    store = await Store.open(f"sqlite:///{file}", claimed=False)
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable) as locked:
                await store.claim(Owner(OLD))
            assert locked.value.is_transient
        await store.claim(Owner(OLD))
        assert read_all_rows(file)["alembic_version"] == [(get_newest_revision(),)]
    finally:
        await store.close()
