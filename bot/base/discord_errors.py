"""What Discord's refusals mean for a post: try again soon, or wait until somebody lets the bot in again."""

import asyncio
from contextlib import suppress
from typing import Final

import aiohttp
import discord

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MESSAGE: Final = 10008
THREAD_ARCHIVED: Final = 50083
TOO_MANY_DOORS: Final = 40003
"""Direct messages are opened too fast: it says nothing about the person."""

CLOSED: Final = frozenset(
    {
        UNKNOWN_CHANNEL,
        50001,  # Missing Access: the bot does not see the channel
        50013,  # Missing Permissions: it may not do this there
        160005,  # the thread is locked
    }
)
"""Discord's codes for a channel that stays as it is until somebody changes it."""

REFUSALS: Final = 3
"""A post that Discord refuses for what it is (50035 and the like) is attempted so often, in case Discord errs."""

FAILURES: Final = (discord.HTTPException, aiohttp.ClientError, asyncio.TimeoutError, OSError)
"""How a request to Discord can fail. Whether it was carried out is not known after the last three."""

LONGEST: Final = 3600
"""Seconds between two attempts at most."""

PASSES: Final = 60
"""The same while Discord is ill or out of reach: when it is back, nobody waits long for what is due."""


def is_hung_up(error: BaseException) -> bool:
    """Whether the bot has closed its session meanwhile: it ends, or connects anew. aiohttp has no kind for it."""
    return type(error) is RuntimeError and "closed" in str(error)


def is_closed(error: Exception) -> bool:
    """Whether asking again is no use before somebody has changed something."""
    return isinstance(error, discord.HTTPException) and error.code in CLOSED


def is_refused(error: Exception, attempts: int) -> bool:
    """Whether Discord will never take a post, after so many attempts: for what it is, not for where it goes."""
    return (
        isinstance(error, discord.HTTPException)
        and attempts >= REFUSALS
        and error.status in (400, 413)
        and error.code not in (*CLOSED, THREAD_ARCHIVED)
    )


def is_passing(error: BaseException | None) -> bool:
    """Whether it says nothing about what was asked: Discord is ill, far away, busy, or lets nobody in just now."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status in (401, 429) or error.code == TOO_MANY_DOORS
    return isinstance(error, FAILURES)


def wait_after(error: Exception | None, attempts: int, *, first: int = 5, longest: int | None = None) -> int:
    """Milliseconds to wait before the next attempt, after so many in vain. Discord's own wish comes first; without one
    it is `first` seconds to begin with, and never more than `longest`.
    """
    if longest is None:
        longest = PASSES if is_passing(error) else LONGEST
    seconds = float(min(longest, first * 2 ** min(max(attempts, 0), 10)))
    if isinstance(error, discord.RateLimited):
        seconds = max(seconds, error.retry_after)
    if isinstance(error, discord.HTTPException):
        with suppress(AttributeError, ValueError):  # an answer without headers, or a wish that is a date
            seconds = max(seconds, float(error.response.headers.get("Retry-After", 0)))
    return int(seconds * 1000)


def is_over(began: int, until: int, now: int) -> bool:
    """Whether a wait (epoch ms) has ended. One that is yet to begin was noted before the clock was set back."""
    return not began <= now < until


def put_off_after(error: Exception, attempts: int) -> int:
    """The same for a post. One that waits for a closed channel is due as soon as that is open again."""
    return 0 if is_closed(error) else wait_after(error, attempts)


def code_of(error: BaseException) -> str:
    """A failure for the log: Discord's numbers, or what broke. Never its text, which may quote what was sent."""
    if isinstance(error, discord.HTTPException):
        return f"{error.status}/{error.code}"
    return type(error).__name__
