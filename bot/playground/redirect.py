"""Pointing discord.py at the local Discord instead of the real one."""

from __future__ import annotations

from collections.abc import Callable

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

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
