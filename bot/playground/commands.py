"""The slash commands the bot registered, everywhere or in one server."""

from __future__ import annotations

import re

from bot.playground import refusals
from bot.playground.refusals import Complaints, Path
from bot.playground.shapes import Json
from bot.playground.world import World

SUB_COMMAND, SUB_GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, FILE = range(1, 12)
"""Option types."""

NAME = re.compile(r"[-_'\w]{1,32}")
GLOBAL = "everywhere"


class Commands:
    """Registered commands by scope: a server's id, or `EVERYWHERE`."""

    def __init__(self, world: World, registered: list[Json]) -> None:
        self._world = world
        self._scopes: dict[str, dict[str, Json]] = {}
        self.installs = [0]
        """What the portal says about commands that do not say it: 0 is for servers, 1 for people wherever they are."""
        for stored in registered:
            self._scopes[stored["scope"]] = {one["name"]: one for one in stored["commands"]}

    def listed(self, scope: str) -> list[Json]:
        """The commands of one scope."""
        return list(self._scopes.get(scope, {}).values())

    def usable(self, guild_id: str | None, user_id: str = "") -> list[Json]:
        """What a person can choose from in a server, or (None) in a direct message."""
        members = self._world.members
        kinds = {0} if guild_id not in members.without_bot else set()
        kinds |= {1} if user_id in members.installed else set()
        context = 1 if guild_id is None else 0
        found = self._scopes.get(GLOBAL, {}) | self._scopes.get(guild_id or "", {})
        return [
            one
            for one in found.values()
            if kinds & set(one["integration_types"]) and (one["contexts"] is None or context in one["contexts"])
        ]

    def named(self, guild_id: str | None, name: str, user_id: str = "") -> Json | None:
        """A usable command by its name."""
        return next((one for one in self.usable(guild_id, user_id) if one["name"] == name), None)

    def replace(self, scope: str, payloads: list[Json]) -> list[Json]:
        """Register exactly these commands in a scope. Commands keep their id as long as they keep their name."""
        complaints = Complaints()
        names = [payload.get("name") for payload in payloads]
        for index, payload in enumerate(payloads):
            _check(payload, (index,), complaints, depth=0)
            if payload.get("name") in names[:index]:
                complaints.add(
                    (index,), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique"
                )
        complaints.count((), list(payloads), 100)
        complaints.refuse()
        old = self._scopes.get(scope, {})
        self._scopes[scope] = {
            payload["name"]: self._registered(scope, payload, old.get(payload["name"])) for payload in payloads
        }
        self._changed(scope)
        return self.listed(scope)

    def put(self, scope: str, payload: Json) -> Json:
        """Register or change one command."""
        complaints = Complaints()
        _check(payload, (), complaints, depth=0)
        complaints.refuse()
        commands = self._scopes.setdefault(scope, {})
        command = commands[payload["name"]] = self._registered(scope, payload, commands.get(payload["name"]))
        self._changed(scope)
        return command

    def by_id(self, scope: str, command_id: str) -> Json:
        """A command of a scope, or refuse with 10063."""
        for one in self.listed(scope):
            if one["id"] == command_id:
                return one
        raise refusals.unknown("application command", 10063)

    def remove(self, scope: str, command_id: str) -> None:
        """Take one command away."""
        del self._scopes[scope][self.by_id(scope, command_id)["name"]]
        self._changed(scope)

    def _changed(self, scope: str) -> None:
        self._world.shelf.put("commands", scope, {"scope": scope, "commands": self.listed(scope)})
        self._world.news.tell("commands_update", {"commands": self.usable(next(iter(self._world.guilds)))}, secret=True)

    def _registered(self, scope: str, payload: Json, old: Json | None) -> Json:
        command: Json = {
            "id": old["id"] if old else self._world.ids.next(),
            "application_id": self._world.bot["id"],
            "version": self._world.ids.next(),
            "type": payload.get("type", 1),
            "name": payload["name"],
            "name_localizations": payload.get("name_localizations"),
            "description": payload.get("description", ""),
            "description_localizations": payload.get("description_localizations"),
            "default_member_permissions": payload.get("default_member_permissions"),
            "dm_permission": payload.get("dm_permission", True),
            "contexts": payload.get("contexts") or (None if payload.get("dm_permission", True) else [0]),
            "integration_types": payload.get("integration_types") or self.installs,
            "nsfw": payload.get("nsfw", False),
            "options": payload.get("options") or [],
        }
        if scope != GLOBAL:
            command["guild_id"] = scope
        return command


def _check(option: Json, path: Path, complaints: Complaints, *, depth: int) -> None:
    """A command (depth 0) or one of its options, as strictly as Discord."""
    name = option.get("name")
    menu = depth == 0 and option.get("type", 1) != 1
    if (
        not isinstance(name, str)
        or not (1 <= len(name) <= 32 if menu else NAME.fullmatch(name))
        or (not menu and name != name.lower())
    ):
        complaints.add((*path, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not menu:
        complaints.length((*path, "description"), option.get("description"), 1, 100)
    options = option.get("options") or []
    complaints.count((*path, "options"), options, 25)
    optional_seen = False
    for index, one in enumerate(options):
        here = (*path, "options", index)
        if one.get("name") in [other.get("name") for other in options[:index]]:
            complaints.add(here, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
        if one.get("required") and optional_seen:
            complaints.add(
                here,
                "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                "Required options must be placed before non-required options",
            )
        optional_seen = optional_seen or not one.get("required")
        if one.get("type") in (SUB_COMMAND, SUB_GROUP) and depth > (1 if one["type"] == SUB_COMMAND else 0):
            complaints.add((*here, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Nested too deep")
        _check(one, here, complaints, depth=depth + 1)
    _check_choices(option, path, complaints)


def _check_choices(option: Json, path: Path, complaints: Complaints) -> None:
    choices = option.get("choices") or []
    complaints.count((*path, "choices"), choices, 25)
    if choices and option.get("autocomplete"):
        complaints.add(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_MUTUALLY_EXCLUSIVE", "Choices and autocomplete")
    for index, choice in enumerate(choices):
        complaints.length((*path, "choices", index, "name"), choice.get("name"), 1, 100)
        if isinstance(choice.get("value"), str):
            complaints.length((*path, "choices", index, "value"), choice["value"], 1, 100)
