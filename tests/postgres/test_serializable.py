"""A server that aborts conflicting transactions instead of making them wait, as distributed engines do."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import ExceptionContext

from data.store.connection.store_errors import StaleVersion
from data.store.log.match_values import Limits
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, GUILD, add_match, build_result, build_seat, commit_change
from tests.postgres.servers import Server, run_server

ROUNDS = 12


@pytest.fixture
async def serializable_server() -> AsyncIterator[Server]:
    async with run_server(default_transaction_isolation="serializable") as one:
        await one.create_database("bones")
        yield one


@pytest.fixture
def aborted_transactions() -> Iterator[Counter[str]]:
    counted: Counter[str] = Counter()

    def count(context: ExceptionContext) -> None:
        counted[getattr(context.original_exception, "sqlstate", None) or ""] += 1

    event.listen(Engine, "handle_error", count)
    yield counted
    event.remove(Engine, "handle_error", count)


@pytest.fixture
async def stores(serializable_server: Server) -> AsyncIterator[tuple[Store, Store]]:
    url = serializable_server.build_url("bones")
    pair = await Store.open(url), await Store.open(url)
    yield pair
    for store in pair:
        await store.close()


async def test_one_concurrent_action_wins_and_others_get_current_state(
    stores: tuple[Store, Store], aborted_transactions: Counter[str]
) -> None:
    head = await add_match(stores[0])
    for round_ in range(ROUNDS):
        acts = [commit_change(stores[one % 2], head, request=round_ * 10 + one) for one in range(4)]
        done = await asyncio.gather(*acts, return_exceptions=True)
        assert sorted(type(one).__name__ for one in done) == ["Head", "StaleVersion", "StaleVersion", "StaleVersion"], (
            done
        )
        head = next(one for one in done if not isinstance(one, BaseException))
        assert {one.head_seq for one in done if isinstance(one, StaleVersion)} == {head.seq}
    assert (await stores[1].matches.find_head(head.match_id)) == head
    assert aborted_transactions["40001"] > 0, "there was something to try again"


async def test_duplicate_delivery_has_one_effect(stores: tuple[Store, Store]) -> None:
    head = await add_match(stores[0])
    for request in range(ROUNDS):
        done = await asyncio.gather(
            *(commit_change(store, head, request=request) for store in stores), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in done) == ["Head", "RepeatedRequest"], done
        head = next(one for one in done if not isinstance(one, BaseException))


async def test_one_of_two_concurrent_tables_in_channel_remains(stores: tuple[Store, Store]) -> None:
    for channel in range(ROUNDS):
        limits = Limits(user_id=ADA, person=100, server=100)
        opened = await asyncio.gather(
            *(add_match(store, channel_id=channel, limits=limits) for store in stores), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in opened) == ["ChannelBusy", "Head"], opened
    assert await stores[0].guilds.count_running(GUILD) == ROUNDS


async def test_concurrent_match_ends_of_same_players_all_count(
    stores: tuple[Store, Store], aborted_transactions: Counter[str]
) -> None:
    seats = [build_seat(0, ADA), build_seat(1, GRACE)]
    heads = [await add_match(stores[0], channel_id=channel, seats=seats) for channel in range(ROUNDS)]
    results = [build_result((ADA, 10), (GRACE, 5)), build_result((GRACE, 5), (ADA, 10))]
    await asyncio.gather(
        *(commit_change(stores[one % 2], head, state="done", result=results[one % 2]) for one, head in enumerate(heads))
    )
    ada = await stores[0].results.find_profile(ADA, GUILD, "triominoes")
    assert (ada.matches, ada.wins, ada.points) == (ROUNDS, ROUNDS, 10 * ROUNDS)
    assert aborted_transactions["40001"] > ROUNDS, "most of them had to be tried again"
