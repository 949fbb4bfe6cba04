"""Server members with nickname, roles and timeouts, and the servers that the bot has not joined."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from discord import Permissions

from bot.playground import discord_limits, payloads
from bot.playground.payloads import EventBus, Json, SnowflakeGenerator, WallClock
from bot.playground.world_storage import WorldStorage

_EVERYONE: Final = (
    *("view_channel", "send_messages", "send_messages_in_threads", "create_public_threads", "embed_links"),
    *("attach_files", "read_message_history", "use_application_commands", "external_emojis", "add_reactions"),
)
EVERYONE = Permissions(**dict.fromkeys(_EVERYONE, True))
"""Permissions of every member and of the bot, as in the bot's invitation."""

OWNER = Permissions.all()
READ_ONLY = Permissions(view_channel=True, read_message_history=True)  # permissions during a timeout


ROLE, MEMBER = 0, 1  # types of permission overwrites


def set_overwrite(channel: Json, target_id: str, changes: dict[str, bool], kind: int = MEMBER) -> None:
    """Allow or deny permissions (discord.py's names) for a member or role in a text channel."""
    entry = next((o for o in channel["permission_overwrites"] if o["id"] == target_id), None)
    if entry is None:
        entry = {"id": target_id, "type": kind, "allow": "0", "deny": "0"}
        channel["permission_overwrites"].append(entry)
    allow, deny = Permissions(int(entry["allow"])), Permissions(int(entry["deny"]))
    allow.update(**changes)
    deny.update(**{name: not granted for name, granted in changes.items()})
    entry["allow"], entry["deny"] = str(allow.value), str(deny.value)


def compute_member_permissions(guild: Json, channel: Json, member: Json, now: float) -> Permissions:
    """The permissions of a member in a channel: those of the roles, then the channel's overwrites.

    The owner and administrators may do everything. Without view permission a member may do nothing. During a timeout
    (`now` in seconds since 1970) a member may only read.
    """
    roles = {guild["id"], *member["roles"]}
    value = 0
    for role in guild["roles"]:
        if role["id"] in roles:
            value |= int(role["permissions"])
    if member["user"]["id"] == guild["owner_id"] or Permissions(value).administrator:
        return OWNER
    entries = channel["permission_overwrites"]
    everyone = [one for one in entries if one["id"] == guild["id"]]
    others = [one for one in entries if one["id"] in roles and one not in everyone]
    own = [one for one in entries if one["id"] == member["user"]["id"]]
    for level in (everyone, others, own):
        for entry in level:
            value &= ~int(entry["deny"])
        for entry in level:
            value |= int(entry["allow"])
    if is_timed_out(member, now):
        value &= READ_ONLY.value
    return Permissions(value if value & Permissions(view_channel=True).value else 0)


def is_timed_out(member: Json, now: float) -> bool:
    """Whether a member's timeout lasts until later than `now`."""
    until = member["communication_disabled_until"]
    return until is not None and datetime.fromisoformat(until).timestamp() > now


def require_permissions(granted: Permissions, **required: bool) -> None:
    """Raise 50001 if the channel cannot be seen, 50013 if one of the `required` permissions is missing."""
    if not granted.view_channel:
        raise discord_limits.build_missing_access()
    if not granted.is_superset(Permissions(**required)):
        raise discord_limits.ApiError(403, 50013, "Missing Permissions")


# Attributes of a member that differ by server.
MEMBER_ATTRIBUTES: Final = {"nick", "roles", "communication_disabled_until"}


@dataclass(eq=False)
class MemberRegistry:
    """The members of all servers. By default each user is a plain member of every server."""

    _guilds: dict[str, Json]
    _storage: WorldStorage
    _events: EventBus
    _ids: SnowflakeGenerator
    _now: WallClock
    _stored: dict[tuple[str, str], Json] = field(default_factory=dict, init=False)
    # Numbers of extra members, by server, who send no events.
    extra_members: dict[str, int] = field(default_factory=dict, init=False)
    without_bot: set[str] = field(default_factory=set, init=False)  # servers that the bot has not joined
    installed: set[str] = field(default_factory=set, init=False)  # users who installed the bot and can use it anywhere

    def restore(self, stored: list[Json]) -> None:
        self._stored.update(((one["guild_id"], one["user_id"]), one) for one in stored)

    def build_member(self, who: Json, guild_id: str) -> Json:
        """A user as a member of a server. The join time is the user's creation time."""
        member = payloads.build_member(who, payloads.format_timestamp(payloads.get_creation_time(who["id"])))
        stored = self._stored.get((guild_id, who["id"]), {})
        return member | {key: stored[key] for key in MEMBER_ATTRIBUTES & stored.keys()}

    def is_member(self, guild_id: str, user_id: str) -> bool:
        return "left" not in self._stored.get((guild_id, user_id), {})

    def shares_guild(self, user_id: str) -> bool:
        """Whether a user shares a server with the bot or has installed it."""
        return user_id in self.installed or any(
            self.is_member(guild_id, user_id) for guild_id in self._guilds if guild_id not in self.without_bot
        )

    def leave(self, guild_id: str, user_id: str) -> None:
        self._save_changes(guild_id, user_id, left=True)
        removed: Json = {"guild_id": guild_id, "user": {"id": user_id}}
        self._events.publish("member_remove", removed, guild_id=guild_id)

    def change(self, guild_id: str, who: Json, **changes: Any) -> None:
        """Change a member's `nick`, `roles` (ids) or timeout (`communication_disabled_until`)."""
        if not changes.keys() <= MEMBER_ATTRIBUTES:
            raise TypeError(f"a member has {', '.join(sorted(MEMBER_ATTRIBUTES))}")
        self._save_changes(guild_id, who["id"], **changes)
        member = self.build_member(who, guild_id) | {"guild_id": guild_id}
        self._events.publish("member_update", member, guild_id=guild_id)

    def time_out(self, guild_id: str, who: Json, seconds: float) -> None:
        self.change(guild_id, who, communication_disabled_until=payloads.format_timestamp(self._now() + seconds))

    def is_timed_out(self, guild_id: str, who: Json) -> bool:
        """Whether a member is timed out. An owner never is."""
        owner = self._guilds[guild_id]["owner_id"] == who["id"]
        return not owner and is_timed_out(self.build_member(who, guild_id), self._now())

    def _save_changes(self, guild_id: str, user_id: str, **changes: Any) -> None:
        stored = self._stored.setdefault((guild_id, user_id), {"guild_id": guild_id, "user_id": user_id})
        stored |= changes
        self._storage.put("member", f"{guild_id}:{user_id}", stored)

    def count(self, guild_id: str, people: int) -> int:
        """The member count of a server, with the bot and the extra members; `people` is the number of users."""
        left_count = sum(guild == guild_id and "left" in stored for (guild, _), stored in self._stored.items())
        return people + 1 - left_count + self.extra_members.get(guild_id, 0)

    def add_role(self, guild_id: str, name: str, **allowed: bool) -> str:
        """Create a role with these permissions (discord.py's names) and return its id."""
        role = payloads.build_everyone_role(self._ids.generate(), Permissions(**allowed).value)
        role |= {"name": name, "position": len(self._guilds[guild_id]["roles"])}
        self._guilds[guild_id]["roles"].append(role)
        self._save_guild(guild_id)
        self._events.publish("role_create", {"guild_id": guild_id, "role": role}, guild_id=guild_id)
        return str(role["id"])

    def remove_role(self, guild_id: str, role_id: str) -> None:
        """Delete a role and take it from its members."""
        guild = self._guilds[guild_id]
        guild["roles"] = [role for role in guild["roles"] if role["id"] != role_id]
        for (stored_guild, user_id), stored in self._stored.items():
            if stored_guild == guild_id and role_id in stored.get("roles", ()):
                self._save_changes(guild_id, user_id, roles=[one for one in stored["roles"] if one != role_id])
        self._save_guild(guild_id)
        self._events.publish("role_delete", {"guild_id": guild_id, "role_id": role_id}, guild_id=guild_id)

    def _save_guild(self, guild_id: str) -> None:
        self._storage.put("guild", guild_id, self._guilds[guild_id])

    def compute_permissions(self, who: Json, channel: Json, parent: Json | None) -> Permissions:
        """The permissions of a user in a channel now. A thread inherits those of its parent channel."""
        if channel["type"] == payloads.DIRECT:
            return Permissions(EVERYONE.value)
        guild = self._guilds[channel["guild_id"]]
        permission_channel = parent if channel["type"] in payloads.THREADS and parent is not None else channel
        member = self.build_member(who, guild["id"])
        granted = compute_member_permissions(guild, permission_channel, member, self._now())
        hidden = channel["type"] == payloads.PRIVATE_THREAD and who["id"] not in channel["thread_members"]
        return Permissions.none() if hidden and not granted.manage_threads else granted

    def set_locale(self, guild_id: str, locale: str) -> None:
        """Set the preferred language of a community server."""
        self._guilds[guild_id]["preferred_locale"] = locale
        self._save_guild(guild_id)
        self._events.publish("guild_update", self._guilds[guild_id], guild_id=guild_id)

    def remove_bot(self, guild_id: str) -> None:
        # First, because the bot gets no events of the server afterwards.
        self._events.publish("guild_delete", {"id": guild_id}, guild_id=guild_id)
        self.without_bot.add(guild_id)

    def add_bot(self, guild_id: str) -> None:
        self.without_bot.discard(guild_id)
        self._events.publish("guild_create", self._guilds[guild_id], guild_id=guild_id)

    def require_bot(self, channel: Json) -> None:
        """Raise 50001 if the bot is not on the channel's server."""
        if channel.get("guild_id") in self.without_bot:
            raise discord_limits.build_missing_access()


MAX_NAME_LENGTH: Final = 32

JOINER: Final = "\u200d"  # combines several characters into one emoji
JOINERS: Final = "\u200c\u200d"  # invisible characters that belong between others


def clean_name(typed: str) -> str:
    """A typed name, cut to the maximum length without splitting a character; empty if invisible or unprintable."""
    name = typed.strip()
    if not all(sign.isprintable() or sign in JOINERS for sign in name):
        return ""
    end = min(len(name), MAX_NAME_LENGTH)
    while end and end < len(name) and (_is_modifier(name[end]) or name[end - 1] == JOINER):
        end -= 1
    return name[:end].strip().strip(JOINERS)


def _is_modifier(sign: str) -> bool:
    """Whether a character only modifies the one before it: an accent, a variation, a skin tone, a joiner."""
    return sign in JOINERS or unicodedata.category(sign) in ("Mn", "Me") or "\U0001f3fb" <= sign <= "\U0001f3ff"
