"""The world of the local Discord: servers, channels, users and messages, independent of HTTP and sockets."""

import secrets

from discord import Permissions

from bot.playground import discord_limits, members, payloads
from bot.playground.channel_messages import MessageStore, Post, Timeline
from bot.playground.members import MemberRegistry
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, THREAD, EventBus, Json, SnowflakeGenerator, WallClock
from bot.playground.world_storage import WorldStorage

ACCENTS = (
    "#e0777d", "#5fa8d3", "#8ac17b", "#d6a25c", "#a98bd1", "#5bbdb0", "#d687b3", "#9aa5b8",
)  # fmt: skip


class World:
    """All objects of this Discord, kept in memory and in a `WorldStorage`."""

    def __init__(self, storage: WorldStorage, now: WallClock) -> None:
        self.now = now
        self.storage = storage
        self.ids = SnowflakeGenerator(now)
        self.guilds: dict[str, Json] = {}
        self.channels: dict[str, Json] = {}
        self.events = EventBus()
        self.members = MemberRegistry(self.guilds, storage, self.events, self.ids, now)
        self.messages = MessageStore(self.channels, storage, self.events, now)
        self.users: dict[str, Json] = {}
        self.bot: Json = {}
        self.url = ""  # the address of the server while it runs, without a trailing slash
        self.files_key = secrets.token_urlsafe(32)  # the bot's key to attachments, as in Discord's signed URLs
        self.page_key = ""  # the key that the page's address must contain
        self.closed_direct_messages: set[str] = set()  # users who accept no direct messages
        self.direct_channels: dict[str, str] = {}  # the id of each user's direct channel, once opened

    def renew_page_key(self) -> None:
        """Set a new key of the page. It is stored, so an open page works again after a restart."""
        self.page_key = secrets.token_urlsafe(32)
        self.storage.put("page", "key", {"key": self.page_key})

    def set_locale(self, person: Json, locale: str) -> None:
        """Set the language of a user's client. A server uses the language of its owner."""
        if person.get("locale") != locale:
            person["locale"] = locale
            self.storage.put("person", person["id"], person)
        for guild_id, guild in self.guilds.items():
            if guild["owner_id"] == person["id"] and guild["preferred_locale"] != locale:
                self.members.set_locale(guild_id, locale)

    @property
    def welcome_channel(self) -> str:
        """The channel that a new user sees first; empty if all were deleted."""
        texts = (str(channel["id"]) for channel in self.channels.values() if channel["type"] == payloads.TEXT)
        return next(texts, "")

    def add_user(self, name: str) -> Json:
        """Add a user, who joins every server."""
        person = payloads.build_user(self.ids.generate(), name, ACCENTS[len(self.users) % len(ACCENTS)])
        self.users[person["id"]] = person
        self.storage.put("person", person["id"], person)
        for guild_id in self.guilds:
            added = self.members.build_member(person, guild_id) | {"guild_id": guild_id}
            self.events.publish("member_add", added, guild_id=guild_id)
        self.events.publish("people_update", {"people": list(self.users.values())})
        return person

    def find_user(self, user_id: str) -> Json | None:
        """A user or the bot by id."""
        return self.bot if user_id == self.bot["id"] else self.users.get(user_id)

    def add_guild(self, name: str, *, with_bot: bool = True) -> Json:
        """Add a server that the first user owns."""
        owner = next(iter(self.users))
        guild = payloads.build_guild(self.ids.generate(own_millisecond=True), name, owner, members.EVERYONE.value)
        self.guilds[guild["id"]] = guild
        self.storage.put("guild", guild["id"], guild)
        if not with_bot:
            self.members.without_bot.add(guild["id"])
        self.events.publish("guild_create", guild, guild_id=guild["id"])
        return guild

    def list_joined_guilds(self) -> list[Json]:
        """The servers that the bot has joined."""
        return [guild for guild_id, guild in self.guilds.items() if guild_id not in self.members.without_bot]

    def list_members(self, guild_id: str) -> list[Json]:
        return [who for who in self.users.values() if self.members.is_member(guild_id, who["id"])]

    def add_channel(self, name: str, *, topic: str | None = None, guild_id: str | None = None) -> Json:
        """Add a text channel, by default in the first server."""
        guild_id = guild_id or next(iter(self.guilds))
        channel_id = self.ids.generate()
        return self._add_channel(payloads.build_text_channel(channel_id, guild_id, name, len(self.channels), topic))

    def start_thread(
        self, parent: Json, name: str, owner_id: str, archive_after: int, on: Post | None, *, private: bool = False
    ) -> Json:
        """Start a thread below `parent`. On a message, it gets that id. Only members see a private thread."""
        now, kind = payloads.format_timestamp(self.now()), PRIVATE_THREAD if private else THREAD
        thread_id = on.id if on is not None else self.ids.generate()
        thread = self._add_channel(payloads.build_thread(thread_id, parent, name, owner_id, now, archive_after, kind))
        if on is not None:
            on.body["thread"] = thread
            on.body["flags"] |= payloads.HAS_THREAD
            self.messages.save(on)
        return thread

    def open_direct_channel(self, person: Json) -> Json:
        """The direct channel of a user and the bot; opened if there is none."""
        channel_id = self.direct_channels.get(person["id"])
        if channel_id is not None:
            return self.channels[channel_id]
        channel = self._add_channel(payloads.build_direct_channel(self.ids.generate(), person))
        self.direct_channels[person["id"]] = channel["id"]
        return channel

    def _add_channel(self, channel: Json) -> Json:
        self.channels[channel["id"]] = channel
        self.messages.timelines[channel["id"]] = Timeline()
        self.storage.put("channel", channel["id"], channel)
        self._publish_channel("channel_create", channel)
        return channel

    def save_channel(self, channel: Json) -> None:
        """Store a changed channel and notify listeners."""
        self.storage.put("channel", channel["id"], channel)
        self._publish_channel("channel_update", channel)

    def _publish_channel(self, kind: str, channel: Json) -> None:
        only_for = channel["recipients"][0]["id"] if channel["type"] == DIRECT else None
        self.events.publish(kind, channel, guild_id=channel.get("guild_id"), only_for=only_for)

    def delete_channel(self, channel_id: str) -> None:
        """Delete a channel with its threads and messages."""
        for thread in [one for one in self.channels.values() if one.get("parent_id") == channel_id]:
            self.delete_channel(thread["id"])
        channel = self.channels.pop(channel_id)
        for post in self.messages.timelines.pop(channel_id).list_posts():
            self.storage.put("message", post.id, None)
            self.messages.delete_attachments_later(post.body["attachments"])
        self.storage.put("channel", channel_id, None)
        self._publish_channel("channel_delete", channel)
        parent_timeline = self.messages.timelines.get(channel.get("parent_id") or "")
        starter = parent_timeline.get(channel_id) if parent_timeline is not None else None
        if starter is not None:
            del starter.body["thread"]
            starter.body["flags"] &= ~payloads.HAS_THREAD
            self.messages.save(starter)

    def require_channel(self, channel_id: str) -> Json:
        """The channel with this id. Raises ApiError 10003."""
        try:
            return self.channels[channel_id]
        except KeyError:
            raise discord_limits.build_unknown_channel() from None

    def require_bot_channel(self, channel_id: str) -> Json:
        """The channel with this id. Raises ApiError 50001 if the bot is not on its server."""
        channel = self.require_channel(channel_id)
        self.members.require_bot(channel)
        return channel

    def compute_bot_permissions(self, channel: Json) -> Permissions:
        return self.compute_permissions(self.bot, channel)

    def can_see(self, channel: Json, who: Json | None = None) -> bool:
        """Whether a user (None: the bot) sees a channel of a server."""
        viewer = self.bot if who is None else who
        is_member = self.members.is_member(str(channel["guild_id"]), viewer["id"])
        return is_member and self.compute_permissions(viewer, channel).view_channel

    def compute_permissions(self, who: Json, channel: Json) -> Permissions:
        return self.members.compute_permissions(who, channel, self.channels.get(channel.get("parent_id") or ""))

    def set_bot_permissions(self, channel_id: str, **changes: bool) -> None:
        """Change the bot's permissions in a text channel, by discord.py's names (`send_messages=False`)."""
        self.set_permissions(channel_id, self.bot["id"], **changes)

    def set_permissions(self, channel_id: str, target_id: str, **changes: bool) -> None:
        """Change the permissions of a member or a role. The id of the server stands for all members."""
        channel = self.channels[channel_id]
        is_user = self.find_user(target_id) is not None
        members.set_overwrite(channel, target_id, changes, members.MEMBER if is_user else members.ROLE)
        self.save_channel(channel)

    def build_message(self, channel: Json, author: Json) -> Json:
        """An empty message, not posted."""
        return payloads.build_message(self.ids.generate(), channel, author, payloads.format_timestamp(self.now()))

    def delete_message(self, channel_id: str, message_id: str) -> None:
        """Delete a message as a moderator."""
        self.messages.remove(self.messages.find(channel_id, message_id))
