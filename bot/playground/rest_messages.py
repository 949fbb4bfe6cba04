"""Discord's REST routes for messages in channels."""

from __future__ import annotations

from aiohttp import web

from bot.playground import permissions, refusals, wire
from bot.playground.messages import compose
from bot.playground.rates import Throttle
from bot.playground.refusals import NO_SERVER_IN_COMMON, ApiError
from bot.playground.rest import API
from bot.playground.shapes import DIRECT, THREADS, Json
from bot.playground.timeline import Post
from bot.playground.world import World

NONCE_LIFE = 5 * 60
"""Seconds that a nonce with `enforce_nonce` finds the earlier message again."""
REPLY = 19


class Messages:
    """Handlers below `/channels/<id>/messages`."""

    def __init__(self, world: World, throttle: Throttle) -> None:
        self._world = world
        self._throttle = throttle
        self._nonces: dict[tuple[str, str], tuple[float, str]] = {}
        """When and as which message a (channel, nonce) was posted, oldest first."""
        self.base = ""
        self.files_key = ""

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application."""
        path = API + "/channels/{channel}/messages"
        return [
            web.get(path, self.listed),
            web.post(path, self.send),
            web.get(path + "/{message}", self.one),
            web.patch(path + "/{message}", self.edit),
            web.delete(path + "/{message}", self.delete),
        ]

    def _channel(self, request: web.Request, **wanted: bool) -> Json:
        channel = self._world.channel(request.match_info["channel"])
        permissions.need(self._world.bot_permissions(channel), **wanted)
        return channel

    def _post(self, request: web.Request, channel: Json) -> Post:
        """The message of the request; ephemeral ones do not exist on these routes."""
        post = self._world.talk.find(channel["id"], request.match_info["message"])
        if post.owner is not None:
            raise refusals.unknown_message()
        return post

    def _answer(self, body: Json | list[Json], status: int = 200) -> web.Response:
        return web.Response(
            body=wire.absolute(body, self.base, self.files_key), status=status, content_type="application/json"
        )

    async def listed(self, request: web.Request) -> web.Response:
        """Newest first, as Discord lists them."""
        channel = self._channel(request)
        if not self._world.bot_permissions(channel).read_message_history:
            return self._answer([])
        limit, query = int(request.query.get("limit", 50)), request.query
        if not 1 <= limit <= 100:
            raise refusals.invalid(("limit",), "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
        timeline = self._world.talk.timelines[channel["id"]]
        if "around" in query:
            before = timeline.page(limit // 2, before=query["around"]) if limit > 1 else []
            after = timeline.page(limit - len(before), after=str(int(query["around"]) - 1))
            page = before + after
        else:
            page = timeline.page(limit, before=query.get("before"), after=query.get("after"))
        return self._answer([post.body for post in reversed(page)])

    async def one(self, request: web.Request) -> web.Response:
        return self._answer(self._post(request, self._channel(request, read_message_history=True)).body)

    async def send(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        channel = self._channel(request)
        world = self._world
        have = world.bot_permissions(channel)
        if channel["type"] in THREADS:
            permissions.need(have, send_messages_in_threads=True)
            if channel["thread_metadata"]["locked"] and not have.manage_threads:
                raise ApiError(400, 160005, "Thread is locked")
        else:
            permissions.need(have, send_messages=True)
        if uploads:
            permissions.need(have, attach_files=True)
        if channel["type"] == DIRECT:
            self._check_door(channel["recipients"][0]["id"])
        earlier = self._earlier(channel["id"], payload)
        if earlier is not None:
            return self._answer(earlier.body)
        body = world.blank_message(channel, world.bot)
        if payload.get("nonce") is not None:
            body["nonce"] = payload["nonce"]
        if payload.get("embeds") and not have.embed_links:
            payload = payload | {"embeds": []}  # Discord drops them without a word
        self._refer(body, payload)
        compose(world, body, payload, uploads)
        if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
            channel["thread_metadata"]["archived"] = False
            world.channel_changed(channel)
        world.talk.post(Post(body))
        if payload.get("enforce_nonce"):
            self._nonces[channel["id"], str(payload["nonce"])] = (world.now(), body["id"])
        return self._answer(body)

    def _check_door(self, person_id: str) -> None:
        """Refuse what goes to somebody who takes no direct messages, or shares no server with the bot."""
        for closed, code in (
            (person_id in self._world.shut_doors, 50007),
            (not self._world.members.share(person_id), NO_SERVER_IN_COMMON),
        ):
            if closed:
                raise ApiError(403, code, "Cannot send messages to this user")

    def _earlier(self, channel_id: str, payload: Json) -> Post | None:
        """The message that an enforced nonce already made."""
        now = self._world.now()
        for key, (at, _) in list(self._nonces.items()):
            if now - at <= NONCE_LIFE:
                break
            del self._nonces[key]
        nonce = payload.get("nonce")
        if nonce is None or not payload.get("enforce_nonce"):
            return None
        if len(str(nonce)) > 25:
            raise refusals.invalid(("nonce",), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        if (channel_id, str(nonce)) not in self._nonces:
            return None
        _, message_id = self._nonces[channel_id, str(nonce)]
        # Discord remembers a nonce even where the message was deleted meanwhile: that one is unknown, then.
        return self._world.talk.find(channel_id, message_id)

    def _refer(self, body: Json, payload: Json) -> None:
        """A reply names the message it answers, which must exist unless the bot does not mind."""
        reference = payload.get("message_reference")
        if not reference:
            return
        try:
            target = self._world.talk.find(body["channel_id"], str(reference.get("message_id")))
        except ApiError:
            if reference.get("fail_if_not_exists", True):
                raise refusals.invalid(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message") from None
            return
        body["type"] = REPLY
        body["message_reference"] = {"type": 0, "channel_id": target.channel_id, "message_id": target.id}
        body["referenced_message"] = {key: value for key, value in target.body.items() if key != "referenced_message"}

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        channel = self._channel(request)
        post, world = self._post(request, channel), self._world
        if post.body["author"]["id"] != world.bot["id"]:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
            raise ApiError(400, 50083, "Thread is archived")
        if uploads:
            permissions.need(world.bot_permissions(channel), attach_files=True)
        too_many = self._throttle.edits(channel["id"], post.id)
        if too_many is not None:
            return too_many
        world.talk.edit(post, lambda body: compose(world, body, payload, uploads))
        return self._answer(post.body)

    async def delete(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        post = self._post(request, channel)
        if post.body["author"]["id"] != self._world.bot["id"]:
            permissions.need(self._world.bot_permissions(channel), manage_messages=True)
        self._world.talk.remove(post)
        return web.Response(status=204)
