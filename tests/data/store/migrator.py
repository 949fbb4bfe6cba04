"""A process that opens a database of an earlier version, and dies in the middle of migrating it.

It says how many statements it has run. With a number it is killed before the statement of that number, as by a power
cut: nothing is rolled back by anybody who knows of it.
"""

import asyncio
import os
import signal
import sys
from itertools import count

from sqlalchemy import Engine, event

from data.store.opening import open_engine


async def main(url: str, last: int | None) -> None:
    """Bring the tables up to date."""
    numbers = count(1)
    ran = 0

    def die(*_: object) -> None:
        nonlocal ran
        ran = next(numbers)
        if ran == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    event.listen(Engine, "commit", die)
    engine = await open_engine(url)
    await engine.dispose()
    print(ran)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
