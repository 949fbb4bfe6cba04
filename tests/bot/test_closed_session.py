"""Replies that fail because the bot, which is stopping, has closed its session with Discord."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.base.admission import Admission
from bot.base.rate_limits import Unlimited
from bot.commands.context import Context
from bot.commands.dispatch import dispatch
from bot.posting.live_hands import LiveHands
from bot.views.ids import Press
from data.store import DatabaseTrouble
from data.store.trouble import Ail
from data.words import words
from tests.bot.stranger import Stranger


@dataclass
class Unanswerable(Stranger):
    """An interaction that is acknowledged unless `deaf`, and cannot be answered."""

    request: Callable[[], Awaitable[Any]] | None = None
    deaf: bool = False

    async def defer(self, **_: object) -> None:
        if self.deaf:
            await self.send()

    async def send(self, **_: object) -> discord.Object:
        assert self.request is not None
        await self.request()
        raise AssertionError("the request must fail")

    edit_original_response = send_message = send


async def ask_closed_session() -> None:
    """Send a request on a session that is closed."""
    session = aiohttp.ClientSession()
    await session.close()
    await session.get("http://127.0.0.1:9/")


async def fail_otherwise() -> None:
    """Fail with another error of the same type."""
    raise RuntimeError("dictionary changed size during iteration")


async def lose_database(_: Context) -> None:
    """Handle a command while the database fails over."""
    raise DatabaseTrouble(Ail.LOST)


async def serve(request: Callable[[], Awaitable[None]], *, deaf: bool = False) -> None:
    """Dispatch a command whose handler loses the database."""
    limits = Unlimited()
    languages = SimpleNamespace(at_once=lambda _: words("en"), of=lose_database)
    hands: Any = LiveHands(None, None, lambda: 0)  # type: ignore[arg-type]
    admission = Admission(limits, limits)
    services = SimpleNamespace(admission=admission, languages=languages, live_hands=hands, announcer=None)
    client: Any = SimpleNamespace(services=services)
    typed: Any = Unanswerable(client, SimpleNamespace(id=1), None, None, request=request, deaf=deaf)  # type: ignore[arg-type]
    await dispatch(Context(typed, Press("new")), lose_database)


@pytest.mark.parametrize("deaf", [False, True], ids=["reply", "acknowledgement"])
async def test_reply_after_session_is_closed_is_logged_without_traceback(
    caplog: pytest.LogCaptureFixture, deaf: bool
) -> None:
    caplog.set_level(logging.INFO)
    await serve(ask_closed_session, deaf=deaf)
    lines = [record for record in caplog.records if "closed its session" in record.getMessage()]
    assert [(line.levelno, line.exc_info) for line in lines] == [(logging.INFO, None)]


@pytest.mark.parametrize("deaf", [False, True], ids=["reply", "acknowledgement"])
async def test_other_runtime_error_in_reply_is_raised(deaf: bool) -> None:
    with pytest.raises(RuntimeError, match="dictionary changed size"):
        await serve(fail_otherwise, deaf=deaf)
