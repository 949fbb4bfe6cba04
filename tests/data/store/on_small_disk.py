"""A store on a disk that runs full: `python -m tests.data.store.on_small_disk FOLDER` prints the observations as
JSON.
"""

import asyncio
import json
import logging
import sys
from logging.handlers import MemoryHandler
from pathlib import Path
from typing import Any

from bot.operating.doctor import open_store
from data.store.connection.faults import DatabaseUnavailable, log
from engine.table.table_events import Paused
from tests.data.store.empty import prepare_database
from tests.data.store.scene import GRACE, add_match, commit_change

MAX_COMMITS = 2000


async def fill_disk(folder: Path) -> dict[str, Any]:
    handler = MemoryHandler(capacity=MAX_COMMITS, flushLevel=logging.CRITICAL + 1)
    handler.setLevel(logging.ERROR)
    log.addHandler(handler)
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(600_000))
    async with open_store(await prepare_database(f"sqlite:///{folder}/boneyard.db")) as store:
        head = await add_match(store)
        refused = None
        for _ in range(MAX_COMMITS):
            try:
                head = await commit_change(store, head, events=[Paused(GRACE, "tea " * 400)])
            except DatabaseUnavailable as trouble:
                refused = {"fault": trouble.fault.value, "maybe": trouble.may_have_committed}
                break
        loaded = await store.matches.load(head.match_id)
        report = {
            "refused": refused,
            "said done": head.seq,
            "in the log": len(loaded.log),
            "readable": loaded.head == head,
            "doctor": store.fault,
        }
        ballast.unlink()
        after = await commit_change(store, head)
    return report | {"after": after.seq, "lines": [record.getMessage() for record in handler.buffer]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(fill_disk(Path(sys.argv[1])))))
