"""Load test: simulated players move at many tables of a real bot process that is connected to a local Discord.

    uv run checks -m tests.tools.load --tables 20 --seconds 30

The players act over the routes of the local page, as its visitors do. The bot's log goes to standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

from aiohttp import web

from bot.core.layout import CustomId, parse_custom_id
from bot.playground import components
from bot.playground.injected_faults import Faults
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser

Json = dict[str, Any]

ROOT: Final = Path(__file__).parents[2]
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
TIMEOUT: Final = 300.0
"""Seconds after which anything that must happen counts as failed, also on a busy machine."""
FINAL_VERBS: Final = ("play", "draw", "pass", "choose")
"""Buttons that make a move."""
VERBS: Final = ("play", "move", "tile", "choose", "draw", "pass")
"""Buttons and menus that lead to a move, in the order in which a player prefers them."""


@dataclass(frozen=True, slots=True)
class BotProcess:
    process: Process

    @classmethod
    async def start(cls, url: str, token: str, database: Path) -> BotProcess:
        """Start a bot that connects to the local Discord at `url`."""
        environment = os.environ | {"DISCORD_TOKEN": token, "BONEYARD_DATABASE_URL": f"sqlite:///{database}"}
        command = [sys.executable, "-m", "bot", "run", "--local", url]
        return cls(
            await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdin=PIPE, stdout=sys.stderr)
        )

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds used so far by all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    @property
    def memory_mib(self) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        await self.process.wait()


@dataclass(slots=True)
class RequestCounter(Faults):
    requests: int = 0

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        self.requests += 1
        return await Faults.intercept_request(self, request)


@dataclass(slots=True)
class RunningBot:
    """A bot that is connected, and the local Discord that it is connected to."""

    discord: LocalDiscord
    counter: RequestCounter
    bot: BotProcess
    start_cpu_seconds: float
    """CPU seconds from the start of the process until the bot was connected."""


@asynccontextmanager
async def run_bot(folder: Path) -> AsyncIterator[RunningBot]:
    """Run a bot with an empty database against a local Discord."""
    counter = RequestCounter()
    async with LocalDiscord(None, port=0, faults=counter) as discord:
        bot = await BotProcess.start(discord.url, discord.token, folder / "boneyard.db")
        try:
            async with asyncio.timeout(TIMEOUT):
                await discord.gateway.connected.wait()
                used = bot.cpu_seconds
                guild = next(iter(discord.world.guilds))
                while discord.commands.find_usable(guild, "tiles") is None:  # noqa: ASYNC110 - nothing announces it
                    await asyncio.sleep(0.05)
            yield RunningBot(discord, counter, bot, used)
        finally:
            await bot.stop()


@dataclass
class Measurements:
    """What the players at all tables experienced since `reset`."""

    moves: int = 0
    hand_seconds: list[float] = field(default_factory=list)
    """From the press on *My hand* until the picture was there."""
    move_seconds: list[float] = field(default_factory=list)
    """From the press that makes a move until its private answer was complete."""
    failures: list[str] = field(default_factory=list)

    def reset(self) -> None:
        self.moves = 0
        for one in (self.hand_seconds, self.move_seconds, self.failures):
            one.clear()


@dataclass
class PlayerTable:
    """Two players in one channel, who play match after match until they are cancelled."""

    channel_id: str
    players: tuple[PageUser, PageUser]
    measured: Measurements
    rng: Random
    match_is_open: bool = False
    matches: int = 0

    async def play(self) -> None:
        """Play until cancelled. A failure is noted, and the players open another match."""
        while True:
            try:
                await self.play_turn()
            except (AssertionError, TimeoutError, OSError, RuntimeError) as error:
                self.measured.failures.append(f"{type(error).__name__}: {error}")
                self.match_is_open = False
                await asyncio.sleep(1)

    async def play_turn(self) -> None:
        """Let the player to move make a move, after opening a match if there is none."""
        if not self.match_is_open:
            await self.open_match()
        for player in self.players:
            board = await self._find("hand", player)
            if board is None:
                self.match_is_open = False
                return
            began = perf_counter()
            hand = await player.wait_for_answer(self.channel_id, await _click(player, board, "hand"))
            self.measured.hand_seconds.append(perf_counter() - began)
            if find_next_component(hand):
                await self._move(player, hand)

    async def open_match(self) -> None:
        """Open a two-player match and wait for its board."""
        host, guest = self.players
        asked = await host.use_command(self.channel_id, "tiles", "new", game="triominoes", seats=2)
        await host.wait_for_answer(self.channel_id, asked)
        lobby = await self._wait_for("join", guest)
        await guest.wait_for_answer(self.channel_id, await _click(guest, lobby, "join"))
        await self._wait_for("hand", host)
        self.match_is_open = True
        self.matches += 1

    async def _move(self, player: PageUser, hand: Json) -> None:
        """Choose in the menus of the hand until a move is made."""
        for _ in range(8):
            choice = find_next_component(hand)
            if choice is None:
                return
            verb, component = choice
            began = perf_counter()
            if component["type"] == components.BUTTON:
                pressed = await player.click(hand, custom_id=component["custom_id"])
            else:
                value = str(self.rng.choice(component["options"])["value"])
                pressed = await player.select(hand, [value], custom_id=component["custom_id"])
            hand = await player.wait_for_answer(self.channel_id, pressed)
            if verb in FINAL_VERBS:
                self.measured.move_seconds.append(perf_counter() - began)
                self.measured.moves += 1
                return
        raise RuntimeError("the hand offers no move")

    async def _find(self, verb: str, player: PageUser) -> Json | None:
        """Return the newest public message with a button of this verb."""
        for message in reversed(await player.fetch_messages(self.channel_id)):
            if not message["flags"] & EPHEMERAL and _list_components(message, (verb,)):
                return message
        return None

    async def _wait_for(self, verb: str, player: PageUser) -> Json:
        return await player.wait_for_message(
            self.channel_id, lambda one: not one["flags"] & EPHEMERAL and _list_components(one, (verb,))
        )


EPHEMERAL: Final = 64
"""The flag of a private message."""


def find_next_component(message: Json) -> tuple[str, Json] | None:
    """Return the verb and the button or menu that a player uses next; None if none leads to a move."""
    found = _list_components(message, VERBS)
    if not found:
        return None
    press, component = min(found, key=lambda pair: VERBS.index(pair[0].verb))
    return press.verb, component


def _list_components(message: Json, verbs: Sequence[str]) -> list[tuple[CustomId, Json]]:
    found = [(parse_custom_id(str(one.get("custom_id", ""))), one) for one in components.walk(message["components"])]
    return [(press, one) for press, one in found if press and press.verb in verbs and not one.get("disabled")]


async def _click(player: PageUser, message: Json, verb: str) -> str:
    return await player.click(message, custom_id=_list_components(message, (verb,))[0][1]["custom_id"])


@asynccontextmanager
async def seat_players(running: RunningBot, tables: int, seed: int = 1) -> AsyncIterator[list[PlayerTable]]:
    """Give each table a channel and two players. They share one `Measurements`."""
    measured, found = Measurements(), []
    guild = next(iter(running.discord.world.guilds))
    async with AsyncExitStack() as people:
        for number in range(tables):
            channel = running.discord.world.add_channel(f"table-{number}", guild_id=guild)
            host, guest = [
                await people.enter_async_context(PageUser(running.discord.address, f"{name} {number}"))
                for name in ("Ada", "Grace")
            ]
            found.append(PlayerTable(channel["id"], (host, guest), measured, Random(f"{seed} {number}")))
        yield found


def compute_quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile of some values; nan if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def measure_load(tables: int, seconds: float) -> None:
    """Let all tables play as fast as the bot answers, and print rates, times, CPU and memory."""
    with tempfile.TemporaryDirectory() as folder:
        async with run_bot(Path(folder)) as running, seat_players(running, tables) as seated:
            measured = seated[0].measured
            for table in seated:
                await table.open_match()
            playing = [asyncio.create_task(table.play()) for table in seated]
            await asyncio.sleep(min(5.0, seconds / 4))
            measured.reset()
            began, cpu, requests = perf_counter(), running.bot.cpu_seconds, running.counter.requests
            await asyncio.sleep(seconds)
            elapsed, used = perf_counter() - began, running.bot.cpu_seconds - cpu
            sent, moves = running.counter.requests - requests, max(1, measured.moves)
            print(f"{measured.moves / elapsed:.1f} moves a second at {tables} tables")
            print(f"{1000 * used / moves:.1f} ms of CPU and {sent / moves:.1f} requests a move")
            print(f"{running.bot.memory_mib:.0f} MiB of memory")
            for name, values in (("My hand", measured.hand_seconds), ("a move", measured.move_seconds)):
                p50, p99 = (1000 * compute_quantile(values, share) for share in (0.5, 0.99))
                print(f"{name}: answered after {p50:.0f} ms (p50), {p99:.0f} ms (p99)")
            print(f"{len(measured.failures)} failures {measured.failures[:3]}")
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="checks -m tests.tools.load", description=__doc__)
    parser.add_argument("--tables", type=int, default=20, help="tables of two players")
    parser.add_argument("--seconds", type=float, default=30, help="how long to measure")
    asked = parser.parse_args()
    asyncio.run(measure_load(asked.tables, asked.seconds))


if __name__ == "__main__":
    main()
