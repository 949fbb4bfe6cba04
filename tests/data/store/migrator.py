"""Processes that open a database of an earlier schema and die in the middle of the migration.

Each process prints how many statements it has run. With a number, it is killed before the statement of that number, as
in a power cut: no code rolls anything back. All processes are forks of a process that has imported the modules.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from data.store.connection.open_database import open_engine
from tests.data.store.later_schema import use_later_schema
from tests.data.store.statements import kill_at_statement

ROOT: Final = Path(__file__).parents[3]


class Migrator:
    """Starts the processes one after another. They use the standard error of the test."""

    def __init__(self, migrations: Path) -> None:
        command_line = [sys.executable, "-m", "tests.data.store.migrator", str(migrations.parent)]
        self._process = subprocess.Popen(
            command_line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Migrator:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=120)

    def migrate(self, url: str, last: int | None = None) -> tuple[int, int | None]:
        """Open this database in a process that is killed before the statement of that number. Return its exit status
        and the number of statements, if it printed one.
        """
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, last]) + "\n")
        self._process.stdin.flush()
        ran, status = None, json.loads(self._process.stdout.readline())
        if "ran" in status:
            ran, status = status["ran"], json.loads(self._process.stdout.readline())
        return status["ended"], ran


async def main(url: str, last: int | None) -> int:
    """Migrate the database, and print the number of statements."""
    statements = kill_at_statement(last)
    engine = await open_engine(url)
    await engine.dispose()
    return statements.total()


def serve() -> None:
    """Fork a process for each input line."""
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            print(json.dumps({"ran": asyncio.run(main(*json.loads(line)))}), flush=True)
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    with use_later_schema(Path(sys.argv[1])):
        serve()
