"""The page's routes: the state of the world, live events, and all actions of a user."""

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.playground import commands as playground_commands
from bot.playground import feed, interactions, wire
from bot.playground.channel_messages import Post
from bot.playground.commands import Commands
from bot.playground.discord_limits import ApiError, RefusedError
from bot.playground.feed import Feed, page_channel
from bot.playground.gateway import Gateway
from bot.playground.interactions import Interaction, Interactions
from bot.playground.members import chosen_name
from bot.playground.page_access import POLICY
from bot.playground.page_words import MOST_ASKED, furnished_key, locale_of, page_words
from bot.playground.payloads import DIRECT, PRIVATE_THREAD, BotStart, Json
from bot.playground.world import World
from bot.playground.world_setup import FrontDoor

HEARTBEAT = 15.0
MOST_PEOPLE = 24
MOST_MESSAGES = 100
LONGEST_WAIT = 10.0  # seconds that one request may wait for the bot's response


@dataclass(eq=False)
class Local:
    """Handlers below `/local`."""

    _world: World
    _commands: Commands
    _interactions: Interactions
    _gateway: Gateway
    _feed: Feed
    _bot_start: BotStart

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/local/state", self.state),
            web.get("/local/events", self.events),
            web.get("/local/channels/{channel}/messages", self.messages),
            web.get("/local/interactions/{interaction}", self.outcome),
            web.post("/local/people", self.join),
            web.post("/local/commands", self.use_command),
            web.post("/local/autocomplete", self.autocomplete),
            web.post("/local/components", self.use_component),
            web.post("/local/modals", self.submit_form),
            web.post("/local/dismiss", self.dismiss),
        ]

    async def state(self, request: web.Request) -> web.Response:
        """All that the page needs to draw itself. `as` names the user whose direct channel is included."""
        world, viewer = self._world, request.query.get("as")
        guild = next(iter(world.guilds.values()))
        channels = [
            page_channel(one)
            for one in world.channels.values()
            if (one.get("guild_id") == guild["id"] and self._sees(viewer, one))
            or (one["type"] == DIRECT and one["recipients"][0]["id"] == viewer)
        ]
        state = {
            "guild": {"id": guild["id"], "name": guild["name"], "name_key": furnished_key(guild["name"])},
            "channels": channels, "people": list(world.people.values()), "bot": world.bot,
            "bot_online": self._gateway.online, "bot_start": self._bot_start.shown,
            "commands": self._commands.usable(guild["id"], viewer or ""),
            "welcome": {"channel_id": world.welcome_channel},
        }  # fmt: skip
        return wire.json_answer(state)

    async def messages(self, request: web.Request) -> web.Response:
        who = self._person(request.query.get("as"))
        channel = self._channel(request.match_info["channel"], who)
        try:
            limit = max(min(int(request.query.get("limit", 50)), MOST_MESSAGES), 1)
            timeline = self._world.talk.timelines[channel["id"]]
            page = timeline.page(limit, before=request.query.get("before"), seen_by=who["id"])
        except ValueError:
            raise RefusedError("malformed") from None
        return wire.json_answer({"messages": [post.body for post in page]})

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Server-Sent Events until the tab closes."""
        who = self._person(request.query.get("as"))
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        response = web.StreamResponse(headers=headers)
        with self._feed.tab(who["id"]) as queue, suppress(ConnectionError):  # the tab was closed
            await response.prepare(request)
            await response.write(b"retry: 1000\n\n")
            async for line in feed.lines(queue, HEARTBEAT):
                await response.write(line)
        return response

    async def outcome(self, request: web.Request) -> web.Response:
        """How the bot answered one of the user's interactions: state, message, and whether the answer is complete.

        The state is `waiting`, `answered` or `failed`. `?wait=3` waits up to 3 seconds for a first response (at most
        ten).
        """
        who = self._person(request.query.get("as"))
        one = self._interactions.find(request.match_info["interaction"])
        if one is None or one.user["id"] != who["id"]:
            raise RefusedError("malformed", 404)
        wait = _seconds(request.query.get("wait", "0"))
        with suppress(TimeoutError):
            await asyncio.wait_for(one.done.wait(), wait)
        state = "failed" if one.too_late else "waiting" if one.response is None else "answered"
        message = one.shown or one.original
        message_id = None if message is None else message.id
        complete = state == "answered" and not one.awaits_answer
        outcome = {"state": state, "response": one.response, "message_id": message_id, "complete": complete}
        return wire.json_answer(outcome)

    async def join(self, request: web.Request) -> web.Response:
        typed = str((await wire.page_body(request)).get("name") or "").strip()
        name = chosen_name(typed)
        if not name:
            raise RefusedError("name")
        people = self._world.people.values()
        if any(who["username"].casefold() == name.casefold() for who in people):
            raise RefusedError("name_taken", name=name)
        if len(people) >= MOST_PEOPLE:
            raise RefusedError("full", n=MOST_PEOPLE)
        return wire.json_answer(self._world.add_person(name) | {"cut": name != typed}, 201)

    async def use_command(self, request: web.Request) -> web.Response:
        return wire.json_answer({"interaction_id": self._command(await wire.page_body(request), None).id})

    async def autocomplete(self, request: web.Request) -> web.Response:
        body = await wire.page_body(request)
        one = self._command(body, str(body.get("focused") or ""))
        await one.done.wait()
        return wire.json_answer({"choices": one.choices})

    def _command(self, body: Json, focused: str | None) -> Interaction:
        who, channel = self._who_and_where(body)
        guild_id = channel.get("guild_id")
        self._check_may_act(who, channel)
        name, path, given = str(body.get("command")), body.get("path") or [], body.get("options") or {}
        if not isinstance(path, list) or not isinstance(given, dict):
            raise RefusedError("malformed")
        command = self._commands.named(guild_id, name, who["id"])
        if command is None:
            raise RefusedError("command", name=name)
        if guild_id is not None:
            playground_commands.may_use(command, self._world.may(who, channel))
        data = playground_commands.command_data(self._world, command, path, given, guild_id, focused)
        kind = interactions.COMMAND if focused is None else interactions.AUTOCOMPLETE
        return self._interactions.start(kind, who, channel, data, name=" ".join([name, *map(str, path)]))

    async def use_component(self, request: web.Request) -> web.Response:
        body = await wire.page_body(request)
        who, channel = self._who_and_where(body)
        post = self._visible(channel, str(body.get("message_id")), who)
        self._check_may_act(who, channel)
        kind, values = body.get("component_type"), body.get("values") or []
        if not isinstance(kind, int) or not isinstance(values, list):
            raise RefusedError("malformed")
        values, custom_id = [str(value) for value in values], str(body.get("custom_id"))
        tree, guild_id = post.body["components"], channel.get("guild_id")
        data = playground_commands.component_data(self._world, tree, custom_id, kind, values, guild_id)
        one = self._interactions.start(interactions.COMPONENT, who, channel, data, source=post)
        return wire.json_answer({"interaction_id": one.id})

    async def submit_form(self, request: web.Request) -> web.Response:
        body = await wire.page_body(request)
        who = self._person(body.get("as"))
        opened = self._interactions.find(str(body.get("interaction_id")))
        if opened is None or opened.form is None or opened.user["id"] != who["id"]:
            raise RefusedError("form")
        fields = body.get("fields") or {}
        if not isinstance(fields, dict):
            raise RefusedError("malformed")
        data = playground_commands.form_data(opened.form, fields)
        one = self._interactions.start(
            interactions.MODAL, who, opened.channel, data, source=opened.source, name=opened.name
        )
        return wire.json_answer({"interaction_id": one.id})

    async def dismiss(self, request: web.Request) -> web.Response:
        body = await wire.page_body(request)
        who, message_id = self._person(body.get("as")), str(body.get("message_id"))
        for timeline in self._world.talk.timelines.values() if message_id.isdecimal() else ():
            post = timeline.get(message_id)
            if post is not None and post.owner == who["id"]:
                self._world.talk.remove(post)
                return wire.json_answer({})
        raise RefusedError("no_message")

    def _person(self, user_id: Any) -> Json:
        who = self._world.people.get(str(user_id))
        if who is None:
            raise RefusedError("who")
        return who

    def _channel(self, channel_id: str, who: Json) -> Json:
        channel = self._world.channels.get(channel_id)
        if channel is None or not self._sees(who["id"], channel):
            raise RefusedError("place", 404)
        return channel

    def _sees(self, viewer: str | None, channel: Json) -> bool:
        """Whether a viewer sees a channel. Without a viewer, all but private channels are visible."""
        if channel["type"] == DIRECT:
            return bool(channel["recipients"][0]["id"] == viewer)
        who = self._world.people.get(viewer or "")
        if who is None:
            return bool(channel["type"] != PRIVATE_THREAD)
        return self._world.sees(channel, who)

    def _check_may_act(self, who: Json, channel: Json) -> None:
        if channel["type"] != DIRECT and self._world.members.is_silent(channel["guild_id"], who):
            raise RefusedError("timed_out", 403)

    def _who_and_where(self, body: Json) -> tuple[Json, Json]:
        who = self._person(body.get("as"))
        return who, self._channel(str(body.get("channel_id")), who)

    def _visible(self, channel: Json, message_id: str, who: Json) -> Post:
        try:
            post = self._world.talk.find(channel["id"], message_id)
        except ApiError:
            raise RefusedError("message") from None
        if post.owner not in (None, who["id"]):
            raise RefusedError("message")
        return post


def _seconds(text: str) -> float:
    """Parse a wait in seconds. Raises PageError if it is not a number."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise RefusedError("malformed")
    return min(max(seconds, 0.0), LONGEST_WAIT)


@dataclass(eq=False)
class Sights:
    """Handlers for the page's words, the opening, its picture and the users' languages."""

    _world: World
    _front: FrontDoor

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/page/words.json", self.words),
            web.get("/local/opening", self.opening),
            web.get("/local/opening.png", self.picture),
            web.post("/local/language", self.speak),
        ]

    async def words(self, request: web.Request) -> web.Response:
        """The page's own sentences, for `?of=de-AT,en`. They are public, because the page without a key needs them."""
        answer = wire.json_answer(page_words(request.query.get("of", "").split(",")[:MOST_ASKED]))
        answer.headers["Content-Security-Policy"] = POLICY
        return answer

    async def opening(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._front.shown(request.query.get("language", "")))

    async def picture(self, request: web.Request) -> web.Response:
        drawn = await self._front.picture(request.query.get("language", ""))
        if drawn is None:
            raise web.HTTPNotFound(text="There is no such picture.")
        return web.Response(body=drawn, content_type="image/png", headers={"Cache-Control": "no-cache"})

    async def speak(self, request: web.Request) -> web.Response:
        """Set the language of a user's client: that of the browser, or a chosen one."""
        body = await wire.page_body(request)
        who = self._world.people.get(str(body.get("as")))
        if who is None:
            raise RefusedError("who")
        self._world.speaks(who, locale_of(str(body.get("language") or "")))
        return wire.json_answer({"locale": who["locale"]})
