"""Discord's REST routes for the bot: users, servers, members and commands."""

import math
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web

from bot.playground import discord_limits, wire
from bot.playground import members as permissions
from bot.playground.commands import GLOBAL, Commands
from bot.playground.discord_limits import ApiError, Throttle
from bot.playground.payloads import TEXT, Json
from bot.playground.world import World

API = "/api/v10"
A_SHARD = 1000  # servers for which Discord recommends one shard


@dataclass(eq=False)
class Rest:
    """Handlers for users, servers and commands."""

    _world: World
    _commands: Commands
    _throttle: Throttle
    base: str = field(default="", init=False)

    def routes(self) -> list[web.RouteDef]:
        app_commands = API + "/applications/{app}/commands"
        guild_commands = API + "/applications/{app}/guilds/{scope}/commands"
        routes = [
            web.get(API + "/users/@me", self.me),
            web.get(API + "/users/@me/guilds", self.my_guilds),
            web.post(API + "/users/@me/channels", self.open_direct),
            web.get(API + "/users/{user}", self.user),
            web.get(API + "/oauth2/applications/@me", self.application),
            web.get(API + "/applications/@me", self.application),
            web.get(API + "/gateway", self.gateway),
            web.get(API + "/gateway/bot", self.gateway),
            web.get(API + "/guilds/{guild}", self.guild),
            web.get(API + "/guilds/{guild}/channels", self.guild_channels),
            web.get(API + "/guilds/{guild}/roles", self.roles),
            web.get(API + "/guilds/{guild}/members", self.members),
            web.get(API + "/guilds/{guild}/members/{user}", self.member),
            web.get(API + "/guilds/{guild}/threads/active", self.active_threads),
        ]
        for path in (app_commands, guild_commands):
            routes += [
                web.get(path, self.list_commands),
                web.put(path, self.replace_commands),
                web.post(path, self.put_command),
                web.get(path + "/{command}", self.one_command),
                web.patch(path + "/{command}", self.change_command),
                web.delete(path + "/{command}", self.remove_command),
            ]
        return routes

    async def me(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._world.bot | {"verified": True, "mfa_enabled": True, "email": None, "flags": 0})

    async def my_guilds(self, request: web.Request) -> web.Response:
        value = str(permissions.EVERYONE.value)
        return wire.json_answer([guild | {"owner": False, "permissions": value} for guild in self._joined()])

    def _joined(self) -> list[Json]:
        away = self._world.members.without_bot
        return [guild for guild_id, guild in self._world.guilds.items() if guild_id not in away]

    async def user(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._user(request.match_info["user"]))

    async def application(self, request: web.Request) -> web.Response:
        bot, owner = self._world.bot, next(iter(self._world.people.values()))
        shown: Json = {
            "id": bot["id"], "name": bot["username"], "icon": None, "description": "", "summary": "",
            "rpc_origins": [], "bot_public": False, "bot_require_code_grant": False, "verify_key": "0" * 64,
            "owner": owner, "team": None, "flags": 0, "bot": bot, "approximate_guild_count": len(self._joined()),
            "integration_types_config": {"0": {}},
        }  # fmt: skip
        return wire.json_answer(shown)

    async def gateway(self, request: web.Request) -> web.Response:
        url = self.base.replace("http", "ws", 1) + "/gateway"
        shards = max(math.ceil(len(self._joined()) / A_SHARD), 1)
        return wire.json_answer({"url": url, "shards": shards, "session_start_limit": self._throttle.start()})

    async def open_direct(self, request: web.Request) -> web.Response:
        payload = wire.parsed(await request.read())
        person = self._person(str(payload.get("recipient_id")))
        if person["id"] not in self._world.direct_channels:
            self._throttle.opens_door()
        return wire.json_answer(self._world.direct(person))

    def _user(self, user_id: str) -> Json:
        who = self._world.user(user_id)
        if who is None:
            raise discord_limits.unknown("User", 10013)
        return who

    def _person(self, user_id: str) -> Json:
        who = self._user(user_id)
        if who is self._world.bot:
            raise ApiError(400, 50007, "Cannot send messages to this user")
        return who

    def _guild(self, request: web.Request) -> Json:
        guild_id = request.match_info["guild"]
        if guild_id not in self._world.guilds:
            raise discord_limits.unknown("Guild", 10004)
        self._world.members.check_bot({"guild_id": guild_id})
        return self._world.guilds[guild_id]

    async def guild(self, request: web.Request) -> web.Response:
        guild = self._guild(request)
        count = self._world.members.count(guild["id"], len(self._world.people))
        return wire.json_answer(guild | {"approximate_member_count": count})

    async def guild_channels(self, request: web.Request) -> web.Response:
        guild_id = self._guild(request)["id"]
        found = [one for one in self._world.channels.values() if one.get("guild_id") == guild_id]
        return wire.json_answer([one for one in found if one["type"] == TEXT])

    async def roles(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._guild(request)["roles"])

    async def members(self, request: web.Request) -> web.Response:
        guild_id, world = self._guild(request)["id"], self._world
        everybody = sorted([world.bot, *world.around(guild_id)], key=lambda who: int(who["id"]))
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 1))
        found = [world.members.shape(who, guild_id) for who in everybody if int(who["id"]) > after]
        return wire.json_answer(found[:limit])

    async def member(self, request: web.Request) -> web.Response:
        guild_id, members = self._guild(request)["id"], self._world.members
        user_id = request.match_info["user"]
        who = self._world.user(self._world.bot["id"] if user_id == "@me" else user_id)
        if who is None or not members.on(guild_id, who["id"]):
            raise discord_limits.unknown("Member", 10007)
        return wire.json_answer(members.shape(who, guild_id))

    async def active_threads(self, request: web.Request) -> web.Response:
        guild_id = self._guild(request)["id"]
        threads = [one for one in self._world.threads() if one["guild_id"] == guild_id and self._world.sees(one)]
        return wire.json_answer({"threads": threads, "members": [one["member"] for one in threads], "has_more": False})

    def _scope(self, request: web.Request) -> str:
        if request.match_info["app"] != self._world.bot["id"]:
            raise ApiError(403, 20012, "You are not authorized to perform this action on this application")
        scope = request.match_info.get("scope", GLOBAL)
        if scope != GLOBAL and scope not in self._world.guilds:
            raise discord_limits.missing_access()
        return scope

    async def list_commands(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._commands.listed(self._scope(request)))

    async def replace_commands(self, request: web.Request) -> web.Response:
        scope = self._scope(request)
        try:
            payloads = msgspec.json.decode(await request.read(), type=list[dict[str, Any]])
        except msgspec.ValidationError:
            raise discord_limits.invalid((), "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType") from None
        return wire.json_answer(self._commands.replace(scope, payloads))

    async def put_command(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._commands.put(self._scope(request), wire.parsed(await request.read())), 201)

    async def one_command(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._commands.by_id(self._scope(request), request.match_info["command"]))

    async def change_command(self, request: web.Request) -> web.Response:
        scope = self._scope(request)
        old = self._commands.by_id(scope, request.match_info["command"])
        return wire.json_answer(self._commands.put(scope, old | wire.parsed(await request.read())))

    async def remove_command(self, request: web.Request) -> web.Response:
        self._commands.remove(self._scope(request), request.match_info["command"])
        return web.Response(status=204)
