"""A process in which a user starts vacation after vacation and prints each one, until a test kills it."""

import asyncio
import sys
from itertools import count

from data.store.store import Store
from engine.table.preferences import Preferences
from engine.table.table_posts import Post
from tests.data.store.scene import ADA, NOW, add_match, build_change

TABLES = 4


async def main(url: str) -> None:
    store = await Store.open(url)
    heads = [await add_match(store, channel_id=channel) for channel in range(1, TABLES + 1)]
    for vacation in count(1):
        before = await store.users.load_person(ADA)
        changes = [build_change(head, outbox=[Post(kind="notice", body={"vacation": vacation})]) for head in heads]
        heads = await store.matches.save_preferences(before, Preferences(every=vacation), changes, now=NOW)
        print(vacation, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
