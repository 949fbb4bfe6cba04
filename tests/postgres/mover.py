"""Move the database to a server, and kill this process before a given statement, or never.

Prints the number of executed statements. Usage: `python -m tests.postgres.mover TARGET NOW STATEMENTS`
"""

import asyncio
import sys

from bot.core.environment import read_settings
from bot.operating.adopt import transfer_database
from tests.data.store.statements import kill_at_statement


def main(target: str, now: int, last: int) -> None:
    statements = kill_at_statement(last)
    asyncio.run(transfer_database(read_settings().database_url, target, lambda: now))
    print(statements.total())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
