"""`boneyard play`: the local Discord, the page, and the real bot in a separate process."""

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
from bot.playground.world_setup import WelcomeSource
from bot.playground.world_storage import WorldStorageError
from data.private import create_private_folder, write_private

RESTART_DELAYS: Final = (0.5, 1.0, 2.0, 5.0)  # seconds before each restart of the bot; the last one repeats

DATABASE_NAME: Final = "boneyard.db"  # the bot's database in the playground folder

FOREIGN_DATABASE: Final = 3
"""The exit status of a bot whose database belongs to another application; a restart does not help."""

STABLE_AFTER: Final = 30.0  # a bot that ran for this many seconds can start


def play(*, port: int, data: Path | None, browser: bool, welcome: WelcomeSource, new_key: bool = False) -> int:
    """Serve until Ctrl-C and return the exit status. A `new_key` makes earlier addresses invalid."""
    try:
        return asyncio.run(_play(port, data, welcome, browser=browser, new_key=new_key))
    except KeyboardInterrupt:
        return 0


async def _play(port: int, data: Path | None, welcome: WelcomeSource, *, browser: bool, new_key: bool) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
            break
    try:
        discord, data = await _open_discord(port, data, welcome, new_key=new_key)
    except OSError as error:
        print(f"The playground cannot start: {error}", file=sys.stderr)
        return 1
    try:
        if discord.port_was_taken:
            print_lines(f"Port {port} is in use. Using {discord.port} instead.")
        print_lines(
            f"Boneyard is open at {discord.address}",
            "Keep this address private: anyone who has it can play and read every hand.",
            "Press Ctrl-C to stop. Your matches are saved.",
        )
        if os.environ.get("BONEYARD_DATABASE_URL", "").strip():
            print_lines(f"BONEYARD_DATABASE_URL is only for the bot in Discord. Matches are in {data / DATABASE_NAME}.")
        with open_redirect_file(data, discord.address) as file:
            if browser and _has_screen():
                await asyncio.to_thread(webbrowser.open, file)
            return await _keep_bot_running(discord, data, stop)
    finally:
        await discord.stop()


async def _open_discord(
    port: int, data: Path | None, welcome: WelcomeSource, *, new_key: bool
) -> tuple[LocalDiscord, Path]:
    """Open the local Discord in a free folder, or in `data`, and return both. Raises OSError."""
    home = user_data_path("boneyard")
    folders = [data] if data else [home / "playground", *(home / f"playground-{number}" for number in range(2, 10))]
    for folder in folders:
        await asyncio.to_thread(create_private_folder, folder, is_ours=folder != data)
        try:
            discord = LocalDiscord(folder / "discord.db", port=port, new_key=new_key, welcome=welcome)
        except WorldStorageError:
            if folder is folders[-1]:
                raise
            print_lines(f"Another playground is using {folder}, so this one uses a separate folder.")
            continue
        await discord.start()
        return discord, folder
    raise AssertionError("the last folder is tried or its refusal raised")


@contextmanager
def open_redirect_file(data: Path, address: str) -> Iterator[str]:
    """The URL of a private file that redirects to the page, because all users can read the browser's command line."""
    file = data.absolute() / "open.html"
    file.unlink(missing_ok=True)
    write_private(file, f'<meta http-equiv="refresh" content="0; url={escape(address)}">\n'.encode())
    try:
        yield file.as_uri()
    finally:
        file.unlink(missing_ok=True)


async def _keep_bot_running(discord: LocalDiscord, data: Path, stop: asyncio.Event) -> int:
    """Run the bot and restart it when it dies. Return when `stop` is set, or when the bot cannot start at all."""
    stopping = asyncio.create_task(stop.wait())
    failures = 0
    while True:
        started_at = asyncio.get_running_loop().time()
        bot = await _start_bot(discord, data)
        print_lines(f"The bot runs as process {bot.pid}.")
        discord.bot_start.advance("loading")
        ended = asyncio.create_task(bot.wait())
        await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            if bot.stdin is not None:
                bot.stdin.close()
            await ended
            print_lines("Closed.")
            return 0
        status = ended.result()
        is_stable = asyncio.get_running_loop().time() - started_at >= STABLE_AFTER
        if status == FOREIGN_DATABASE or (status > 0 and not is_stable and failures >= len(RESTART_DELAYS) - 1):
            print_lines("The bot cannot start. See its message above.")
            return status
        failures = 0 if is_stable else failures + 1
        reason = f"signal {-status}" if status < 0 else f"status {status}"
        print_lines(f"The bot has ended ({reason}). Restarting it.")
        discord.bot_start.record_end()
        await asyncio.wait({stopping}, timeout=RESTART_DELAYS[min(failures, len(RESTART_DELAYS)) - 1])


async def _start_bot(discord: LocalDiscord, data: Path) -> asyncio.subprocess.Process:
    # Not the database in the environment: if a bot in Discord uses it, all servers of that bot would count as left.
    database = f"sqlite:///{quote(str(data / DATABASE_NAME))}"
    environment = os.environ | {"DISCORD_TOKEN": discord.token, "BONEYARD_DATABASE_URL": database}
    command = (sys.executable, "-m", "bot", "run", "--local", discord.url)
    # The bot ends when its input closes, even if the playground is killed. Ctrl-C must reach only the playground.
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, env=environment, stdin=pipe, start_new_session=True)


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def print_lines(*lines: str) -> None:
    """Print immediately, also into a pipe."""
    print(*lines, sep="\n", flush=True)


LOOPBACK = ("127.0.0.1", "localhost", "::1")


def redirect_clients(base_url: str) -> Callable[[], None]:
    """Connect every discord.py client of this process to `base_url` ("http://127.0.0.1:8710"). Call it before they
    start.

    Returns a function that undoes it. Raises ValueError for anything but HTTP to this machine, so that no token leaks.
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
