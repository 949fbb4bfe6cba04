"""The world of the local Discord: servers, channels, users and messages, independent of HTTP and sockets."""

import secrets
from collections.abc import Iterator

from discord import Permissions

from bot.playground import discord_limits, members, payloads
from bot.playground.channel_messages import Post, Talk, Timeline
from bot.playground.members import Members
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, THREAD, Json, News, Snowflakes, WallClock
from bot.playground.world_storage import Shelf

ACCENTS = (
    "#e0777d", "#5fa8d3", "#8ac17b", "#d6a25c", "#a98bd1", "#5bbdb0", "#d687b3", "#9aa5b8",
)  # fmt: skip


class World:
    """All objects of this Discord, kept in memory and on a shelf."""

    def __init__(self, shelf: Shelf, now: WallClock) -> None:
        self.now = now
        self.shelf = shelf
        self.ids = Snowflakes(now)
        self.guilds: dict[str, Json] = {}
        self.channels: dict[str, Json] = {}
        self.news = News()
        self.members = Members(self.guilds, shelf, self.news, self.ids, now)
        self.talk = Talk(self.channels, shelf, self.news, now)
        self.people: dict[str, Json] = {}
        self.bot: Json = {}
        self.system: Json = {}
        self.page_key = ""  # the key that the page's address must contain
        self.shut_doors: set[str] = set()  # users who accept no direct messages
        self.direct_channels: dict[str, str] = {}  # the id of each user's direct channel, once opened

    def lock(self, key: str | None = None) -> None:
        """Set the key of the page (default: a new one). It is stored, so an open page works again after a restart."""
        self.page_key = key or secrets.token_urlsafe(32)
        self.shelf.put("page", "key", {"key": self.page_key})

    def speaks(self, person: Json, locale: str) -> None:
        """Set the language of a user's client. A server uses the language of its owner."""
        if person.get("locale") != locale:
            person["locale"] = locale
            self.shelf.put("person", person["id"], person)
        for guild_id, guild in self.guilds.items():
            if guild["owner_id"] == person["id"] and guild["preferred_locale"] != locale:
                self.members.speak(guild_id, locale)

    @property
    def welcome_channel(self) -> str:
        """The channel that a new user sees first; empty if all were deleted."""
        texts = (str(channel["id"]) for channel in self.channels.values() if channel["type"] == payloads.TEXT)
        return next(texts, "")

    def add_person(self, name: str) -> Json:
        """Add a user, who joins every server."""
        person = payloads.user(self.ids.next(), name, ACCENTS[len(self.people) % len(ACCENTS)])
        self.people[person["id"]] = person
        self.shelf.put("person", person["id"], person)
        for guild_id in self.guilds:
            added = self.members.shape(person, guild_id) | {"guild_id": guild_id}
            self.news.tell("member_add", added, guild_id=guild_id)
        self.news.tell("people_update", {"people": list(self.people.values())})
        return person

    def user(self, user_id: str) -> Json | None:
        """A user or the bot by id."""
        return self.bot if user_id == self.bot["id"] else self.people.get(user_id)

    def add_guild(self, name: str, *, with_bot: bool = True) -> Json:
        """Add a server that the first user owns."""
        owner = next(iter(self.people))
        guild = payloads.guild(self.ids.next(own_millisecond=True), name, owner, members.EVERYONE.value)
        self.guilds[guild["id"]] = guild
        self.shelf.put("guild", guild["id"], guild)
        if not with_bot:
            self.members.without_bot.add(guild["id"])
        self.news.tell("guild_create", guild, guild_id=guild["id"])
        return guild

    def around(self, guild_id: str) -> list[Json]:
        """The users who are members of a server."""
        return [who for who in self.people.values() if self.members.on(guild_id, who["id"])]

    def add_channel(self, name: str, *, topic: str | None = None, guild_id: str | None = None) -> Json:
        """Add a text channel, by default in the first server."""
        guild_id = guild_id or next(iter(self.guilds))
        return self._enter(payloads.text_channel(self.ids.next(), guild_id, name, len(self.channels), topic))

    def start_thread(
        self, parent: Json, name: str, owner_id: str, archive_after: int, on: Post | None, *, private: bool = False
    ) -> Json:
        """Start a thread below `parent`. On a message, it gets that id. Only members see a private thread."""
        now, kind = payloads.stamp(self.now()), PRIVATE_THREAD if private else THREAD
        thread_id = on.id if on is not None else self.ids.next()
        thread = self._enter(payloads.thread(thread_id, parent, name, owner_id, now, archive_after, kind))
        if on is not None:
            on.body["thread"] = thread
            on.body["flags"] |= payloads.HAS_THREAD
            self.talk.revise(on)
        return thread

    def direct(self, person: Json) -> Json:
        """The direct channel of a user and the bot; opened if there is none."""
        known = self.direct_channels.get(person["id"])
        if known is not None:
            return self.channels[known]
        channel = self._enter(payloads.direct_channel(self.ids.next(), person))
        self.direct_channels[person["id"]] = channel["id"]
        return channel

    def _enter(self, channel: Json) -> Json:
        self.channels[channel["id"]] = channel
        self.talk.timelines[channel["id"]] = Timeline()
        self.shelf.put("channel", channel["id"], channel)
        self._tell_channel("channel_create", channel)
        return channel

    def channel_changed(self, channel: Json) -> None:
        """Store a changed channel and notify listeners."""
        self.shelf.put("channel", channel["id"], channel)
        self._tell_channel("channel_update", channel)

    def _tell_channel(self, kind: str, channel: Json) -> None:
        only_for = channel["recipients"][0]["id"] if channel["type"] == DIRECT else None
        self.news.tell(kind, channel, guild_id=channel.get("guild_id"), only_for=only_for)

    def delete_channel(self, channel_id: str) -> None:
        """Delete a channel with its threads and messages."""
        for thread in [one for one in self.channels.values() if one.get("parent_id") == channel_id]:
            self.delete_channel(thread["id"])
        channel = self.channels.pop(channel_id)
        for post in self.talk.timelines.pop(channel_id).everything():
            self.shelf.put("message", post.id, None)
            self.talk.retire(post.body["attachments"])
        self.shelf.put("channel", channel_id, None)
        self._tell_channel("channel_delete", channel)
        above = self.talk.timelines.get(channel.get("parent_id") or "")
        carrier = above.get(channel_id) if above is not None else None
        if carrier is not None:
            del carrier.body["thread"]
            carrier.body["flags"] &= ~payloads.HAS_THREAD
            self.talk.revise(carrier)

    def place(self, channel_id: str) -> Json:
        """The channel with this id. Raises ApiError 10003."""
        try:
            return self.channels[channel_id]
        except KeyError:
            raise discord_limits.unknown_channel() from None

    def channel(self, channel_id: str) -> Json:
        """The channel with this id. Raises ApiError 50001 if the bot is not on its server."""
        channel = self.place(channel_id)
        self.members.check_bot(channel)
        return channel

    def threads(self) -> Iterator[Json]:
        for channel in self.channels.values():
            if payloads.is_open_thread(channel):
                yield channel

    def bot_permissions(self, channel: Json) -> Permissions:
        """The bot's permissions in a channel now."""
        return self.may(self.bot, channel)

    def sees(self, channel: Json, who: Json | None = None) -> bool:
        """Whether a user (None: the bot) sees a channel of a server."""
        viewer = self.bot if who is None else who
        return self.members.on(str(channel["guild_id"]), viewer["id"]) and self.may(viewer, channel).view_channel

    def may(self, who: Json, channel: Json) -> Permissions:
        """The permissions of a user in a channel now."""
        return self.members.may(who, channel, self.channels.get(channel.get("parent_id") or ""))

    def set_bot_permissions(self, channel_id: str, **changes: bool) -> None:
        """Change the bot's permissions in a text channel, by discord.py's names (`send_messages=False`)."""
        self.set_permissions(channel_id, self.bot["id"], **changes)

    def set_permissions(self, channel_id: str, whom: str, **changes: bool) -> None:
        """Change the permissions of a member or a role. The id of the server stands for all members."""
        channel = self.channels[channel_id]
        known = self.user(whom) is not None
        members.overwrite(channel, whom, changes, members.MEMBER if known else members.ROLE)
        self.channel_changed(channel)

    def blank_message(self, channel: Json, author: Json) -> Json:
        """An empty message, not posted."""
        return payloads.message(self.ids.next(), channel, author, payloads.stamp(self.now()))

    def delete_message(self, channel_id: str, message_id: str) -> None:
        """Delete a message as a moderator."""
        self.talk.remove(self.talk.find(channel_id, message_id))
