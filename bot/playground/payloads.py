"""Discord's JSON objects, which the bot and the page exchange unchanged, and helpers that build them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

Json = dict[str, Any]

WallClock = Callable[[], float]  # seconds since 1970, UTC

DISCORD_EPOCH_MS = 1_420_070_400_000  # Discord counts milliseconds from the start of 2015

TEXT, DIRECT, THREAD, PRIVATE_THREAD = 0, 1, 11, 12  # channel types

THREADS = (THREAD, PRIVATE_THREAD)

NO_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING, QUIET, LAYOUT = 1 << 2, 1 << 5, 1 << 6, 1 << 7, 1 << 12, 1 << 15
"""Message flags; LOADING is "thinking", QUIET suppresses notifications, LAYOUT is Components V2."""

MAX_BYTES = 10 * 1024 * 1024  # the largest upload in a server without boosts

encode = msgspec.json.encode


class SnowflakeGenerator:
    """Ids in Discord's format. They grow with the clock and never repeat, not even after a restart."""

    def __init__(self, now: WallClock) -> None:
        self._now = now
        self._last = 0

    def generate(self, *, own_millisecond: bool = False) -> str:
        """The next id. Servers use a millisecond of their own, so that they spread evenly over shards."""
        current = (int(self._now() * 1000) - DISCORD_EPOCH_MS) << 22
        after = ((self._last >> 22) + 1) << 22 if own_millisecond else self._last + 1
        self._last = max(current, after)
        return str(self._last)

    def skip_to(self, snowflake: str) -> None:
        """Never issue an id up to this one, even if the clock was set back."""
        self._last = max(self._last, int(snowflake))


def get_creation_time(snowflake: str) -> float:
    """The creation time of an id, in seconds since 1970."""
    return ((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000


def format_timestamp(seconds: float) -> str:
    """A time in Discord's format: `2026-11-21T10:50:44.123000+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def build_user(user_id: str, name: str, accent: str, *, bot: bool = False) -> Json:
    """A Discord user. `accent` is our own field: the colour of the initial that the page draws."""
    return {
        "id": user_id, "username": name, "global_name": None if bot else name, "avatar": None, "bot": bot,
        "discriminator": "0000" if bot else "0", "public_flags": 0, "accent": accent,
    }  # fmt: skip


def build_member(who: Json, joined_at: str) -> Json:
    """A user as a member of a server, without a nickname or roles."""
    return {
        "user": who, "nick": None, "avatar": None, "roles": [], "joined_at": joined_at, "premium_since": None,
        "deaf": False, "mute": False, "flags": 0, "pending": False, "communication_disabled_until": None,
    }  # fmt: skip


def build_text_channel(channel_id: str, guild_id: str, name: str, position: int, topic: str | None) -> Json:
    return {
        "id": channel_id, "type": TEXT, "guild_id": guild_id, "name": name, "position": position, "topic": topic,
        "nsfw": False, "parent_id": None, "rate_limit_per_user": 0, "last_message_id": None,
        "permission_overwrites": [], "flags": 0,
    }  # fmt: skip


def build_thread(
    thread_id: str, parent: Json, name: str, owner_id: str, now: str, archive_after: int, kind: int = THREAD
) -> Json:
    """A thread below a text channel. `archive_after` is in minutes; `thread_members` is our own field."""
    state = {
        "archived": False, "auto_archive_duration": archive_after, "archive_timestamp": now,
        "create_timestamp": now, "locked": False,
    }  # fmt: skip
    return {
        "id": thread_id, "type": kind, "thread_members": [owner_id], "guild_id": parent["guild_id"],
        "parent_id": parent["id"], "owner_id": owner_id, "name": name, "last_message_id": None,
        "message_count": 0, "total_message_sent": 0, "member_count": 1, "rate_limit_per_user": 0, "flags": 0,
        "thread_metadata": state,
        "member": {"id": thread_id, "user_id": owner_id, "join_timestamp": now, "flags": 0},
    }  # fmt: skip


def is_open_thread(channel: Json) -> bool:
    return channel["type"] in THREADS and not channel["thread_metadata"]["archived"]


def build_direct_channel(channel_id: str, recipient: Json) -> Json:
    """The direct channel of a user and the bot."""
    return {"id": channel_id, "type": DIRECT, "last_message_id": None, "flags": 0, "recipients": [recipient]}


def build_everyone_role(guild_id: str, permissions: int) -> Json:
    """The default role of all members. Its id is the server's."""
    return {
        "id": guild_id, "name": "@everyone", "permissions": str(permissions), "position": 0, "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False, "managed": False, "mentionable": False, "flags": 0,
    }  # fmt: skip


def build_guild(guild_id: str, name: str, owner_id: str, everyone: int) -> Json:
    """A server, without its channels and members."""
    return {
        "id": guild_id, "name": name, "icon": None, "owner_id": owner_id, "preferred_locale": "en-US",
        "roles": [build_everyone_role(guild_id, everyone)], "emojis": [], "stickers": [], "features": [],
        "verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0,
        "mfa_level": 0, "nsfw_level": 0, "premium_tier": 0, "afk_timeout": 300,
        "system_channel_id": None, "system_channel_flags": 0,
    }  # fmt: skip


def build_message(message_id: str, channel: Json, author: Json, now: str) -> Json:
    """An empty message."""
    body: Json = {
        "id": message_id, "channel_id": channel["id"], "type": 0, "author": author, "content": "",
        "timestamp": now, "edited_timestamp": None, "tts": False, "pinned": False, "flags": 0,
        "mention_everyone": False, "mentions": [], "mention_roles": [],
        "attachments": [], "embeds": [], "components": [],
    }  # fmt: skip
    return body | {"guild_id": channel["guild_id"]} if "guild_id" in channel else body


@dataclass(frozen=True, slots=True)
class WorldEvent:
    """An internal event for one user or (None) all users. The bot's gateway does not get `secret` events."""

    kind: str
    data: Json
    guild_id: str | None = None
    only_for: str | None = None
    secret: bool = False


class EventBus:
    def __init__(self) -> None:
        self._listeners: list[Callable[[WorldEvent], None]] = []

    def subscribe(self, listener: Callable[[WorldEvent], None]) -> None:
        self._listeners.append(listener)

    def publish(
        self, kind: str, data: Json, *, guild_id: str | None = None, only_for: str | None = None, secret: bool = False
    ) -> None:
        world_event = WorldEvent(kind, data, guild_id, only_for, secret)
        for listener in self._listeners:
            listener(world_event)


STEPS: Final = ("begin", "loading", "login", "connecting")  # the visible steps of a bot start

BOT_LOADING: Final = STEPS[1]  # the first step at which a start is in progress


class BotStart:
    """The current step of the bot's start and the number of restarts. Pages are notified of every change."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._step = 0
        self._restarts = 0
        events.subscribe(self._handle_event)

    @property
    def state(self) -> Json:
        """What the page draws: number and name of the step, and how often the bot `record_end` before it connected."""
        return {"step": self._step + 1, "steps": len(STEPS), "doing": STEPS[self._step], "ended": self._restarts}

    def advance(self, step: str) -> None:
        """Advance to a step of `STEPS`. Ignored if the start is past it, or if no start was seen."""
        if STEPS.index(step) > self._step and (self._step or step == BOT_LOADING):
            self._step = STEPS.index(step)
            self._publish()

    def record_end(self) -> None:
        """Record that the bot ended and will be restarted."""
        self._restarts += 1
        self._step = 0
        self._publish()

    def _handle_event(self, world_event: WorldEvent) -> None:
        if world_event.kind == "bot_status" and world_event.data["online"]:
            self._step = self._restarts = 0

    def _publish(self) -> None:
        self._events.publish("bot_start", self.state, secret=True)
