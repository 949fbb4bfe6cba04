"""A process that plays without end and prints each act after its commit, until a test kills it."""

import asyncio
import sys
from itertools import count

from data.store.log.match_values import Change
from data.store.store import Store
from engine.match.events import Passed, Resigned
from engine.table.table_posts import Post
from tests.data.store.scene import NOW, add_match


async def main(url: str) -> None:
    store = await Store.open(url)
    opened = await add_match(store, channel_id=len(await store.matches.list_outdated_heads(1000)) + 1)
    seq = opened.seq
    for act in count():
        change = Change(
            match_id=opened.match_id,
            expected_seq=seq,
            events=[Passed(0, 3, -25), Resigned(1)],
            outbox=[Post(kind="note", body={"act": act})],
            request=opened.match_id * 100_000 + act,
        )
        seq = (await store.matches.commit(change, now=NOW)).seq
        print(opened.match_id, seq, flush=True)


asyncio.run(main(sys.argv[1]))
