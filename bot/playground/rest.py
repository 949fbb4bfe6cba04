"""Discord's REST routes for the bot: users, servers, members and commands."""

import math
from dataclasses import dataclass
from typing import Any

import msgspec
from aiohttp import web

from bot.playground import discord_limits
from bot.playground import members as permissions
from bot.playground.commands import GLOBAL, CommandRegistry
from bot.playground.discord_limits import ApiError, Throttle
from bot.playground.payloads import TEXT, Json, is_open_thread
from bot.playground.wire import build_json_response, parse_object
from bot.playground.world import World

API = "/api/v10"
GUILDS_PER_SHARD = 1000  # servers for which Discord recommends one shard


@dataclass(eq=False)
class RestRoutes:
    """Handlers for users, servers and commands."""

    _world: World
    _commands: CommandRegistry
    _throttle: Throttle

    def list_routes(self) -> list[web.RouteDef]:
        app_commands = API + "/applications/{app}/commands"
        guild_commands = API + "/applications/{app}/guilds/{scope}/commands"
        routes = [
            web.get(API + "/users/@me", self.serve_current_user),
            web.get(API + "/users/@me/guilds", self.serve_current_guilds),
            web.post(API + "/users/@me/channels", self.open_direct_channel),
            web.get(API + "/users/{user}", self.serve_user),
            web.get(API + "/oauth2/applications/@me", self.serve_application),
            web.get(API + "/applications/@me", self.serve_application),
            web.get(API + "/gateway", self.serve_gateway),
            web.get(API + "/gateway/bot", self.serve_gateway),
            web.get(API + "/guilds/{guild}", self.serve_guild),
            web.get(API + "/guilds/{guild}/channels", self.serve_channels),
            web.get(API + "/guilds/{guild}/roles", self.serve_roles),
            web.get(API + "/guilds/{guild}/members", self.serve_members),
            web.get(API + "/guilds/{guild}/members/{user}", self.serve_member),
            web.get(API + "/guilds/{guild}/threads/active", self.serve_active_threads),
        ]
        for path in (app_commands, guild_commands):
            routes += [
                web.get(path, self.serve_commands),
                web.put(path, self.replace_commands),
                web.post(path, self.put_command),
                web.get(path + "/{command}", self.serve_command),
                web.patch(path + "/{command}", self.change_command),
                web.delete(path + "/{command}", self.remove_command),
            ]
        return routes

    async def serve_current_user(self, request: web.Request) -> web.Response:
        return build_json_response(self._world.bot | {"verified": True, "mfa_enabled": True, "email": None, "flags": 0})

    async def serve_current_guilds(self, request: web.Request) -> web.Response:
        value = str(permissions.EVERYONE.value)
        joined = self._world.list_joined_guilds()
        return build_json_response([guild | {"owner": False, "permissions": value} for guild in joined])

    async def serve_user(self, request: web.Request) -> web.Response:
        return build_json_response(self._require_user(request.match_info["user"]))

    async def serve_application(self, request: web.Request) -> web.Response:
        bot, owner = self._world.bot, next(iter(self._world.users.values()))
        payload: Json = {
            "id": bot["id"], "name": bot["username"], "icon": None, "description": "", "summary": "",
            "rpc_origins": [], "bot_public": False, "bot_require_code_grant": False, "verify_key": "0" * 64,
            "owner": owner, "team": None, "flags": 0, "bot": bot,
            "approximate_guild_count": len(self._world.list_joined_guilds()),
            "integration_types_config": {"0": {}},
        }  # fmt: skip
        return build_json_response(payload)

    async def serve_gateway(self, request: web.Request) -> web.Response:
        url = self._world.url.replace("http", "ws", 1) + "/gateway"
        shards = max(math.ceil(len(self._world.list_joined_guilds()) / GUILDS_PER_SHARD), 1)
        limit = self._throttle.build_start_limit()
        return build_json_response({"url": url, "shards": shards, "session_start_limit": limit})

    async def open_direct_channel(self, request: web.Request) -> web.Response:
        payload = parse_object(await request.read())
        person = self._require_user(str(payload.get("recipient_id")))
        if person is self._world.bot:
            raise ApiError(400, 50007, "Cannot send messages to this user")
        if person["id"] not in self._world.direct_channels:
            self._throttle.count_direct_channel()
        return build_json_response(self._world.open_direct_channel(person))

    def _require_user(self, user_id: str) -> Json:
        who = self._world.find_user(user_id)
        if who is None:
            raise discord_limits.build_unknown_error("User", 10013)
        return who

    def _require_guild(self, request: web.Request) -> Json:
        guild_id = request.match_info["guild"]
        if guild_id not in self._world.guilds:
            raise discord_limits.build_unknown_error("Guild", 10004)
        self._world.members.require_bot({"guild_id": guild_id})
        return self._world.guilds[guild_id]

    async def serve_guild(self, request: web.Request) -> web.Response:
        guild = self._require_guild(request)
        count = self._world.members.count(guild["id"], len(self._world.users))
        return build_json_response(guild | {"approximate_member_count": count})

    async def serve_channels(self, request: web.Request) -> web.Response:
        guild_id = self._require_guild(request)["id"]
        found = [one for one in self._world.channels.values() if one.get("guild_id") == guild_id]
        return build_json_response([one for one in found if one["type"] == TEXT])

    async def serve_roles(self, request: web.Request) -> web.Response:
        return build_json_response(self._require_guild(request)["roles"])

    async def serve_members(self, request: web.Request) -> web.Response:
        guild_id, world = self._require_guild(request)["id"], self._world
        users = sorted([world.bot, *world.list_members(guild_id)], key=lambda who: int(who["id"]))
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 1))
        found = [world.members.build_member(who, guild_id) for who in users if int(who["id"]) > after]
        return build_json_response(found[:limit])

    async def serve_member(self, request: web.Request) -> web.Response:
        guild_id, members = self._require_guild(request)["id"], self._world.members
        user_id = request.match_info["user"]
        who = self._world.find_user(self._world.bot["id"] if user_id == "@me" else user_id)
        if who is None or not members.is_member(guild_id, who["id"]):
            raise discord_limits.build_unknown_error("Member", 10007)
        return build_json_response(members.build_member(who, guild_id))

    async def serve_active_threads(self, request: web.Request) -> web.Response:
        guild_id, channels = self._require_guild(request)["id"], self._world.channels.values()
        found = [one for one in channels if is_open_thread(one) and one["guild_id"] == guild_id]
        threads = [one for one in found if self._world.can_see(one)]
        members = [one["member"] for one in threads]
        return build_json_response({"threads": threads, "members": members, "has_more": False})

    def _parse_scope(self, request: web.Request) -> str:
        if request.match_info["app"] != self._world.bot["id"]:
            raise ApiError(403, 20012, "You are not authorized to perform this action on this application")
        scope = request.match_info.get("scope", GLOBAL)
        if scope != GLOBAL and scope not in self._world.guilds:
            raise discord_limits.build_missing_access()
        return scope

    async def serve_commands(self, request: web.Request) -> web.Response:
        return build_json_response(self._commands.list_registered(self._parse_scope(request)))

    async def replace_commands(self, request: web.Request) -> web.Response:
        scope = self._parse_scope(request)
        try:
            payloads = msgspec.json.decode(await request.read(), type=list[dict[str, Any]])
        except msgspec.ValidationError:
            raise discord_limits.build_form_error(
                (), "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType"
            ) from None
        return build_json_response(self._commands.replace(scope, payloads))

    async def put_command(self, request: web.Request) -> web.Response:
        return build_json_response(
            self._commands.put(self._parse_scope(request), parse_object(await request.read())), 201
        )

    async def serve_command(self, request: web.Request) -> web.Response:
        return build_json_response(self._commands.get_by_id(self._parse_scope(request), request.match_info["command"]))

    async def change_command(self, request: web.Request) -> web.Response:
        scope = self._parse_scope(request)
        old = self._commands.get_by_id(scope, request.match_info["command"])
        return build_json_response(self._commands.put(scope, old | parse_object(await request.read())))

    async def remove_command(self, request: web.Request) -> web.Response:
        self._commands.remove(self._parse_scope(request), request.match_info["command"])
        return web.Response(status=204)
