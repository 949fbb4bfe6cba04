"""The JSON objects that Discord passes around, and the few helpers that build them.

Everything the bot and the page exchange is kept as plain JSON in Discord's own shapes, so what the page
draws is what the bot really sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

Json = dict[str, Any]
"""One JSON object in Discord's shape."""

WallClock = Callable[[], float]
"""Seconds since 1970, UTC."""

DISCORD_EPOCH_MS = 1_420_070_400_000
"""Discord counts its milliseconds from the first moment of 2015."""

TEXT, DIRECT, THREAD, PRIVATE_THREAD = 0, 1, 11, 12
"""Channel types: a text channel of a server, a private talk with the bot, a public thread, a private one."""

THREADS = (THREAD, PRIVATE_THREAD)

NO_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING, QUIET, LAYOUT = 1 << 2, 1 << 5, 1 << 6, 1 << 7, 1 << 12, 1 << 15
"""Message flags: no link previews, a thread hangs on it, only for one person, "thinking", no notification,
Components V2."""

MOST_BYTES = 10 * 1024 * 1024
"""The most bytes one uploaded file may have, in a server without boosts."""

encode = msgspec.json.encode


class Snowflakes:
    """Ids in Discord's format: they grow with the clock and never repeat, not even after a restart."""

    def __init__(self, now: WallClock) -> None:
        self._now = now
        self._last = 0

    def next(self, *, own_millisecond: bool = False) -> str:
        """The next id. Servers ask for a millisecond of their own, so that shards share them evenly."""
        fresh = (int(self._now() * 1000) - DISCORD_EPOCH_MS) << 22
        after = ((self._last >> 22) + 1) << 22 if own_millisecond else self._last + 1
        self._last = max(fresh, after)
        return str(self._last)

    def seen(self, snowflake: str) -> None:
        """Never give out anything up to this id, even when the clock was set back."""
        self._last = max(self._last, int(snowflake))


def made_at(snowflake: str) -> float:
    """When an id was given out, in seconds since 1970."""
    return ((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000


def stamp(seconds: float) -> str:
    """A moment as Discord writes it: `2026-11-21T10:50:44.123000+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def user(user_id: str, name: str, accent: str, *, bot: bool = False, system: bool = False) -> Json:
    """A Discord user. `accent` is ours: the colour of the initial the page draws."""
    shape: Json = {
        "id": user_id,
        "username": name,
        "global_name": None if bot else name,
        "discriminator": "0000" if bot else "0",
        "avatar": None,
        "bot": bot,
        "public_flags": 0,
        "accent": accent,
    }
    if system:
        shape["system"] = True
    return shape


def member(who: Json, joined_at: str) -> Json:
    """The user as a member of a server, without a nickname or roles."""
    return {
        "user": who,
        "nick": None,
        "avatar": None,
        "roles": [],
        "joined_at": joined_at,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
        "communication_disabled_until": None,
    }


def text_channel(channel_id: str, guild_id: str, name: str, position: int, topic: str | None) -> Json:
    """A text channel as it lies in a server."""
    return {
        "id": channel_id,
        "type": TEXT,
        "guild_id": guild_id,
        "name": name,
        "position": position,
        "topic": topic,
        "nsfw": False,
        "parent_id": None,
        "rate_limit_per_user": 0,
        "last_message_id": None,
        "permission_overwrites": [],
        "flags": 0,
    }


def thread(
    thread_id: str, parent: Json, name: str, owner_id: str, now: str, archive_after: int, kind: int = THREAD
) -> Json:
    """A thread below a text channel. `archive_after` is in minutes; `thread_members` is ours."""
    return {
        "id": thread_id,
        "type": kind,
        "thread_members": [owner_id],
        "guild_id": parent["guild_id"],
        "parent_id": parent["id"],
        "owner_id": owner_id,
        "name": name,
        "last_message_id": None,
        "message_count": 0,
        "total_message_sent": 0,
        "member_count": 1,
        "rate_limit_per_user": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": archive_after,
            "archive_timestamp": now,
            "create_timestamp": now,
            "locked": False,
        },
        "member": {"id": thread_id, "user_id": owner_id, "join_timestamp": now, "flags": 0},
    }


def is_open_thread(channel: Json) -> bool:
    """Whether a channel is a thread that is not archived."""
    return channel["type"] in THREADS and not channel["thread_metadata"]["archived"]


def direct_channel(channel_id: str, recipient: Json) -> Json:
    """The private talk of one person and the bot."""
    return {
        "id": channel_id,
        "type": DIRECT,
        "last_message_id": None,
        "flags": 0,
        "recipients": [recipient],
    }


def role_everyone(guild_id: str, permissions: int) -> Json:
    """The role every member has; its id is the server's own."""
    return {
        "id": guild_id,
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "permissions": str(permissions),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def guild(guild_id: str, name: str, owner_id: str, everyone: int) -> Json:
    """A server, without its channels and members."""
    return {
        "id": guild_id,
        "name": name,
        "icon": None,
        "owner_id": owner_id,
        "roles": [role_everyone(guild_id, everyone)],
        "emojis": [],
        "stickers": [],
        "features": [],
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "afk_timeout": 300,
        "preferred_locale": "en-US",
    }


def message(message_id: str, channel: Json, author: Json, now: str) -> Json:
    """A message with nothing on it yet."""
    body: Json = {
        "id": message_id,
        "channel_id": channel["id"],
        "type": 0,
        "author": author,
        "content": "",
        "timestamp": now,
        "edited_timestamp": None,
        "tts": False,
        "pinned": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "components": [],
        "flags": 0,
    }
    if "guild_id" in channel:
        body["guild_id"] = channel["guild_id"]
    return body


@dataclass(frozen=True, slots=True)
class Happening:
    """Something changed. `only_for` names the one person who may know (None: everybody); `secret` ones, about
    ephemeral messages, do not reach the bot's gateway."""

    kind: str
    data: Json
    guild_id: str | None = None
    only_for: str | None = None
    secret: bool = False


class News:
    """Passes every happening on to everybody who listens."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Happening], None]] = []

    def listen(self, listener: Callable[[Happening], None]) -> None:
        """Call `listener` with every happening from now on."""
        self._listeners.append(listener)

    def tell(
        self,
        kind: str,
        data: Json,
        *,
        guild_id: str | None = None,
        only_for: str | None = None,
        secret: bool = False,
    ) -> None:
        """Let every listener know."""
        happening = Happening(kind, data, guild_id, only_for, secret)
        for listener in self._listeners:
            listener(happening)


STEPS: Final = ("begin", "loading", "login", "connecting")
"""What the local Discord can see of a start: its process is asked for, it runs, says its token, opens its line."""

BOT_LOADING: Final = STEPS[1]
"""The first step that says of a start that it is under way."""


class BotStart:
    """The step a start has reached, and how often it was begun again. Pages hear of every change."""

    def __init__(self, news: News) -> None:
        self._news = news
        self._step = 0
        self._ended = 0
        news.listen(self._hear)

    @property
    def shown(self) -> Json:
        """What the page draws: `step` of `steps`, its name, and how often the bot has `ended` before it was here."""
        return {"step": self._step + 1, "steps": len(STEPS), "doing": STEPS[self._step], "ended": self._ended}

    def reached(self, step: str) -> None:
        """The start has come to this one of `STEPS`. Nothing changes where it is past that, or where no start was
        seen: a bot that is here asks many things.
        """
        if STEPS.index(step) > self._step and (self._step or step == BOT_LOADING):
            self._step = STEPS.index(step)
            self._tell()

    def ended(self) -> None:
        """The bot has ended, and will be started again."""
        self._ended += 1
        self._step = 0
        self._tell()

    def _hear(self, happening: Happening) -> None:
        if happening.kind == "bot_status" and happening.data["online"]:
            self._step = self._ended = 0

    def _tell(self) -> None:
        self._news.tell("bot_start", self.shown, secret=True)
