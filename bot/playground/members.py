"""Who is a member of which server, and as what: nickname, roles, a timeout. And the servers that the bot is not on."""

from __future__ import annotations

from typing import Any, Final

from discord import Permissions

from bot.playground import permissions, refusals, shapes
from bot.playground.news import News
from bot.playground.shapes import Json, Snowflakes, WallClock
from bot.playground.shelf import Shelf

BY_ITSELF: Final = {"nick", "roles", "communication_disabled_until"}
"""What a member has in one server alone."""


class Members:
    """Everybody is a plain member of every server, until something else is said here."""

    def __init__(self, guilds: dict[str, Json], shelf: Shelf, news: News, ids: Snowflakes, now: WallClock) -> None:
        self._guilds = guilds
        self._shelf = shelf
        self._news = news
        self._ids = ids
        self._now = now
        self._kept: dict[tuple[str, str], Json] = {}
        self.crowds: dict[str, int] = {}
        """How many members a server has of whom nobody hears."""
        self.without_bot: set[str] = set()
        """Servers that the bot is not on."""
        self.installed: set[str] = set()
        """People who have installed the bot for themselves, so that they can use it anywhere."""

    def recall(self, stored: list[Json]) -> None:
        """What was said before the last end of the playground."""
        self._kept.update(((one["guild_id"], one["user_id"]), one) for one in stored)

    # -- members

    def shape(self, who: Json, guild_id: str) -> Json:
        """A user as a member of a server; everybody joined the moment they came to be."""
        member = shapes.member(who, shapes.stamp(shapes.made_at(who["id"])))
        kept = self._kept.get((guild_id, who["id"]), {})
        return member | {key: kept[key] for key in BY_ITSELF & kept.keys()}

    def on(self, guild_id: str, user_id: str) -> bool:
        """Whether somebody is on a server."""
        return "left" not in self._kept.get((guild_id, user_id), {})

    def share(self, user_id: str) -> bool:
        """Whether somebody is on a server that the bot is on, or has installed it."""
        return user_id in self.installed or any(
            self.on(guild_id, user_id) for guild_id in self._guilds if guild_id not in self.without_bot
        )

    def leave(self, guild_id: str, user_id: str) -> None:
        """Somebody leaves a server."""
        self._keep(guild_id, user_id, left=True)
        gone: Json = {"guild_id": guild_id, "user": {"id": user_id}}
        self._news.tell("member_remove", gone, guild_id=guild_id)

    def change(self, guild_id: str, who: Json, **changes: Any) -> None:
        """Give somebody another `nick`, other `roles` (ids), or a timeout: `communication_disabled_until`."""
        if not changes.keys() <= BY_ITSELF:
            raise TypeError(f"a member has {', '.join(sorted(BY_ITSELF))}")
        self._keep(guild_id, who["id"], **changes)
        told = self.shape(who, guild_id) | {"guild_id": guild_id}
        self._news.tell("member_update", told, guild_id=guild_id)

    def time_out(self, guild_id: str, who: Json, seconds: float) -> None:
        """A moderator silences somebody for so long."""
        self.change(guild_id, who, communication_disabled_until=shapes.stamp(self._now() + seconds))

    def is_silent(self, guild_id: str, who: Json) -> bool:
        """Whether somebody is timed out, which an owner never is."""
        owner = self._guilds[guild_id]["owner_id"] == who["id"]
        return not owner and permissions.is_silent(self.shape(who, guild_id), self._now())

    def _keep(self, guild_id: str, user_id: str, **changes: Any) -> None:
        kept = self._kept.setdefault((guild_id, user_id), {"guild_id": guild_id, "user_id": user_id})
        kept |= changes
        self._shelf.put("member", f"{guild_id}:{user_id}", kept)

    def count(self, guild_id: str, people: int) -> int:
        """How many members a server has, with the bot and those who never show themselves, of so many people."""
        left = sum(guild == guild_id and "left" in kept for (guild, _), kept in self._kept.items())
        return people + 1 - left + self.crowds.get(guild_id, 0)

    # -- roles

    def add_role(self, guild_id: str, name: str, **allowed: bool) -> str:
        """A new role; `allowed` are permissions by discord.py's names. Its id."""
        role = shapes.role_everyone(self._ids.next(), Permissions(**allowed).value)
        role |= {"name": name, "position": len(self._guilds[guild_id]["roles"])}
        self._guilds[guild_id]["roles"].append(role)
        self._guild_changed(guild_id)
        self._news.tell("role_create", {"guild_id": guild_id, "role": role}, guild_id=guild_id)
        return str(role["id"])

    def remove_role(self, guild_id: str, role_id: str) -> None:
        """A role goes, and everybody who had it loses it."""
        guild = self._guilds[guild_id]
        guild["roles"] = [role for role in guild["roles"] if role["id"] != role_id]
        for (where, user_id), kept in self._kept.items():
            if where == guild_id and role_id in kept.get("roles", ()):
                self._keep(guild_id, user_id, roles=[one for one in kept["roles"] if one != role_id])
        self._guild_changed(guild_id)
        self._news.tell("role_delete", {"guild_id": guild_id, "role_id": role_id}, guild_id=guild_id)

    def _guild_changed(self, guild_id: str) -> None:
        self._shelf.put("guild", guild_id, self._guilds[guild_id])

    def may(self, who: Json, channel: Json, parent: Json | None) -> Permissions:
        """What somebody may do in a channel now; a thread takes what the channel above it allows."""
        if channel["type"] == shapes.DIRECT:
            return Permissions(permissions.EVERYONE.value)
        guild = self._guilds[channel["guild_id"]]
        place = parent if channel["type"] in shapes.THREADS and parent is not None else channel
        have = permissions.of_member(guild, place, self.shape(who, guild["id"]), self._now())
        hidden = channel["type"] == shapes.PRIVATE_THREAD and who["id"] not in channel["thread_members"]
        return Permissions.none() if hidden and not have.manage_threads else have

    # -- languages

    def speak(self, guild_id: str, locale: str) -> None:
        """The language that a community server is set to."""
        self._guilds[guild_id]["preferred_locale"] = locale
        self._guild_changed(guild_id)
        self._news.tell("guild_update", self._guilds[guild_id], guild_id=guild_id)

    # -- the bot

    def send_away(self, guild_id: str) -> None:
        """Somebody throws the bot out of a server."""
        # First: it hears of it, and of nothing after it.
        self._news.tell("guild_delete", {"id": guild_id}, guild_id=guild_id)
        self.without_bot.add(guild_id)

    def invite(self, guild_id: str) -> None:
        """Somebody brings the bot onto a server."""
        self.without_bot.discard(guild_id)
        self._news.tell("guild_create", self._guilds[guild_id], guild_id=guild_id)

    def check_bot(self, channel: Json) -> None:
        """Refuse with 50001 what the bot asks of a server that it is not on."""
        if channel.get("guild_id") in self.without_bot:
            raise refusals.missing_access()
