"""A store that was closed does nothing more, and says so at once."""

import asyncio

import pytest

from data.store import Store, StoreClosed
from tests.data.store.scene import ADA, NOW, note, table


async def test_whoever_comes_after_the_end_is_refused_at_once_and_nothing_is_written(url: str):
    store = await Store.open(url)
    head = await store.create(table(), now=NOW)
    await store.close()
    async with asyncio.timeout(30):  # a pool of connections would let it wait for a minute
        with pytest.raises(StoreClosed, match="closed"):
            await store.commit(note(head), now=NOW)
        with pytest.raises(StoreClosed):
            await store.head(head.match_id)
    again = await Store.open(url)
    assert await again.head(head.match_id) == head
    await again.close()


async def test_what_was_begun_before_the_end_is_finished(url: str):
    store = await Store.open(url)
    begun = [asyncio.create_task(store.set_person(ADA + n, quick=True, now=NOW)) for n in range(5)]
    await asyncio.sleep(0)
    await store.close()
    assert [person.quick for person in await asyncio.gather(*begun)] == [True] * 5


async def test_closing_twice_does_no_harm(url: str):
    store = await Store.open(url)
    await store.close()
    await store.close()
    with pytest.raises(StoreClosed):
        await store.person(1)
