"""A database from before the tables were laid out anew: everybody is shown what they were shown then.

`old/README.md` says what is in it. What it is compared with was said by the version that wrote it.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from bot.service.tables import Tables
from data.store import Store
from tests.data.store.old.reading import everything

OLD: Final = Path(__file__).parent / "old"
EXPECTED: Final[dict[str, Any]] = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))

GAMES: Final = {"muggins", "points", "quad-ominos", "star", "trioker", "triominoes"}
AROUND: Final = {
    *("opened", "joined", "left", "seated", "unseated", "set", "moved", "reminded", "closed", "stopped", "paused"),
    *("resumed", "skipped", "absent", "standin", "returned", "away", "credited", "proposed", "answered", "replaced"),
    "forgotten",
}
"""What the log of a table told beside the match itself."""
PLAYED: Final = {
    *("started", "dealt", "placed", "chose", "drew", "passed", "roundended", "resigned", "undone", "matchended"),
}
WAITING: Final = {
    *("turn", "round", "end", "remind", "absence", "notice", "agreement", "question", "settled", "lapses", "moderated"),
    *("remove", "shrink", "recall", "board", "blocked"),
}
"""The kinds of posts that were to be sent, or chores to be done."""
HANDED_OVER: Final = {61, 62, 63, 94}
"""The tables where somebody else sits by now than did when a round ended that is not told yet."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The old database as a file, as yet untouched by this version."""
    file = tmp_path / "old.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress((OLD / "boneyard-0005.sql.gz").read_bytes()).decode())
    return file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[Store]:
    """The store on it."""
    store = await Store.open(f"sqlite:///{file}")
    yield store
    await store.close()


def rows(file: Path, query: str) -> list[tuple[Any, ...]]:
    """What stands in a file."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


async def test_everything_is_shown_as_the_version_showed_it_that_wrote_it(store: Store) -> None:
    told = await everything(store, EXPECTED["now"], requests=EXPECTED["requests"], held=EXPECTED["held"])
    told, expected = json.loads(json.dumps(told)), EXPECTED["shown"]
    assert told["matches"].keys() == expected["matches"].keys()
    for number, match in expected["matches"].items():
        assert told["matches"][number] == match, f"table {number}"
    for part, shown in expected.items():
        assert told[part] == shown, part


async def test_messages_that_are_to_go_with_the_turn_are_still_known(store: Store, file: Path) -> None:
    await store.close()
    query = "SELECT match_id, dedupe, body FROM outbox WHERE kind = 'remove' AND next_at IS NULL"
    number = EXPECTED["cases"]["wish: quiet hours"]
    assert [(match_id, name[:4]) for match_id, name, _ in rows(file, query)] == [(number, "old-")]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(
            number,
            marks=pytest.mark.xfail(reason="a table knows only who sits there now", strict=True)
            if int(number) in HANDED_OVER
            else (),
        )
        for number in EXPECTED["sat"]
    ],
)
async def test_a_round_that_is_told_late_names_those_who_played_it(store: Store, number: str) -> None:
    for seq, people in EXPECTED["sat"][number].items():
        then = await Tables(store).earlier(int(number), int(seq))
        assert [row.user_id for row in then.seats] == people


def test_the_old_database_has_everything_that_may_be_in_one(file: Path) -> None:
    assert rows(file, "SELECT version_num FROM alembic_version") == [("0005",)]
    assert {game for (game,) in rows(file, "SELECT game FROM matches WHERE state = 'open'")} == GAMES
    assert {state for (state,) in rows(file, "SELECT state FROM matches")} == {"lobby", "open", "done", "void"}
    assert {kind for (kind,) in rows(file, "SELECT kind FROM events")} == AROUND | PLAYED
    assert {kind for (kind,) in rows(file, "SELECT kind FROM outbox WHERE next_at IS NOT NULL")} == WAITING
    settings = [json.loads(text) for (text,) in rows(file, "SELECT settings FROM matches WHERE state = 'open'")]
    assert {one.get("clock", "relaxed").split()[0] for one in settings} == {"relaxed", "days", "bank", "live"}
    settings = [json.loads(text) for (text,) in rows(file, "SELECT settings FROM matches WHERE state = 'void'")]
    assert {one["closed"] for one in settings} == {"empty", "expired", "aborted", "stopped"}
