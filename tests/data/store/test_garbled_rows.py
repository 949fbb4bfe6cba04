"""A garbled body affects its own row, match, season or server only."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.core.guild_settings import GuildSettings
from data.store.connection.bodies import list_bodies
from data.store.connection.hooks import load_hooks
from data.store.connection.privacy_key import KEY_VARIABLE
from data.store.connection.schema import metadata
from data.store.duplicates.store import DealStore
from data.store.leagues.store import SeasonStore
from data.store.operations.checkup import check_database
from data.store.store import Store
from data.store.users.store import UNREADABLE
from tests.bot.operating.runner import run_command
from tests.data.store.released.database import KEY, write_released

load_hooks()
GUILD = 1
ROWS = {  # of SQL tables that are empty in the released database
    "attacks": "1, '2026-01-01', 0, 1, 1, '', NULL, NULL, 1, NULL, NULL",
    "facts": "'commands', 'none 0'",
    "figures": "1, 'star', 1, '', 0, NULL, NULL, 1",
    "notes": "1, 1, 'a note', 1",
    "premoves": '1, 1, \'{"seat":0,"round":1,"placement":null}\'',
    "reviews": "1, x'789c030000000001', '{}', 1, NULL",
    "weekly_deals": f"{GUILD}, 1, '{{}}', 1",
}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    file = tmp_path / "boneyard.db"
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{file}")
    asyncio.run(write_released(f"sqlite:///{file}"))
    with closing(sqlite3.connect(file)) as connection, connection:
        for table, values in ROWS.items():
            connection.execute(f"INSERT INTO {table} VALUES ({values})")
    return file


def garble(file: Path, body: str, value: object) -> dict[str, Any]:
    """Overwrite a body in one row; return the key of the row."""
    name, _, column = body.partition(".")
    keys = [part.name for part in metadata.tables[name].primary_key]
    with closing(sqlite3.connect(file)) as connection, connection:
        row = connection.execute(f"SELECT {', '.join(keys)} FROM {name} ORDER BY 1 DESC").fetchone()
        where = " AND ".join(f"{key} = ?" for key in keys)
        connection.execute(f"UPDATE {name} SET {column} = {value} WHERE {where}", row)
    return dict(zip(keys, row, strict=True))


def count_rows(file: Path) -> dict[str, int]:
    with closing(sqlite3.connect(file)) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in metadata.tables}


def build_literals(seed: str) -> list[str]:
    noise = (b"\xff" + Random(seed).randbytes(40)).hex()
    return [f"CAST(x'{noise}' AS TEXT)", f"x'{noise}'", "'{\"half'"]


@pytest.mark.parametrize("body", sorted(list_bodies()))
def test_garbled_row_is_named_and_affects_nothing_else(file: Path, tmp_path: Path, body: str) -> None:
    url, good = f"sqlite:///{file}", count_rows(file)
    for number, value in enumerate(build_literals(body)):
        if body in ("notes.text", "facts.value") and number == 2:
            continue  # half a JSON object is a good text
        key = garble(file, body, value)

        async def look(key: dict[str, Any] = key) -> None:
            named = [(row.column, dict(row.key)) for row in (await check_database(url, now=1)).damaged_rows]
            assert named == [(body, key)]
            store = await Store.open(url)
            for guild in await store.guilds.list_known_guilds():
                GuildSettings.from_stored((await store.guilds.load_guild(guild)).settings)
                await store.operations.load_backlog(now=1, guild_id=guild)
                await DealStore(store.transactions).list_deals(guild)
                found = {row.column for row in await store.operations.list_damaged_rows(guild)}
                assert found <= {body}
            people = [(await store.users.load_person(user)).preferences for user in await store.erasure.list_user_ids()]
            assert people.count(UNREADABLE) == (body == "people.preferences")
            for season in range(1, 4):
                try:
                    await SeasonStore(store.transactions).find_season(season)
                except Exception:
                    assert (body, key["season_id"]) == ("season_events.body", season)
            await store.results.rebuild_standings()
            await store.operations.load_owner()
            await store.close()

        asyncio.run(look())
    kept = tmp_path / "kept.db"
    status, output = run_command("backup", kept)
    assert (status, body.partition(".")[0] in output or "event" in output) == (0, True), output
    status, output = run_command("restore", kept, BONEYARD_DATABASE_URL=f"sqlite:///{tmp_path}/restored.db")
    assert (status, body.partition(".")[0] in output or "event" in output) == (0, True), output
    restored = count_rows(tmp_path / "restored.db")
    assert {name: count for name, count in restored.items() if name not in ("aside", "outbox")} == {
        name: count for name, count in good.items() if name not in ("aside", "outbox")
    }
    if body in ("events.body", "archives.body"):
        assert asyncio.run(list_all_quarantined(f"sqlite:///{tmp_path}/restored.db")) == {key["match_id"]}


async def list_all_quarantined(url: str) -> set[int]:
    store = await Store.open(url)
    found = await store.quarantine.list_match_ids()
    await store.close()
    return found
