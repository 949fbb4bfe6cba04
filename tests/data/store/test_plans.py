"""SQLite query plans of frequent queries use indexes, so that old rows do not slow them down."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from data.store.history.store import HistoryQuery, HistoryStore
from data.store.outbox.alert_posts import build_posts
from data.store.profiles.store import ProfileStore
from data.store.results.player_standings import Tally, load_opponents
from data.store.results.tables import BESTS
from data.store.reviews.store import ReviewStore
from data.store.store import Store
from tests.data.store.scene import CHANNEL, NOW, build_head
from tests.data.store.statements import record_statements

Question = Callable[[Store], Awaitable[object]]


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


async def explain_queries(file: Path, store: Store, question: Question) -> list[str]:
    with record_statements() as statements:
        await question(store)
    selects = [one for one in statements if one[0].startswith("SELECT")]
    assert selects, "no statement was heard"
    with closing(sqlite3.connect(file)) as connection:
        return [
            step[3] for text, values in selects for step in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)
        ]


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(lambda store: store.outbox.list_due(NOW, 100), id="what is due"),
        pytest.param(lambda store: store.outbox.list_due(NOW, 100, match_id=1), id="what is due of a match"),
        pytest.param(lambda store: store.outbox.list_blocked(), id="closed channels"),
    ],
)
async def test_sweep_queries_use_indexes_without_table_scan(store: Store, file: Path, question: Question):
    steps = await explain_queries(file, store, question)
    assert [step for step in steps if step.startswith("SCAN")] == []


async def test_last_match_of_channel_is_found_without_sorting_earlier_ones(store: Store, file: Path):
    steps = await explain_queries(
        file, store, lambda asked: asked.matches.list_heads_in_channel(CHANNEL, ("done",), limit=1)
    )
    (step,) = steps
    assert step.endswith("ix_matches_channel (channel_id=? AND state=?)")


async def test_compressing_logs_does_not_scan_compressed_logs(store: Store, file: Path):
    steps = await explain_queries(file, store, lambda asked: asked.operations.compress_logs(NOW))
    (found,) = [step for step in steps if "ix_matches_over" in step]
    assert found.endswith("(updated_at>? AND updated_at<?)")
    assert [step for step in steps if step.startswith("SCAN") or "TEMP" in step] == []


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(
            lambda store: HistoryStore(store.transactions).load_page(HistoryQuery(user_id=1, guild_id=2, other=3)),
            id="a page of one's matches",
        ),
        pytest.param(
            lambda store: HistoryStore(store.transactions).load_page(HistoryQuery(user_id=1, guild_id=2, game="star")),
            id="those of a game",
        ),
        pytest.param(lambda store: HistoryStore(store.transactions).list_months(1, 2), id="the months of them"),
        pytest.param(
            lambda store: ProfileStore(store.transactions).list_recent_results(1, 2, "star"), id="the last of them"
        ),
        pytest.param(lambda store: store.matches.list_ended_of_user(1, 2, 25), id="those that can be replayed"),
        pytest.param(lambda store: ProfileStore(store.transactions).load_rivalry(2, 1, 3), id="two people"),
        pytest.param(
            lambda store: ProfileStore(store.transactions).load_rivalry(2, 1, 3, game="star"), id="two people in a game"
        ),
        pytest.param(
            lambda store: ReviewStore(store.transactions).list_shared_reviews(2, 1, 3, game="star", limit=9),
            id="who was luckier",
        ),
        pytest.param(lambda store: ProfileStore(store.transactions).load_bests(1, 2, "star"), id="bests"),
        pytest.param(
            lambda store: store.transactions.read(lambda db: load_opponents(db, 2, "star", {1: Tally()})),
            id="people met",
        ),
    ],
)
async def test_history_queries_use_index_by_player(store: Store, file: Path, question: Question):
    steps = await explain_queries(file, store, question)
    assert {step for step in steps if step.startswith("SCAN")} <= {"SCAN CONSTANT ROW", "SCAN (subquery-1)"}
    assert list_guild_scans(steps) == []


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(lambda store: store.quarantine.list_quarantined(guild_id=2), id="tables set aside"),
        pytest.param(lambda store: store.quarantine.list_quarantined(channel_id=2), id="those of a channel"),
        pytest.param(lambda store: store.operations.load_backlog(now=NOW, guild_id=2), id="what is held up"),
        pytest.param(
            lambda store: store.transactions.read(
                lambda db: build_posts(db, build_head(game="star", guild_id=2, host_id=3), NOW)
            ),
            id="whom a table is told",
        ),
    ],
)
async def test_queries_do_not_read_all_results_of_guild(store: Store, file: Path, question: Question):
    steps = await explain_queries(file, store, question)
    assert list_guild_scans(steps) == []


def list_guild_scans(steps: list[str]) -> list[str]:
    guild_scans = ("ix_results_guild (guild_id=?", "ix_matches_guild (guild_id=?)", "ix_matches_channel (channel_id=?)")
    ended_scan = "ix_matches_guild (guild_id=? AND state=?)"  # nearly all matches are over
    return [
        step for step in steps if any(part in step for part in (*guild_scans, ended_scan)) and "rowid=?" not in step
    ]


async def test_guild_records_are_read_from_index_end(store: Store, file: Path):
    steps = await explain_queries(
        file, store, lambda asked: ProfileStore(asked.transactions).load_records(CHANNEL, "star")
    )
    found = [step for step in steps if step.startswith("SEARCH")]
    assert len(found) == 2 * len(BESTS)
    for kind in BESTS:
        index = f"ix_bests_{kind} (guild_id=? AND game=? AND counted=? AND hidden=? AND {kind}>?)"
        assert any(index in one for one in found)
    assert not [step for step in steps if "TREE FOR ORDER" in step], "equal ones alone are sorted"
