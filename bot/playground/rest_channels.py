"""Discord's REST routes for channels, threads, messages and interaction responses."""

from dataclasses import dataclass, field

from aiohttp import web

from bot.playground import discord_limits, members, wire
from bot.playground.channel_messages import Post
from bot.playground.discord_limits import NO_SERVER_IN_COMMON, ApiError, FormErrors, Throttle
from bot.playground.interactions import Interaction, InteractionRegistry
from bot.playground.message_builder import write_message
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, TEXT, THREAD, THREADS, Json, format_timestamp
from bot.playground.replies import InteractionResponder
from bot.playground.rest import API
from bot.playground.world import World

ARCHIVE_CHOICES = (60, 1440, 4320, 10080)
THREAD_STARTED = 18  # the type of the message that a standalone thread leaves in its channel


@dataclass(eq=False)
class _BaseRoutes:
    _world: World

    def _require_channel(self, request: web.Request, **required: bool) -> Json:
        """The channel of the request. Raises ApiError if the bot cannot see it or lacks the wanted permissions."""
        channel = self._world.require_bot_channel(request.match_info["channel"])
        members.require_permissions(self._world.compute_bot_permissions(channel), **required)
        return channel

    def _build_response(self, body: Json | list[Json]) -> web.Response:
        return web.Response(body=wire.encode_for_bot(body, self._world), content_type="application/json")


class ChannelRoutes(_BaseRoutes):
    """Handlers below `/channels/<id>` that are not about messages."""

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.get(API + "/channels/{channel}", self.serve_channel),
            web.patch(API + "/channels/{channel}", self.change_channel),
            web.delete(API + "/channels/{channel}", self.delete_channel),
            web.post(API + "/channels/{channel}/typing", self.accept_typing),
            web.post(API + "/channels/{channel}/threads", self.start_thread),
            web.post(API + "/channels/{channel}/messages/{message}/threads", self.start_thread),
            web.get(API + "/channels/{channel}/thread-members", self.serve_thread_members),
            web.get(API + "/channels/{channel}/thread-members/{user}", self.serve_thread_members),
            web.put(API + "/channels/{channel}/thread-members/{user}", self.change_thread_members),
            web.delete(API + "/channels/{channel}/thread-members/{user}", self.change_thread_members),
        ]

    async def serve_channel(self, request: web.Request) -> web.Response:
        return wire.build_json_response(self._require_channel(request))

    async def accept_typing(self, request: web.Request) -> web.Response:
        self._require_channel(request, send_messages=True)
        return web.Response(status=204)

    async def change_channel(self, request: web.Request) -> web.Response:
        """Change name, topic, archived or locked state. A thread's creator needs few permissions."""
        channel = self._require_channel(request)
        changes = wire.parse_object(await request.read())
        granted = self._world.compute_bot_permissions(channel)
        errors = FormErrors()
        if "name" in changes:
            errors.check_length(("name",), changes["name"], 1, 100)
        errors.raise_if_any()
        if channel["type"] in THREADS:
            state = channel["thread_metadata"]
            only_unarchives = set(changes) <= {"archived"} and not changes.get("archived") and not state["locked"]
            is_own_thread = (
                channel["owner_id"] == self._world.bot["id"] and not state["locked"] and "locked" not in changes
            )
            if only_unarchives:
                members.require_permissions(granted, send_messages_in_threads=True)
            elif not is_own_thread:
                members.require_permissions(granted, manage_threads=True)
            for key in ("archived", "locked", "auto_archive_duration"):
                if key in changes:
                    state[key] = changes[key]
            if "archived" in changes:
                state["archive_timestamp"] = format_timestamp(self._world.now())
        else:
            members.require_permissions(granted, manage_channels=True)
        for key in ("name", "topic", "rate_limit_per_user"):
            if key in changes:
                channel[key] = changes[key]
        self._world.save_channel(channel)
        return wire.build_json_response(channel)

    async def delete_channel(self, request: web.Request) -> web.Response:
        channel = self._require_channel(request)
        required = {"manage_threads" if channel["type"] in THREADS else "manage_channels": True}
        members.require_permissions(self._world.compute_bot_permissions(channel), **required)
        self._world.delete_channel(channel["id"])
        return wire.build_json_response(channel)

    async def start_thread(self, request: web.Request) -> web.Response:
        """Start a thread, on a message or standalone."""
        channel = self._require_channel(request, create_public_threads=True)
        payload = wire.parse_object(await request.read())
        errors = FormErrors()
        errors.check_length(("name",), payload.get("name"), 1, 100)
        minutes = payload.get("auto_archive_duration") or 1440
        if minutes not in ARCHIVE_CHOICES:
            errors.add(("auto_archive_duration",), "BASE_TYPE_CHOICES", f"Value must be one of {ARCHIVE_CHOICES}.")
        errors.raise_if_any()
        if channel["type"] != TEXT:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        world, message_id = self._world, request.match_info.get("message")
        if message_id is None:
            private = payload.get("type", PRIVATE_THREAD) != THREAD  # Discord's default is a private thread
            if private:
                members.require_permissions(world.compute_bot_permissions(channel), create_private_threads=True)
            thread = world.start_thread(channel, payload["name"], world.bot["id"], minutes, None, private=private)
            if private:
                return wire.build_json_response(thread, 201)
            notice = world.build_message(channel, world.bot) | {"type": THREAD_STARTED, "content": payload["name"]}
            notice["message_reference"] = {"type": 0, "channel_id": thread["id"], "guild_id": channel["guild_id"]}
            world.messages.post(Post(notice))
        else:
            post = world.messages.find(channel["id"], message_id)
            if post.owner is not None:
                raise discord_limits.build_unknown_message()
            if "thread" in post.body:
                raise ApiError(400, 160004, "A thread has already been created for this message")
            thread = world.start_thread(channel, payload["name"], world.bot["id"], minutes, post)
        return wire.build_json_response(thread, 201)

    async def serve_thread_members(self, request: web.Request) -> web.Response:
        member = self._require_channel(request).get("member")
        return wire.build_json_response(member if "user" in request.match_info else [member])

    async def change_thread_members(self, request: web.Request) -> web.Response:
        """Add a member to a thread or remove one. Only members see a private thread."""
        channel = self._require_channel(request)
        if channel["type"] not in THREADS:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        user_id = request.match_info["user"]
        user_id = self._world.bot["id"] if user_id == "@me" else user_id
        member_ids = set(channel["thread_members"])
        member_ids = member_ids | {user_id} if request.method == "PUT" else member_ids - {user_id}
        channel["thread_members"] = sorted(member_ids)
        self._world.save_channel(channel)
        return web.Response(status=204)


NONCE_LIFE = 5 * 60  # seconds that an enforced nonce finds the earlier message
REPLY = 19


@dataclass(eq=False)
class MessageRoutes(_BaseRoutes):
    """Handlers below `/channels/<id>/messages`."""

    _throttle: Throttle
    _nonces: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict, init=False)
    """Post time and message id by (channel, nonce), oldest first."""

    def list_routes(self) -> list[web.RouteDef]:
        path = API + "/channels/{channel}/messages"
        return [
            web.get(path, self.serve_messages),
            web.post(path, self.send),
            web.get(path + "/{message}", self.serve_message),
            web.patch(path + "/{message}", self.edit),
            web.delete(path + "/{message}", self.delete),
        ]

    def _require_post(self, request: web.Request, channel: Json) -> Post:
        """The message of the request. Ephemeral messages do not exist on these routes."""
        post = self._world.messages.find(channel["id"], request.match_info["message"])
        if post.owner is not None:
            raise discord_limits.build_unknown_message()
        return post

    async def serve_messages(self, request: web.Request) -> web.Response:
        """Newest first, as Discord lists them."""
        channel = self._require_channel(request)
        if not self._world.compute_bot_permissions(channel).read_message_history:
            return self._build_response([])
        limit, query = int(request.query.get("limit", 50)), request.query
        if not 1 <= limit <= 100:
            raise discord_limits.build_form_error(
                ("limit",), "NUMBER_TYPE_MAX", "int value should be between 1 and 100."
            )
        timeline = self._world.messages.timelines[channel["id"]]
        if "around" in query:
            before = timeline.list_page(limit // 2, before=query["around"]) if limit > 1 else []
            after = timeline.list_page(limit - len(before), after=str(int(query["around"]) - 1))
            page = before + after
        else:
            page = timeline.list_page(limit, before=query.get("before"), after=query.get("after"))
        return self._build_response([post.body for post in reversed(page)])

    async def serve_message(self, request: web.Request) -> web.Response:
        channel = self._require_channel(request, read_message_history=True)
        return self._build_response(self._require_post(request, channel).body)

    async def send(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.parse_payload(request)
        channel = self._require_channel(request)
        world = self._world
        granted = world.compute_bot_permissions(channel)
        if channel["type"] in THREADS:
            members.require_permissions(granted, send_messages_in_threads=True)
            if channel["thread_metadata"]["locked"] and not granted.manage_threads:
                raise ApiError(400, 160005, "Thread is locked")
        else:
            members.require_permissions(granted, send_messages=True)
        if uploads:
            members.require_permissions(granted, attach_files=True)
        if channel["type"] == DIRECT:
            self._require_direct_access(channel["recipients"][0]["id"])
        earlier = self._find_by_nonce(channel["id"], payload)
        if earlier is not None:
            return self._build_response(earlier.body)
        body = world.build_message(channel, world.bot)
        if payload.get("nonce") is not None:
            body["nonce"] = payload["nonce"]
        if payload.get("embeds") and not granted.embed_links:
            payload = payload | {"embeds": []}  # Discord drops them silently
        self._set_reference(body, payload)
        write_message(world, body, payload, uploads)
        if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
            channel["thread_metadata"]["archived"] = False
            world.save_channel(channel)
        world.messages.post(Post(body))
        if payload.get("enforce_nonce"):
            self._nonces[channel["id"], str(payload["nonce"])] = (world.now(), body["id"])
        return self._build_response(body)

    def _require_direct_access(self, person_id: str) -> None:
        """Refuse a message to a user who accepts no direct messages or shares no server with the bot."""
        closed = person_id in self._world.closed_direct_messages
        if closed or not self._world.members.shares_guild(person_id):
            raise ApiError(403, 50007 if closed else NO_SERVER_IN_COMMON, "Cannot send messages to this user")

    def _find_by_nonce(self, channel_id: str, payload: Json) -> Post | None:
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
            raise discord_limits.build_form_error(("nonce",), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        if (channel_id, str(nonce)) not in self._nonces:
            return None
        _, message_id = self._nonces[channel_id, str(nonce)]
        # Discord remembers a nonce after its message was deleted: the result is "Unknown Message".
        return self._world.messages.find(channel_id, message_id)

    def _set_reference(self, body: Json, payload: Json) -> None:
        """Set the message that a reply refers to. It must exist unless `fail_if_not_exists` is false."""
        reference = payload.get("message_reference")
        if not reference:
            return
        try:
            target = self._world.messages.find(body["channel_id"], str(reference.get("message_id")))
        except ApiError:
            if reference.get("fail_if_not_exists", True):
                code = "REPLIES_UNKNOWN_MESSAGE"
                raise discord_limits.build_form_error(("message_reference",), code, "Unknown message") from None
            return
        body["type"] = REPLY
        body["message_reference"] = {"type": 0, "channel_id": target.channel_id, "message_id": target.id}
        body["referenced_message"] = {key: value for key, value in target.body.items() if key != "referenced_message"}

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.parse_payload(request)
        channel = self._require_channel(request)
        post, world = self._require_post(request, channel), self._world
        if post.body["author"]["id"] != world.bot["id"]:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        if channel["type"] in THREADS and channel["thread_metadata"]["archived"]:
            raise ApiError(400, 50083, "Thread is archived")
        if uploads:
            members.require_permissions(world.compute_bot_permissions(channel), attach_files=True)
        limit_response = self._throttle.limit_edit(channel["id"], post.id)
        if limit_response is not None:
            return limit_response
        world.messages.edit(post, lambda body: write_message(world, body, payload, uploads))
        return self._build_response(post.body)

    async def delete(self, request: web.Request) -> web.Response:
        channel = self._require_channel(request)
        post = self._require_post(request, channel)
        if post.body["author"]["id"] != self._world.bot["id"]:
            members.require_permissions(self._world.compute_bot_permissions(channel), manage_messages=True)
        self._world.messages.remove(post)
        return web.Response(status=204)


@dataclass(eq=False)
class ReplyRoutes(_BaseRoutes):
    """Handlers below `/interactions` and `/webhooks`."""

    _interactions: InteractionRegistry
    _replies: InteractionResponder

    def list_routes(self) -> list[web.RouteDef]:
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
        payload, uploads = await wire.parse_payload(request)
        one = self._interactions.get_unanswered(request.match_info["interaction"], request.match_info["token"])
        answer = self._replies.respond(one, payload, uploads)
        if request.query.get("with_response", "").lower() in ("1", "true"):
            return self._build_response(answer)
        return web.Response(status=204)

    def _require_interaction(self, request: web.Request) -> Interaction:
        if request.match_info["app"] != self._world.bot["id"]:
            raise discord_limits.build_unknown_error("Webhook", 10015)
        return self._interactions.get_by_token(request.match_info["token"])

    async def follow_up(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.parse_payload(request)
        return self._build_response(self._replies.follow_up(self._require_interaction(request), payload, uploads).body)

    async def fetch(self, request: web.Request) -> web.Response:
        one = self._require_interaction(request)
        return self._build_response(self._replies.find(one, request.match_info["message"]).body)

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.parse_payload(request)
        one = self._require_interaction(request)
        return self._build_response(self._replies.edit(one, request.match_info["message"], payload, uploads).body)

    async def delete(self, request: web.Request) -> web.Response:
        self._replies.delete(self._require_interaction(request), request.match_info["message"])
        return web.Response(status=204)
