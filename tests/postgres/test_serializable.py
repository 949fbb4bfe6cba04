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
from tests.data.store.scene import ADA, GRACE, GUILD, NOW, note, outcome, person, table
from tests.postgres import servers
from tests.postgres.servers import Server, server

pytestmark = [servers.NEEDED, pytest.mark.deep]
ROUNDS = 12


@pytest.fixture
async def strict() -> AsyncIterator[Server]:
    async with server(default_transaction_isolation="serializable") as one:
        await one.new_database("bones")
        yield one


@pytest.fixture
def broken_off() -> Iterator[Counter[str]]:
    counted: Counter[str] = Counter()

    def count(context: ExceptionContext) -> None:
        counted[getattr(context.original_exception, "sqlstate", None) or ""] += 1

    event.listen(Engine, "handle_error", count)
    yield counted
    event.remove(Engine, "handle_error", count)


@pytest.fixture
async def stores(strict: Server) -> AsyncIterator[tuple[Store, Store]]:
    two = await Store.open(strict.url("bones")), await Store.open(strict.url("bones"))
    yield two
    for store in two:
        await store.close()


async def test_one_concurrent_action_wins_and_others_get_current_state(
    stores: tuple[Store, Store], broken_off: Counter[str]
) -> None:
    head = await stores[0].matches.create(table(), now=NOW)
    for round_ in range(ROUNDS):
        acts = [stores[one % 2].matches.commit(note(head, request=round_ * 10 + one), now=NOW) for one in range(4)]
        done = await asyncio.gather(*acts, return_exceptions=True)
        assert sorted(type(one).__name__ for one in done) == ["Head", "Stale", "Stale", "Stale"], done
        head = next(one for one in done if not isinstance(one, BaseException))
        assert {one.head_seq for one in done if isinstance(one, StaleVersion)} == {head.seq}
    assert (await stores[1].matches.find_head(head.match_id)) == head
    assert broken_off["40001"] > 0, "there was something to try again"


async def test_duplicate_delivery_has_one_effect(stores: tuple[Store, Store]) -> None:
    head = await stores[0].matches.create(table(), now=NOW)
    for request in range(ROUNDS):
        done = await asyncio.gather(
            *(store.matches.commit(note(head, request=request), now=NOW) for store in stores), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in done) == ["Head", "Repeated"], done
        head = next(one for one in done if not isinstance(one, BaseException))


async def test_one_of_two_concurrent_tables_in_channel_remains(stores: tuple[Store, Store]) -> None:
    for channel in range(ROUNDS):
        given = Limits(user_id=ADA, person=100, server=100)
        opened = await asyncio.gather(
            *(store.matches.create(table(channel_id=channel, limits=given), now=NOW) for store in stores),
            return_exceptions=True,
        )
        assert sorted(type(one).__name__ for one in opened) == ["ChannelBusy", "Head"], opened
    assert await stores[0].guilds.count_running(GUILD) == ROUNDS


async def test_concurrent_match_ends_of_same_players_all_count(
    stores: tuple[Store, Store], broken_off: Counter[str]
) -> None:
    sitters = [person(0, ADA), person(1, GRACE)]
    heads = [
        await stores[0].matches.create(table(channel_id=channel, seats=sitters), now=NOW) for channel in range(ROUNDS)
    ]
    results = [outcome((ADA, 10), (GRACE, 5)), outcome((GRACE, 5), (ADA, 10))]
    await asyncio.gather(
        *(
            stores[one % 2].matches.commit(note(head, state="done", result=results[one % 2]), now=NOW)
            for one, head in enumerate(heads)
        )
    )
    ada = await stores[0].results.find_profile(ADA, GUILD, "triominoes")
    assert (ada.matches, ada.wins, ada.points) == (ROUNDS, ROUNDS, 10 * ROUNDS)
    assert broken_off["40001"] > ROUNDS, "most of them had to be tried again"
