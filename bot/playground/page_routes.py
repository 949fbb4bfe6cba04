"""The page's routes: the state of the world, live events, and all actions of a user."""

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass

from aiohttp import web

from bot.playground import commands as playground_commands
from bot.playground import feed, wire
from bot.playground.channel_messages import Post
from bot.playground.commands import CommandRegistry
from bot.playground.discord_limits import ApiError, RefusedError
from bot.playground.feed import Feed, build_page_channel
from bot.playground.gateway import Gateway
from bot.playground.interactions import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, Interaction, InteractionRegistry
from bot.playground.members import clean_name
from bot.playground.page_access import POLICY
from bot.playground.page_words import MAX_LANGUAGES, build_page_words, choose_locale, find_initial_key
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, BotStart, Json
from bot.playground.world import World
from bot.playground.world_setup import WelcomeScreen

HEARTBEAT = 15.0
MAX_PEOPLE = 24
MAX_MESSAGES = 100
LONGEST_WAIT = 10.0  # seconds that one request may wait for the bot's response


@dataclass(eq=False)
class PageRoutes:
    """Handlers below `/local`."""

    _world: World
    _commands: CommandRegistry
    _interactions: InteractionRegistry
    _gateway: Gateway
    _feed: Feed
    _bot_start: BotStart

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.get("/local/state", self.serve_state),
            web.get("/local/events", self.stream_events),
            web.get("/local/channels/{channel}/messages", self.serve_messages),
            web.get("/local/interactions/{interaction}", self.serve_outcome),
            web.post("/local/people", self.handle_join),
            web.post("/local/commands", self.handle_command),
            web.post("/local/autocomplete", self.handle_autocomplete),
            web.post("/local/components", self.handle_component),
            web.post("/local/modals", self.handle_form),
            web.post("/local/dismiss", self.handle_dismiss),
        ]

    async def serve_state(self, request: web.Request) -> web.Response:
        """All that the page needs to draw itself. `as` names the user whose direct channel is included."""
        world, viewer = self._world, request.query.get("as")
        guild = next(iter(world.guilds.values()))
        channels = [
            build_page_channel(one)
            for one in world.channels.values()
            if (one.get("guild_id") == guild["id"] and self._can_see(viewer, one))
            or (one["type"] == DIRECT and one["recipients"][0]["id"] == viewer)
        ]
        state = {
            "guild": {"id": guild["id"], "name": guild["name"], "name_key": find_initial_key(guild["name"])},
            "channels": channels, "people": list(world.users.values()), "bot": world.bot,
            "bot_online": self._gateway.is_online, "bot_start": self._bot_start.state,
            "commands": self._commands.list_usable(guild["id"], viewer or ""),
            "welcome": {"channel_id": world.welcome_channel},
        }  # fmt: skip
        return wire.build_json_response(state)

    async def serve_messages(self, request: web.Request) -> web.Response:
        who = _require_user(self._world, request.query.get("as"))
        channel = self._require_channel(request.match_info["channel"], who)
        try:
            limit = max(min(int(request.query.get("limit", 50)), MAX_MESSAGES), 1)
            timeline = self._world.messages.timelines[channel["id"]]
            page = timeline.list_page(limit, before=request.query.get("before"), viewer_id=who["id"])
        except ValueError:
            raise RefusedError("malformed") from None
        return wire.build_json_response({"messages": [post.body for post in page]})

    async def stream_events(self, request: web.Request) -> web.StreamResponse:
        """Server-Sent Events until the tab closes."""
        who = _require_user(self._world, request.query.get("as"))
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        response = web.StreamResponse(headers=headers)
        with self._feed.open_tab(who["id"]) as queue, suppress(ConnectionError):  # the tab was closed
            await response.prepare(request)
            await response.write(b"retry: 1000\n\n")
            async for line in feed.iterate_lines(queue, HEARTBEAT):
                await response.write(line)
        return response

    async def serve_outcome(self, request: web.Request) -> web.Response:
        """How the bot answered one of the user's interactions: state, message, and whether the answer is complete.

        The state is `waiting`, `answered` or `failed`. `?wait=3` waits up to 3 seconds for a first response (at most
        ten).
        """
        who = _require_user(self._world, request.query.get("as"))
        one = self._interactions.find(request.match_info["interaction"])
        if one is None or one.user["id"] != who["id"]:
            raise RefusedError("malformed", 404)
        wait = _parse_seconds(request.query.get("wait", "0"))
        with suppress(TimeoutError):
            await asyncio.wait_for(one.done.wait(), wait)
        state = "failed" if one.too_late else "waiting" if one.response is None else "answered"
        message = one.first_message or one.original
        message_id = None if message is None else message.id
        complete = state == "answered" and not one.awaits_answer
        outcome = {"state": state, "response": one.response, "message_id": message_id, "complete": complete}
        return wire.build_json_response(outcome)

    async def handle_join(self, request: web.Request) -> web.Response:
        typed = str((await wire.parse_page_body(request)).get("name") or "").strip()
        name = clean_name(typed)
        if not name:
            raise RefusedError("name")
        people = self._world.users.values()
        if any(who["username"].casefold() == name.casefold() for who in people):
            raise RefusedError("name_taken", name=name)
        if len(people) >= MAX_PEOPLE:
            raise RefusedError("full", n=MAX_PEOPLE)
        return wire.build_json_response(self._world.add_user(name) | {"cut": name != typed}, 201)

    async def handle_command(self, request: web.Request) -> web.Response:
        one = self._start_command(await wire.parse_page_body(request), None)
        return wire.build_json_response({"interaction_id": one.id})

    async def handle_autocomplete(self, request: web.Request) -> web.Response:
        body = await wire.parse_page_body(request)
        one = self._start_command(body, str(body.get("focused") or ""))
        await one.done.wait()
        return wire.build_json_response({"choices": one.choices})

    def _start_command(self, body: Json, focused: str | None) -> Interaction:
        who, channel = self._parse_user_and_channel(body)
        guild_id = channel.get("guild_id")
        self._require_not_timed_out(who, channel)
        name, path, given = str(body.get("command")), body.get("path") or [], body.get("options") or {}
        if not isinstance(path, list) or not isinstance(given, dict):
            raise RefusedError("malformed")
        command = self._commands.find_usable(guild_id, name, who["id"])
        if command is None:
            raise RefusedError("command", name=name)
        if guild_id is not None:
            playground_commands.require_permission(command, self._world.compute_permissions(who, channel))
        data = playground_commands.build_command_data(self._world, command, path, given, guild_id, focused)
        kind = COMMAND if focused is None else AUTOCOMPLETE
        return self._interactions.start(kind, who, channel, data, name=" ".join([name, *map(str, path)]))

    async def handle_component(self, request: web.Request) -> web.Response:
        body = await wire.parse_page_body(request)
        who, channel = self._parse_user_and_channel(body)
        post = self._require_visible_post(channel, str(body.get("message_id")), who)
        self._require_not_timed_out(who, channel)
        kind, values = body.get("component_type"), body.get("values") or []
        if not isinstance(kind, int) or not isinstance(values, list):
            raise RefusedError("malformed")
        values, custom_id = [str(value) for value in values], str(body.get("custom_id"))
        tree, guild_id = post.body["components"], channel.get("guild_id")
        data = playground_commands.build_component_data(self._world, tree, custom_id, kind, values, guild_id)
        one = self._interactions.start(COMPONENT, who, channel, data, source=post)
        return wire.build_json_response({"interaction_id": one.id})

    async def handle_form(self, request: web.Request) -> web.Response:
        body = await wire.parse_page_body(request)
        who = _require_user(self._world, body.get("as"))
        opened = self._interactions.find(str(body.get("interaction_id")))
        if opened is None or opened.form is None or opened.user["id"] != who["id"]:
            raise RefusedError("form")
        fields = body.get("fields") or {}
        if not isinstance(fields, dict):
            raise RefusedError("malformed")
        data = playground_commands.build_form_data(opened.form, fields)
        one = self._interactions.start(MODAL, who, opened.channel, data, source=opened.source, name=opened.name)
        return wire.build_json_response({"interaction_id": one.id})

    async def handle_dismiss(self, request: web.Request) -> web.Response:
        body = await wire.parse_page_body(request)
        who, message_id = _require_user(self._world, body.get("as")), str(body.get("message_id"))
        for timeline in self._world.messages.timelines.values() if message_id.isdecimal() else ():
            post = timeline.get(message_id)
            if post is not None and post.owner == who["id"]:
                self._world.messages.remove(post)
                return wire.build_json_response({})
        raise RefusedError("no_message")

    def _require_channel(self, channel_id: str, who: Json) -> Json:
        channel = self._world.channels.get(channel_id)
        if channel is None or not self._can_see(who["id"], channel):
            raise RefusedError("place", 404)
        return channel

    def _can_see(self, viewer: str | None, channel: Json) -> bool:
        """Whether a viewer sees a channel. Without a viewer, all but private channels are visible."""
        if channel["type"] == DIRECT:
            return bool(channel["recipients"][0]["id"] == viewer)
        who = self._world.users.get(viewer or "")
        if who is None:
            return bool(channel["type"] != PRIVATE_THREAD)
        return self._world.can_see(channel, who)

    def _require_not_timed_out(self, who: Json, channel: Json) -> None:
        if channel["type"] != DIRECT and self._world.members.is_timed_out(channel["guild_id"], who):
            raise RefusedError("timed_out", 403)

    def _parse_user_and_channel(self, body: Json) -> tuple[Json, Json]:
        who = _require_user(self._world, body.get("as"))
        return who, self._require_channel(str(body.get("channel_id")), who)

    def _require_visible_post(self, channel: Json, message_id: str, who: Json) -> Post:
        try:
            post = self._world.messages.find(channel["id"], message_id)
        except ApiError:
            raise RefusedError("message") from None
        if post.owner not in (None, who["id"]):
            raise RefusedError("message")
        return post


def _require_user(world: World, user_id: object) -> Json:
    who = world.users.get(str(user_id))
    if who is None:
        raise RefusedError("who")
    return who


def _parse_seconds(text: str) -> float:
    """Parse a wait in seconds. Raises PageError if it is not a number."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise RefusedError("malformed")
    return min(max(seconds, 0.0), LONGEST_WAIT)


@dataclass(eq=False)
class WelcomeRoutes:
    """Handlers for the page's words, the opening, its picture and the users' languages."""

    _world: World
    _welcome: WelcomeScreen

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.get("/page/words.json", self.serve_words),
            web.get("/local/opening", self.serve_welcome),
            web.get("/local/opening.png", self.serve_picture),
            web.post("/local/language", self.handle_language),
        ]

    async def serve_words(self, request: web.Request) -> web.Response:
        """The page's own sentences, for `?of=de-AT,en`. They are public, because the page without a key needs them."""
        answer = wire.build_json_response(build_page_words(request.query.get("of", "").split(",")[:MAX_LANGUAGES]))
        answer.headers["Content-Security-Policy"] = POLICY
        return answer

    async def serve_welcome(self, request: web.Request) -> web.Response:
        return wire.build_json_response(self._welcome.build_payload(request.query.get("language", "")))

    async def serve_picture(self, request: web.Request) -> web.Response:
        png = await self._welcome.load_picture(request.query.get("language", ""))
        if png is None:
            raise web.HTTPNotFound(text="There is no such picture.")
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": "no-cache"})

    async def handle_language(self, request: web.Request) -> web.Response:
        """Set the language of a user's client: that of the browser, or a chosen one."""
        body = await wire.parse_page_body(request)
        who = _require_user(self._world, body.get("as"))
        self._world.set_locale(who, choose_locale(str(body.get("language") or "")))
        return wire.build_json_response({"locale": who["locale"]})
