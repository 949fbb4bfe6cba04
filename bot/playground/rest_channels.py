"""Discord's REST routes for channels, threads, messages and interaction responses."""

from dataclasses import dataclass, field

from aiohttp import web

from bot.playground import discord_limits, members, wire
from bot.playground.channel_messages import Post
from bot.playground.discord_limits import NO_SERVER_IN_COMMON, ApiError, Complaints, Throttle
from bot.playground.interactions import Interaction, Interactions
from bot.playground.message_builder import compose
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, TEXT, THREAD, THREADS, Json, stamp
from bot.playground.replies import Replies
from bot.playground.rest import API
from bot.playground.world import World

ARCHIVE_CHOICES = (60, 1440, 4320, 10080)
THREAD_STARTED = 18  # the type of the message that a standalone thread leaves in its channel


@dataclass(eq=False)
class _Routes:
    _world: World
    base: str = field(default="", init=False)
    files_key: str = field(default="", init=False)

    def _seen(self, request: web.Request, **wanted: bool) -> Json:
        """The channel of the request. Raises ApiError if the bot cannot see it or lacks the wanted permissions."""
        channel = self._world.channel(request.match_info["channel"])
        members.need(self._world.bot_permissions(channel), **wanted)
        return channel

    def _answer(self, body: Json | list[Json]) -> web.Response:
        return web.Response(body=wire.absolute(body, self.base, self.files_key), content_type="application/json")


class Channels(_Routes):
    """Handlers below `/channels/<id>` that are not about messages."""

    def routes(self) -> list[web.RouteDef]:
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

    async def channel(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._seen(request))

    async def typing(self, request: web.Request) -> web.Response:
        self._seen(request, send_messages=True)
        return web.Response(status=204)

    async def change_channel(self, request: web.Request) -> web.Response:
        """Change name, topic, archived or locked state. A thread's creator needs few permissions."""
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
                members.need(have, send_messages_in_threads=True)
            elif not mine:
                members.need(have, manage_threads=True)
            for key in ("archived", "locked", "auto_archive_duration"):
                if key in changes:
                    state[key] = changes[key]
            if "archived" in changes:
                state["archive_timestamp"] = stamp(self._world.now())
        else:
            members.need(have, manage_channels=True)
        for key in ("name", "topic", "rate_limit_per_user"):
            if key in changes:
                channel[key] = changes[key]
        self._world.channel_changed(channel)
        return wire.json_answer(channel)

    async def delete_channel(self, request: web.Request) -> web.Response:
        channel = self._seen(request)
        wanted = {"manage_threads" if channel["type"] in THREADS else "manage_channels": True}
        members.need(self._world.bot_permissions(channel), **wanted)
        self._world.delete_channel(channel["id"])
        return wire.json_answer(channel)

    async def start_thread(self, request: web.Request) -> web.Response:
        """Start a thread, on a message or standalone."""
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
                members.need(world.bot_permissions(channel), create_private_threads=True)
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
                raise discord_limits.unknown_message()
            if "thread" in post.body:
                raise ApiError(400, 160004, "A thread has already been created for this message")
            thread = world.start_thread(channel, payload["name"], world.bot["id"], minutes, post)
        return wire.json_answer(thread, 201)

    async def thread_members(self, request: web.Request) -> web.Response:
        member = self._seen(request).get("member")
        return wire.json_answer(member if "user" in request.match_info else [member])

    async def join_thread(self, request: web.Request) -> web.Response:
        """Add a member to a thread or remove one. Only members see a private thread."""
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


NONCE_LIFE = 5 * 60  # seconds that an enforced nonce finds the earlier message
REPLY = 19


@dataclass(eq=False)
class Messages(_Routes):
    """Handlers below `/channels/<id>/messages`."""

    _throttle: Throttle
    _nonces: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict, init=False)
    """Post time and message id by (channel, nonce), oldest first."""

    def routes(self) -> list[web.RouteDef]:
        path = API + "/channels/{channel}/messages"
        return [
            web.get(path, self.listed),
            web.post(path, self.send),
            web.get(path + "/{message}", self.one),
            web.patch(path + "/{message}", self.edit),
            web.delete(path + "/{message}", self.delete),
        ]

    def _post(self, request: web.Request, channel: Json) -> Post:
        """The message of the request. Ephemeral messages do not exist on these routes."""
        post = self._world.talk.find(channel["id"], request.match_info["message"])
        if post.owner is not None:
            raise discord_limits.unknown_message()
        return post

    async def listed(self, request: web.Request) -> web.Response:
        """Newest first, as Discord lists them."""
        channel = self._seen(request)
        if not self._world.bot_permissions(channel).read_message_history:
            return self._answer([])
        limit, query = int(request.query.get("limit", 50)), request.query
        if not 1 <= limit <= 100:
            raise discord_limits.invalid(("limit",), "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
        timeline = self._world.talk.timelines[channel["id"]]
        if "around" in query:
            before = timeline.page(limit // 2, before=query["around"]) if limit > 1 else []
            after = timeline.page(limit - len(before), after=str(int(query["around"]) - 1))
            page = before + after
        else:
            page = timeline.page(limit, before=query.get("before"), after=query.get("after"))
        return self._answer([post.body for post in reversed(page)])

    async def one(self, request: web.Request) -> web.Response:
        return self._answer(self._post(request, self._seen(request, read_message_history=True)).body)

    async def send(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        channel = self._seen(request)
        world = self._world
        have = world.bot_permissions(channel)
        if channel["type"] in THREADS:
            members.need(have, send_messages_in_threads=True)
            if channel["thread_metadata"]["locked"] and not have.manage_threads:
                raise ApiError(400, 160005, "Thread is locked")
        else:
            members.need(have, send_messages=True)
        if uploads:
            members.need(have, attach_files=True)
        if channel["type"] == DIRECT:
            self._check_door(channel["recipients"][0]["id"])
        earlier = self._earlier(channel["id"], payload)
        if earlier is not None:
            return self._answer(earlier.body)
        body = world.blank_message(channel, world.bot)
        if payload.get("nonce") is not None:
            body["nonce"] = payload["nonce"]
        if payload.get("embeds") and not have.embed_links:
            payload = payload | {"embeds": []}  # Discord drops them silently
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
        """Refuse a message to a user who accepts no direct messages or shares no server with the bot."""
        closed = person_id in self._world.shut_doors
        if closed or not self._world.members.share(person_id):
            raise ApiError(403, 50007 if closed else NO_SERVER_IN_COMMON, "Cannot send messages to this user")

    def _earlier(self, channel_id: str, payload: Json) -> Post | None:
        """The message that an enforced nonce already created."""
        now = self._world.now()
        for key, (at, _) in list(self._nonces.items()):
            if now - at <= NONCE_LIFE:
                break
            del self._nonces[key]
        nonce = payload.get("nonce")
        if nonce is None or not payload.get("enforce_nonce"):
            return None
        if len(str(nonce)) > 25:
            raise discord_limits.invalid(("nonce",), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        if (channel_id, str(nonce)) not in self._nonces:
            return None
        _, message_id = self._nonces[channel_id, str(nonce)]
        # Discord remembers a nonce after its message was deleted: the result is "Unknown Message".
        return self._world.talk.find(channel_id, message_id)

    def _refer(self, body: Json, payload: Json) -> None:
        """Set the message that a reply refers to. It must exist unless `fail_if_not_exists` is false."""
        reference = payload.get("message_reference")
        if not reference:
            return
        try:
            target = self._world.talk.find(body["channel_id"], str(reference.get("message_id")))
        except ApiError:
            if reference.get("fail_if_not_exists", True):
                code = "REPLIES_UNKNOWN_MESSAGE"
                raise discord_limits.invalid(("message_reference",), code, "Unknown message") from None
            return
        body["type"] = REPLY
        body["message_reference"] = {"type": 0, "channel_id": target.channel_id, "message_id": target.id}
        body["referenced_message"] = {key: value for key, value in target.body.items() if key != "referenced_message"}

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        channel = self._seen(request)
        post, world = self._post(request, channel), self._world
        if post.body["author"]["id"] != world.bot["id"]:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
            raise ApiError(400, 50083, "Thread is archived")
        if uploads:
            members.need(world.bot_permissions(channel), attach_files=True)
        too_many = self._throttle.edits(channel["id"], post.id)
        if too_many is not None:
            return too_many
        world.talk.edit(post, lambda body: compose(world, body, payload, uploads))
        return self._answer(post.body)

    async def delete(self, request: web.Request) -> web.Response:
        channel = self._seen(request)
        post = self._post(request, channel)
        if post.body["author"]["id"] != self._world.bot["id"]:
            members.need(self._world.bot_permissions(channel), manage_messages=True)
        self._world.talk.remove(post)
        return web.Response(status=204)


@dataclass(eq=False)
class ReplyRoutes(_Routes):
    """Handlers below `/interactions` and `/webhooks`."""

    _interactions: Interactions
    _replies: Replies

    def routes(self) -> list[web.RouteDef]:
        hook = API + "/webhooks/{app}/{token}"
        one = hook + "/messages/{message}"
        return [
            web.post(API + "/interactions/{interaction}/{token}/callback", self.respond),
            web.post(hook, self.follow_up),
            web.get(one, self.fetch),
            web.patch(one, self.edit),
            web.delete(one, self.delete),
        ]

    async def respond(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        one = self._interactions.awaiting(request.match_info["interaction"], request.match_info["token"])
        answer = self._replies.respond(one, payload, uploads)
        if request.query.get("with_response", "").lower() in ("1", "true"):
            return self._answer(answer)
        return web.Response(status=204)

    def _interaction(self, request: web.Request) -> Interaction:
        if request.match_info["app"] != self._world.bot["id"]:
            raise discord_limits.unknown("Webhook", 10015)
        return self._interactions.by_token(request.match_info["token"])

    async def follow_up(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        return self._answer(self._replies.follow_up(self._interaction(request), payload, uploads).body)

    async def fetch(self, request: web.Request) -> web.Response:
        return self._answer(self._replies.find(self._interaction(request), request.match_info["message"]).body)

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        one = self._interaction(request)
        return self._answer(self._replies.edit(one, request.match_info["message"], payload, uploads).body)

    async def delete(self, request: web.Request) -> web.Response:
        self._replies.delete(self._interaction(request), request.match_info["message"])
        return web.Response(status=204)
