"""The world of the local Discord: servers, channels, people and messages, and what happens to them.

The world decides and remembers; it knows neither HTTP nor sockets. Whoever must hear of a change (the bot's
gateway, the page) listens to its happenings.
"""

from __future__ import annotations

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
    """Everything that exists in this Discord, kept in memory and on a shelf."""

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
        self.page_key = ""
        """What the page's address has to hold."""
        self.shut_doors: set[str] = set()
        """People who take no direct messages."""
        self.direct_channels: dict[str, str] = {}
        """The private talk of each person with the bot, once it was opened."""

    def lock(self, key: str | None = None) -> None:
        """From now on this key opens the page, a new one unless it is given. It is kept, so that a page that is open
        finds its way back when the playground was closed or killed.
        """
        self.page_key = key or secrets.token_urlsafe(32)
        self.shelf.put("page", "key", {"key": self.page_key})

    def speaks(self, person: Json, locale: str) -> None:
        """The language that somebody's client is set to. A server speaks that of its owner."""
        if person.get("locale") != locale:
            person["locale"] = locale
            self.shelf.put("person", person["id"], person)
        for guild_id, guild in self.guilds.items():
            if guild["owner_id"] == person["id"] and guild["preferred_locale"] != locale:
                self.members.speak(guild_id, locale)

    # -- people and places ---------------------------------------------------------------------------------

    @property
    def welcome_channel(self) -> str:
        """The channel a newcomer sees first, an empty text when all were deleted."""
        texts = (str(channel["id"]) for channel in self.channels.values() if channel["type"] == payloads.TEXT)
        return next(texts, "")

    def add_person(self, name: str) -> Json:
        """A person joins every server."""
        person = payloads.user(self.ids.next(), name, ACCENTS[len(self.people) % len(ACCENTS)])
        self.people[person["id"]] = person
        self.shelf.put("person", person["id"], person)
        for guild_id in self.guilds:
            added = self.members.shape(person, guild_id) | {"guild_id": guild_id}
            self.news.tell("member_add", added, guild_id=guild_id)
        self.news.tell("people_update", {"people": list(self.people.values())})
        return person

    def user(self, user_id: str) -> Json | None:
        """A person or the bot by id."""
        return self.bot if user_id == self.bot["id"] else self.people.get(user_id)

    def add_guild(self, name: str, *, with_bot: bool = True) -> Json:
        """A further server, owned by the first person, with the bot on it or without."""
        owner = next(iter(self.people))
        guild = payloads.guild(self.ids.next(own_millisecond=True), name, owner, members.EVERYONE.value)
        self.guilds[guild["id"]] = guild
        self.shelf.put("guild", guild["id"], guild)
        if not with_bot:
            self.members.without_bot.add(guild["id"])
        self.news.tell("guild_create", guild, guild_id=guild["id"])
        return guild

    def around(self, guild_id: str) -> list[Json]:
        """The people who are on a server."""
        return [who for who in self.people.values() if self.members.on(guild_id, who["id"])]

    def add_channel(self, name: str, *, topic: str | None = None, guild_id: str | None = None) -> Json:
        """A new text channel, in the first server unless another is named."""
        guild_id = guild_id or next(iter(self.guilds))
        return self._enter(payloads.text_channel(self.ids.next(), guild_id, name, len(self.channels), topic))

    def start_thread(
        self, parent: Json, name: str, owner_id: str, archive_after: int, on: Post | None, *, private: bool = False
    ) -> Json:
        """A thread below `parent`; on a message it shares that message's id. A private one is for those in it."""
        now, kind = payloads.stamp(self.now()), PRIVATE_THREAD if private else THREAD
        thread_id = on.id if on is not None else self.ids.next()
        thread = self._enter(payloads.thread(thread_id, parent, name, owner_id, now, archive_after, kind))
        if on is not None:
            on.body["thread"] = thread
            on.body["flags"] |= payloads.HAS_THREAD
            self.talk.revise(on)
        return thread

    def direct(self, person: Json) -> Json:
        """The private talk between this person and the bot, opened when there is none yet."""
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
        """Store a channel that was just changed, and let everybody know."""
        self.shelf.put("channel", channel["id"], channel)
        self._tell_channel("channel_update", channel)

    def _tell_channel(self, kind: str, channel: Json) -> None:
        only_for = channel["recipients"][0]["id"] if channel["type"] == DIRECT else None
        self.news.tell(kind, channel, guild_id=channel.get("guild_id"), only_for=only_for)

    def delete_channel(self, channel_id: str) -> None:
        """Remove a channel with its threads and messages."""
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
        """The channel, or refuse with 10003."""
        try:
            return self.channels[channel_id]
        except KeyError:
            raise discord_limits.unknown_channel() from None

    def channel(self, channel_id: str) -> Json:
        """The same for the bot: refuse with 50001 where it is not on the server."""
        channel = self.place(channel_id)
        self.members.check_bot(channel)
        return channel

    def threads(self) -> Iterator[Json]:
        """All threads that are not archived."""
        for channel in self.channels.values():
            if payloads.is_open_thread(channel):
                yield channel

    # -- what the bot may do -------------------------------------------------------------------------------

    def bot_permissions(self, channel: Json) -> Permissions:
        """What the bot may do in this channel now."""
        return self.may(self.bot, channel)

    def sees(self, channel: Json, who: Json | None = None) -> bool:
        """Whether somebody, or the bot, sees a channel of a server."""
        viewer = self.bot if who is None else who
        return self.members.on(str(channel["guild_id"]), viewer["id"]) and self.may(viewer, channel).view_channel

    def may(self, who: Json, channel: Json) -> Permissions:
        """What somebody may do in a channel now."""
        return self.members.may(who, channel, self.channels.get(channel.get("parent_id") or ""))

    def set_bot_permissions(self, channel_id: str, **changes: bool) -> None:
        """Give or take permissions of the bot in a text channel, by discord.py's names (`send_messages=False`)."""
        self.set_permissions(channel_id, self.bot["id"], **changes)

    def set_permissions(self, channel_id: str, whom: str, **changes: bool) -> None:
        """The same for any member, or a role; the id of the server is that of everyone."""
        channel = self.channels[channel_id]
        known = self.user(whom) is not None
        members.overwrite(channel, whom, changes, members.MEMBER if known else members.ROLE)
        self.channel_changed(channel)

    # -- messages ------------------------------------------------------------------------------------------

    def blank_message(self, channel: Json, author: Json) -> Json:
        """A message with nothing on it yet, not posted."""
        return payloads.message(self.ids.next(), channel, author, payloads.stamp(self.now()))

    def delete_message(self, channel_id: str, message_id: str) -> None:
        """Somebody with the right to do so deletes a message."""
        self.talk.remove(self.talk.find(channel_id, message_id))
