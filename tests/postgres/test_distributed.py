"""Compatibility with distributed engines that support PostgreSQL's SQL."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio

from data.store.log.match_values import Limits
from data.store.store import Store
from engine.table.table_posts import Post
from tests.data.store.scene import ADA, CHANNEL, GRACE, NOW, add_match, build_result, build_seat, commit_change
from tests.postgres.servers import Server, run_server
from tests.postgres.supported_sql import UNSUPPORTED, list_unsupported, record_statements

NAMES = (f"bones{number}" for number in count())
TABLES = 6
POSTS = [Post(kind="round"), Post(kind="turn", body={"seat": 0})]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[Server]:
    async with run_server() as one:
        yield one


@pytest.fixture
async def url(running: Server) -> str:
    return await running.create_database(next(NAMES))


async def test_new_schema_is_created_without_alter_statements(url: str) -> None:
    with record_statements() as statements:
        await (await Store.open(url)).close()
        creation_count = len(statements)
        await (await Store.open(url)).close()
    kinds = {statement.split()[0].upper() for statement in statements[:creation_count]}
    assert kinds == {"SELECT", "CREATE", "INSERT"}
    assert {statement.split()[0].upper() for statement in statements[creation_count:]} == {"SELECT"}


async def test_move_and_messages_use_no_shared_sequence(running: Server, url: str) -> None:
    store = await Store.open(url)
    for channel in range(TABLES):
        head = await add_match(store, channel_id=channel, seats=[build_seat(0, ADA), build_seat(1, GRACE)])
        for request in range(3):
            head = await commit_change(store, head, outbox=POSTS, request=head.match_id * 10 + request)
        for post in await store.outbox.list_due(NOW, 10, match_id=head.match_id):
            assert await store.outbox.lease(post, now=NOW)
            await store.outbox.note_sent(post, 900)
        await commit_change(store, head, state="done", result=build_result((ADA, 9), (GRACE, 3)))
    await store.close()
    database = url.rpartition("/")[2]
    query = "SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL"
    drawn = await running.run_sql(query, database=database)
    assert [tuple(row) for row in drawn] == [("matches_match_id_seq", TABLES)], "one for each match, and no other"


async def test_block_allocated_sequences_do_not_change_order(running: Server, url: str) -> None:
    first, second = await Store.open(url), await Store.open(url)
    await running.run_sql("ALTER SEQUENCE matches_match_id_seq CACHE 50", database=url.rpartition("/")[2])
    numbers = []
    for at, store in enumerate((first, second) * 3):
        head = await add_match(store, now=NOW + at)
        head = await commit_change(store, head, outbox=POSTS, now=NOW + at)
        assert [post.kind for post in await store.outbox.list_due(NOW + at, 9, match_id=head.match_id)] == [
            "round",
            "turn",
        ]
        await commit_change(store, head, state="done", result=build_result((ADA, 9), (GRACE, 3)), now=NOW + at)
        numbers.append(head.match_id)
    assert numbers != sorted(numbers), "they came from two blocks"
    last = await first.matches.list_heads_in_channel(CHANNEL, ("done",))
    assert [head.match_id for head in last] == numbers[::-1]
    await asyncio.gather(first.close(), second.close())


async def test_concurrent_joins_are_counted_without_advisory_lock(url: str) -> None:
    stores = [await Store.open(url), await Store.open(url)]
    limits = Limits(user_id=ADA, person=3)
    opened = await asyncio.gather(
        *(add_match(stores[channel % 2], channel_id=channel, limits=limits) for channel in range(TABLES)),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in opened) == ["Head"] * 3 + ["TooManyMatches"] * 3, opened
    for store in stores:
        await store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_advisory_xact_lock($1)",
        "LISTEN boneyard",
        "SELECT * FROM outbox FOR UPDATE SKIP LOCKED",
        "CREATE TABLE a (b BIGINT REFERENCES c DEFERRABLE INITIALLY DEFERRED)",
        "SET statement_timeout = 5",
        "LOCK TABLE matches IN SHARE MODE",
        "DELETE FROM outbox WHERE ctid = ANY ($1)",
    ],
)
def test_unsupported_statement_is_detected(statement: str) -> None:
    assert list_unsupported(statement)
    assert len(UNSUPPORTED) == 15
