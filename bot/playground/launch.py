"""`boneyard play`: the local Discord, the page, and the real bot as a process of its own beside them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route
from platformdirs import user_data_path

from bot.playground.server import LocalDiscord
from bot.playground.world_setup import Front
from bot.playground.world_storage import ShelfError
from data.private import private_folder, write_private

AGAIN: Final = (0.5, 1.0, 2.0, 5.0)
"""Seconds before the bot is started again, the last for ever."""

OWN: Final = "boneyard.db"
"""The bot's database, beside the local Discord's in the folder of the playground."""

NOT_ITS_OWN: Final = 3
"""The status of a bot whose database belongs to another application; it says so, and would say it again."""

STEADY: Final = 30.0
"""Seconds after which a bot that ends is no longer one that cannot start."""


def play(*, port: int, data: Path | None, browser: bool, front: Front, new_key: bool = False) -> int:
    """Serve until Ctrl-C; the exit status. The `front` is what the page shows first. With a `new_key` the addresses
    from before open nothing any more.
    """
    try:
        return asyncio.run(_play(port, data, front, browser=browser, new_key=new_key))
    except KeyboardInterrupt:
        return 0


async def _play(port: int, data: Path | None, front: Front, *, browser: bool, new_key: bool) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
            break
    try:
        discord, data = await _open(port, data, front, new_key=new_key)
    except OSError as error:
        print(f"The playground cannot start: {error}", file=sys.stderr)
        return 1
    try:
        if discord.port_was_taken:
            say(f"Port {port} is in use; taking {discord.port}.")
        say(
            f"Boneyard is open at {discord.address}",
            "Whoever has this address plays along, so it is for you alone.",
            "Press Ctrl-C to close it. Everything is kept for the next time.",
        )
        if os.environ.get("BONEYARD_DATABASE_URL", "").strip():
            say(f"BONEYARD_DATABASE_URL is for the bot in Discord and not used here: matches are kept in {data / OWN}.")
        with door(data, discord.address) as file:
            if browser and _has_screen():
                await asyncio.to_thread(webbrowser.open, file)
            return await _keep_bot(discord, data, stop)
    finally:
        await discord.stop()


async def _open(port: int, data: Path | None, front: Front, *, new_key: bool) -> tuple[LocalDiscord, Path]:
    """The local Discord and the folder it keeps its world in. Raises OSError.

    One world is open once. Somebody who opens the playground a second time gets a second world beside the first,
    unless they named the folder.
    """
    home = user_data_path("boneyard")
    folders = [data] if data else [home / "playground", *(home / f"playground-{number}" for number in range(2, 10))]
    for folder in folders:
        await asyncio.to_thread(private_folder, folder, ours=folder != data)
        try:
            discord = LocalDiscord(folder / "discord.db", port=port, new_key=new_key, front=front)
        except ShelfError:
            if folder is folders[-1]:
                raise
            say(f"Another playground is using {folder}; this one gets a folder of its own.")
            continue
        await discord.start()
        return discord, folder
    raise AssertionError("the last folder is tried or its refusal raised")


@contextmanager
def door(data: Path, address: str) -> Iterator[str]:
    """The address of a file that leads to the page. What a program is started with, everybody on the machine can read:
    a browser is given this file, which its owner alone can.
    """
    file = data.absolute() / "open.html"
    file.unlink(missing_ok=True)
    write_private(file, f'<meta http-equiv="refresh" content="0; url={escape(address)}">\n'.encode())
    try:
        yield file.as_uri()
    finally:
        file.unlink(missing_ok=True)


async def _keep_bot(discord: LocalDiscord, data: Path, stop: asyncio.Event) -> int:
    """Run the bot, and start it again when it dies. Returns when told to stop, or when it cannot start at all."""
    stopping = asyncio.create_task(stop.wait())
    failures = 0
    while True:
        began = asyncio.get_running_loop().time()
        bot = await _start_bot(discord, data)
        say(f"The bot runs as process {bot.pid}.")
        discord.bot_start.reached("loading")
        ended = asyncio.create_task(bot.wait())
        await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            if bot.stdin is not None:
                bot.stdin.close()
            await ended
            say("Closed.")
            return 0
        lived = asyncio.get_running_loop().time() - began
        if ended.result() == NOT_ITS_OWN or (ended.result() > 0 and lived < STEADY and failures >= len(AGAIN) - 1):
            say("The bot cannot start; what it says is above.")
            return ended.result()
        failures = failures + 1 if lived < STEADY else 0
        say(f"The bot has ended ({_how(ended.result())}); starting it again.")
        discord.bot_start.ended()
        await asyncio.wait({stopping}, timeout=AGAIN[min(failures, len(AGAIN)) - 1])


async def _start_bot(discord: LocalDiscord, data: Path) -> asyncio.subprocess.Process:
    # Its own database, whatever is exported: on that of a bot in Discord it would see that bot's servers as left.
    database = f"sqlite:///{quote(str(data / OWN))}"
    environment = os.environ | {"DISCORD_TOKEN": discord.token, "BONEYARD_DATABASE_URL": database}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "run",
        "--local",
        discord.url,
        env=environment,
        # The bot follows this pipe: it ends when the playground does, even when that is killed.
        stdin=asyncio.subprocess.PIPE,
        # Ctrl-C goes to the playground, which closes the bot in turn.
        start_new_session=True,
    )


def _how(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def say(*lines: str) -> None:
    """Print at once, also into a pipe."""
    print(*lines, sep="\n", flush=True)


LOOPBACK = ("127.0.0.1", "localhost", "::1")


def point_at(base_url: str) -> Callable[[], None]:
    """Let every discord.py client of this process talk to `base_url` ("http://127.0.0.1:8710").

    Anything but plain HTTP to this machine is refused with ValueError, so that no token ever travels to a
    stranger. Call it before the client starts; calling what it returns undoes it.
    """
    url = yarl.URL(base_url)
    if url.scheme != "http" or url.host not in LOOPBACK or url.user is not None:
        raise ValueError(f"the local Discord is on this machine only, not at {base_url}")
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    origin = url.origin()
    Route.BASE = f"{origin}/api/v10"
    DiscordWebSocket.DEFAULT_GATEWAY = origin.with_scheme("ws") / "gateway"

    def undo() -> None:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before

    return undo
