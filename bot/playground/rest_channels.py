"""Discord's REST routes for channels and threads."""

from __future__ import annotations

from aiohttp import web

from bot.playground import permissions, refusals, wire
from bot.playground.refusals import ApiError, Complaints
from bot.playground.rest import API
from bot.playground.shapes import PRIVATE_THREAD, TEXT, THREAD, THREADS, Json, stamp
from bot.playground.timeline import Post
from bot.playground.world import World

ARCHIVE_CHOICES = (60, 1440, 4320, 10080)
THREAD_STARTED = 18
"""The message a standalone thread leaves in its channel."""


class Channels:
    """Handlers below `/channels/<id>` that are not about messages."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application."""
        return [
            web.get(API + "/channels/{channel}", self.channel),
            web.patch(API + "/channels/{channel}", self.change_channel),
            web.delete(API + "/channels/{channel}", self.delete_channel),
            web.post(API + "/channels/{channel}/typing", self.typing),
            web.post(API + "/channels/{channel}/threads", self.start_thread),
            web.post(API + "/channels/{channel}/messages/{message}/threads", self.start_thread),
            web.get(API + "/channels/{channel}/thread-members", self.thread_members),
            web.get(API + "/channels/{channel}/thread-members/{user}", self.thread_members),
            web.put(API + "/channels/{channel}/thread-members/{user}", self.join_thread),
            web.delete(API + "/channels/{channel}/thread-members/{user}", self.join_thread),
        ]

    def _seen(self, request: web.Request, **wanted: bool) -> Json:
        """The channel of the request, if the bot may see it and has the wanted permissions in it."""
        channel = self._world.channel(request.match_info["channel"])
        permissions.need(self._world.bot_permissions(channel), **wanted)
        return channel

    async def channel(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._seen(request))

    async def typing(self, request: web.Request) -> web.Response:
        self._seen(request, send_messages=True)
        return web.Response(status=204)

    async def change_channel(self, request: web.Request) -> web.Response:
        """Rename, topic, archive, lock. A thread's starter may do most of it; opening one again needs little."""
        channel = self._seen(request)
        changes = wire.parsed(await request.read())
        have = self._world.bot_permissions(channel)
        complaints = Complaints()
        if "name" in changes:
            complaints.length(("name",), changes["name"], 1, 100)
        complaints.refuse()
        if channel["type"] in THREADS:
            state = channel["thread_metadata"]
            only_opens = set(changes) <= {"archived"} and not changes.get("archived") and not state["locked"]
            mine = channel["owner_id"] == self._world.bot["id"] and not state["locked"] and "locked" not in changes
            if only_opens:
                permissions.need(have, send_messages_in_threads=True)
            elif not mine:
                permissions.need(have, manage_threads=True)
            for key in ("archived", "locked", "auto_archive_duration"):
                if key in changes:
                    state[key] = changes[key]
            if "archived" in changes:
                state["archive_timestamp"] = stamp(self._world.now())
        else:
            permissions.need(have, manage_channels=True)
        for key in ("name", "topic", "rate_limit_per_user"):
            if key in changes:
                channel[key] = changes[key]
        self._world.channel_changed(channel)
        return wire.json_answer(channel)

    async def delete_channel(self, request: web.Request) -> web.Response:
        channel = self._seen(request)
        wanted = {"manage_threads" if channel["type"] in THREADS else "manage_channels": True}
        permissions.need(self._world.bot_permissions(channel), **wanted)
        self._world.delete_channel(channel["id"])
        return wire.json_answer(channel)

    async def start_thread(self, request: web.Request) -> web.Response:
        """A public thread on a message, or on its own."""
        channel = self._seen(request, create_public_threads=True)
        payload = wire.parsed(await request.read())
        complaints = Complaints()
        complaints.length(("name",), payload.get("name"), 1, 100)
        minutes = payload.get("auto_archive_duration") or 1440
        if minutes not in ARCHIVE_CHOICES:
            complaints.add(("auto_archive_duration",), "BASE_TYPE_CHOICES", f"Value must be one of {ARCHIVE_CHOICES}.")
        complaints.refuse()
        if channel["type"] != TEXT:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        world, message_id = self._world, request.match_info.get("message")
        if message_id is None:
            private = payload.get("type", PRIVATE_THREAD) != THREAD  # Discord's default is a private thread
            if private:
                permissions.need(world.bot_permissions(channel), create_private_threads=True)
            thread = world.start_thread(channel, payload["name"], world.bot["id"], minutes, None, private=private)
            if private:
                return wire.json_answer(thread, 201)
            notice = world.blank_message(channel, world.bot) | {"type": THREAD_STARTED, "content": payload["name"]}
            notice["message_reference"] = {
                "type": 0, "channel_id": thread["id"], "guild_id": channel["guild_id"],
            }  # fmt: skip
            world.talk.post(Post(notice))
        else:
            post = world.talk.find(channel["id"], message_id)
            if post.owner is not None:
                raise refusals.unknown_message()
            if "thread" in post.body:
                raise ApiError(400, 160004, "A thread has already been created for this message")
            thread = world.start_thread(channel, payload["name"], world.bot["id"], minutes, post)
        return wire.json_answer(thread, 201)

    async def thread_members(self, request: web.Request) -> web.Response:
        member = self._seen(request).get("member")
        return wire.json_answer(member if "user" in request.match_info else [member])

    async def join_thread(self, request: web.Request) -> web.Response:
        """Who is in a thread is notified of it; a private one is seen by nobody else."""
        channel = self._seen(request)
        if channel["type"] not in THREADS:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        user_id = request.match_info["user"]
        user_id = self._world.bot["id"] if user_id == "@me" else user_id
        inside = set(channel["thread_members"])
        inside = inside | {user_id} if request.method == "PUT" else inside - {user_id}
        channel["thread_members"] = sorted(inside)
        self._world.channel_changed(channel)
        return web.Response(status=204)
