"""Move the database to a server, and kill this process before a given statement, or never.

Prints the number of executed statements. Usage: `python -m tests.postgres.mover TARGET NOW STATEMENTS`
"""

import asyncio
import os
import signal
import sys
from itertools import count

from sqlalchemy import Engine, event

from bot.core.environment import read_settings
from bot.operating.adopt import transfer_database


def main(target: str, now: int, last: int) -> None:
    numbers, ran = count(1), 0

    def die(*_: object) -> None:
        nonlocal ran
        ran = next(numbers)
        if ran == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    event.listen(Engine, "commit", die)
    asyncio.run(transfer_database(read_settings().database_url, target, lambda: now))
    print(ran)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
