"""Bots as processes of their own: started, watched from outside, and stopped.

`python -m tests.bench.load_bots KIND URL FOLDER [uvloop] [orjson] [1/2]` is such a process; with a share such as 1/2
it has the second of two shards.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

ROOT: Final = Path(__file__).parents[2]
TICKS: Final = os.sysconf("SC_CLK_TCK")

Kind = Literal["boneyard", "nothing", "counted"]
"""The bot, one that only answers, and the bot with its clock stopped and all that it does counted (`counted_bot`)."""
Fast = Literal["uvloop", "orjson", "blank"]
"""What may make a discord.py bot faster; "blank" pictures cost nothing, to see what all the rest does."""


@dataclass
class BotProcess:
    """A bot that runs; `folder` holds its log, and what the do-nothing bot needs."""

    process: Process
    folder: Path

    @classmethod
    async def started(
        cls,
        kind: Kind,
        url: str,
        token: str,
        folder: Path,
        *,
        database: str = "",
        fast: Sequence[Fast] = (),
        share: str = "",
    ) -> Self:
        """A new process. It connects by itself."""
        environment = os.environ | {"DISCORD_TOKEN": token, "BONEYARD_DATABASE_URL": database}
        with (folder / "bot.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(
                    sys.executable,
                    "-m",
                    "tests.bench.load_bots",
                    kind,
                    url,
                    str(folder),
                    *fast,
                    *([share] if share else []),
                ),
                cwd=ROOT,
                env=environment,
                stdin=PIPE,
                stdout=log,
                stderr=log,
            )
        return cls(process, folder)

    @property
    def cpu(self) -> float:
        """CPU seconds that it has used, all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory(self) -> float:
        """Resident memory in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    async def stop(self) -> int:
        """Tell it to end, as a deploy does; its exit status."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(20):
                return await self.process.wait()
        except TimeoutError:
            self.process.kill()
            return await self.process.wait()


@dataclass
class Bots:
    """Several of them, which share the servers: watched and stopped together."""

    all: Sequence[BotProcess]

    @property
    def cpu(self) -> float:
        """CPU seconds that they have used."""
        return sum(bot.cpu for bot in self.all)

    @property
    def memory(self) -> float:
        """Resident memory in MiB."""
        return sum(bot.memory for bot in self.all)

    async def stop(self) -> int:
        """Tell all to end; the worst exit status."""
        return max([await bot.stop() for bot in self.all], key=abs)


def main(kind: str, url: str, folder: str, *fast: str) -> None:
    """Be a bot."""
    # discord.py takes orjson wherever it is installed; a module that is None counts as not installed.
    if "orjson" not in fast:
        sys.modules["orjson"] = None  # type: ignore[assignment]
    if "uvloop" in fast:
        import uvloop

        uvloop.install()
    if "blank" in fast:
        import bot.views.messages
        from tests.crash.nursery import _blank

        bot.views.messages.table_picture = bot.views.messages.hand_picture = _blank  # type: ignore[assignment]
    if kind == "nothing":
        from tests.bench.load_nothing import main as nothing

        nothing(url, folder)
    elif kind == "counted":
        from tests.bench.counted_bot import main as counted

        counted(url, folder)
    else:
        from bot.base.environment import from_environment
        from bot.operating.run import run
        from bot.operating.sharding import AUTOMATIC, division

        share = next((one.split("/") for one in fast if "/" in one), None)
        shards = AUTOMATIC if share is None else division(int(share[1]), share[0])
        raise SystemExit(run(from_environment(), local=url, shards=shards))


def versions() -> dict[str, Any]:
    """What the measurement was made with."""
    import platform
    from importlib.metadata import version

    names = ("discord.py", "aiohttp", "Pillow", "SQLAlchemy", "uvloop", "orjson")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


if __name__ == "__main__":
    main(*sys.argv[1:])
