"""The slash commands that the bot registered, globally or in one server."""

import math
import re
from collections.abc import Callable
from typing import Any

from discord import Permissions

from bot.playground import components, discord_limits
from bot.playground.discord_limits import Complaints, Fact, Path, RefusedError
from bot.playground.payloads import Json
from bot.playground.world import World
from data.words import Words

SUB_COMMAND, SUB_GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, FILE = range(1, 12)

NAME = re.compile(r"[-_'\w]{1,32}")
GLOBAL = "everywhere"
MOST_CHOICES = 25


class Commands:
    """Registered commands by scope: the id of a server, or `GLOBAL`."""

    def __init__(self, world: World, registered: list[Json]) -> None:
        self._world = world
        self._scopes: dict[str, dict[str, Json]] = {}
        self.installs = [0]  # the default `integration_types` of the portal: 0 for servers, 1 for users
        for stored in registered:
            self._scopes[stored["scope"]] = {one["name"]: one for one in stored["commands"]}

    def listed(self, scope: str) -> list[Json]:
        return list(self._scopes.get(scope, {}).values())

    def usable(self, guild_id: str | None, user_id: str = "") -> list[Json]:
        """The commands that a user can choose in a server, or (None) in a direct message."""
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
        """The usable command with this name."""
        return next((one for one in self.usable(guild_id, user_id) if one["name"] == name), None)

    def replace(self, scope: str, payloads: list[Json]) -> list[Json]:
        """Register exactly these commands in a scope. A command keeps its id as long as it keeps its name."""
        complaints = Complaints()
        names = [payload.get("name") for payload in payloads]
        for index, payload in enumerate(payloads):
            _check(payload, (index,), complaints, depth=0)
            if payload.get("name") in names[:index]:
                text = "Application command names must be unique"
                complaints.add((index,), "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        complaints.count((), list(payloads), 100)
        complaints.refuse()
        old = self._scopes.get(scope, {})
        self._scopes[scope] = {
            payload["name"]: self._registered(scope, payload, old.get(payload["name"])) for payload in payloads
        }
        self._changed(scope)
        return self.listed(scope)

    def put(self, scope: str, payload: Json) -> Json:
        complaints = Complaints()
        _check(payload, (), complaints, depth=0)
        complaints.refuse()
        commands = self._scopes.setdefault(scope, {})
        command = commands[payload["name"]] = self._registered(scope, payload, commands.get(payload["name"]))
        self._changed(scope)
        return command

    def by_id(self, scope: str, command_id: str) -> Json:
        """The command of a scope with this id. Raises ApiError 10063."""
        for one in self.listed(scope):
            if one["id"] == command_id:
                return one
        raise discord_limits.unknown("application command", 10063)

    def remove(self, scope: str, command_id: str) -> None:
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
            "type": 1, "description": "", "dm_permission": True, "nsfw": False,
        }  # fmt: skip
        given = ("type", "name", "description", "dm_permission", "nsfw")
        command |= {key: payload[key] for key in given if key in payload}
        optional = ("name_localizations", "description_localizations", "default_member_permissions")
        command |= {key: payload.get(key) for key in optional}
        command |= {
            "contexts": payload.get("contexts") or (None if command["dm_permission"] else [0]),
            "integration_types": payload.get("integration_types") or self.installs,
            "options": payload.get("options") or [],
        }
        return command if scope == GLOBAL else command | {"guild_id": scope}


def _check(option: Json, path: Path, complaints: Complaints, *, depth: int) -> None:
    """Check a command (depth 0) or one of its options as strictly as Discord."""
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
            text = "Required options must be placed before non-required options"
            complaints.add(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
        optional_seen = optional_seen or not one.get("required")
        if one.get("type") in (SUB_COMMAND, SUB_GROUP) and depth > (1 if one["type"] == SUB_COMMAND else 0):
            complaints.add((*here, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Nested too deep")
        _check(one, here, complaints, depth=depth + 1)
    choices = option.get("choices") or []
    check_choices(choices, path, complaints)
    if choices and option.get("autocomplete"):
        complaints.add(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_MUTUALLY_EXCLUSIVE", "Choices and autocomplete")


def check_choices(choices: list[Json], path: Path, complaints: Complaints) -> None:
    """Check the choices of an option or of an autocomplete answer."""
    complaints.count((*path, "choices"), choices, MOST_CHOICES)
    for index, choice in enumerate(choices):
        complaints.length((*path, "choices", index, "name"), choice.get("name"), 1, 100)
        if isinstance(choice.get("value"), str):
            complaints.length((*path, "choices", index, "value"), choice["value"], 1, 100)


def command_data(
    world: World, command: Json, path: list[str], given: Json, guild_id: str | None, focused: str | None
) -> Json:
    """The `data` of an interaction that uses a command, or (with unchecked values) of the autocomplete of `focused`."""
    options, wrappers = command["options"], []
    for step in path:
        branch = next((o for o in options if o["name"] == step and o["type"] in (SUB_COMMAND, SUB_GROUP)), None)
        if branch is None:
            raise RefusedError("part", name=command["name"], part=str(step))
        wrappers.append({"type": branch["type"], "name": step})
        options = branch.get("options") or []
    if any(option["type"] in (SUB_COMMAND, SUB_GROUP) for option in options):
        raise RefusedError("parts", name=" ".join([command["name"], *path]))
    known = {option["name"]: option for option in options}
    for name in given:
        if name not in known:
            raise RefusedError("option", name=name)
    filled: list[Json] = []
    resolved: Json = {}
    for name, option in known.items():
        if focused is not None:
            if name in given or name == focused:
                value = given.get(name, "")
                filled.append({"type": option["type"], "name": name, "value": value})
                if name == focused:
                    filled[-1]["focused"] = True
        elif given.get(name) is not None and given[name] != "":
            value = _value(world, option, given[name], guild_id, resolved)
            filled.append({"type": option["type"], "name": name, "value": value})
        elif option.get("required"):
            raise RefusedError("needed", name=name)
    if focused is not None and not known.get(focused, {}).get("autocomplete"):
        raise RefusedError("suggestions", name=focused)
    for wrapper in reversed(wrappers):
        filled = [wrapper | {"options": filled}]
    data: Json = {"id": command["id"], "name": command["name"], "type": command["type"], "options": filled}
    if guild_id is not None and "guild_id" in command:
        data["guild_id"] = guild_id
    if resolved:
        data["resolved"] = resolved
    return data


def may_use(command: Json, member: Permissions) -> None:
    """Refuse a member who lacks the permissions that the command requires."""
    wanted = command["default_member_permissions"]
    if wanted is not None and not (member.administrator or member.is_superset(Permissions(int(wanted)))):
        raise RefusedError("permission")


def _value(world: World, option: Json, value: Any, guild_id: str | None, resolved: Json) -> Any:
    """The value of an option in its type. Users and channels are added to `resolved`."""
    name, kind = option["name"], option["type"]
    if kind == STRING:
        value = str(value)
        if not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
            limits = _range(option.get("min_length"), option.get("max_length"))
            raise RefusedError("characters", name=name, limits=limits)
    elif kind in (INTEGER, NUMBER):
        value = _number(name, kind, value)
        if not option.get("min_value", value) <= value <= option.get("max_value", value):
            raise RefusedError("limits", name=name, limits=_range(option.get("min_value"), option.get("max_value")))
    elif kind == BOOLEAN:
        if str(value).lower() not in ("true", "false"):
            raise RefusedError("boolean", name=name)
        value = str(value).lower() == "true"
    elif kind in (USER, MENTIONABLE):
        value = str(value)
        resolve_user(world, value, resolved, name, guild_id)
    elif kind == CHANNEL:
        value = str(value)
        channel = world.channels.get(value)
        if channel is None or channel.get("guild_id") != guild_id:
            raise RefusedError("channel", name=name)
        resolved.setdefault("channels", {})[value] = channel | {"permissions": "0"}
    else:
        raise RefusedError("kind", name=name)
    choices = option.get("choices")
    if choices and value not in [choice["value"] for choice in choices]:
        raise RefusedError("choices", name=name, choices=", ".join(choice["name"] for choice in choices))
    return value


def _number(name: str, kind: int, value: Any) -> int | float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RefusedError("number", name=name) from None
    if not math.isfinite(number):
        raise RefusedError("number", name=name)
    if kind == NUMBER:
        return number
    if number != int(number):
        raise RefusedError("whole", name=name)
    return int(number)


def _range(least: float | None, most: float | None) -> Callable[[Words], str]:
    """Return a function that formats a range: `2 to 6`, `2 or more`, `at most 6`, `2`."""
    if least is not None and least == most:
        return lambda _: str(least)
    key = "page.range_most" if least is None else "page.range_least" if most is None else "page.range"
    return lambda said: said(key, least=least, most=most)


def resolve_user(world: World, user_id: str, resolved: Json, name: Fact, guild_id: str | None) -> None:
    """Add a chosen user to `resolved`. Raises RefusedError for an unknown user."""
    who = world.user(user_id)
    if who is None:
        raise RefusedError("person", name=name)
    resolved.setdefault("users", {})[user_id] = who
    if guild_id is not None and world.members.on(guild_id, user_id):
        shape = world.members.shape(who, guild_id)
        member = {key: value for key, value in shape.items() if key not in ("user", "deaf", "mute")}
        resolved.setdefault("members", {})[user_id] = member | {"permissions": "0"}


def _your_choice(said: Words) -> str:
    return said("page.refused_your_choice")


def component_data(
    world: World, tree: list[Json], custom_id: str, kind: int, values: list[str], guild_id: str | None
) -> Json:
    """The `data` of an interaction that presses a button or chooses from a menu."""
    component = components.find(tree, custom_id)
    if component is None or component["type"] != kind:
        raise RefusedError("gone")
    if component.get("disabled"):
        raise RefusedError("off")
    data: Json = {"component_type": kind, "custom_id": custom_id, "id": component["id"]}
    if kind == components.BUTTON:
        return data
    least, most = component.get("min_values", 1), component.get("max_values", 1)
    if not least <= len(values) <= most or len(set(values)) < len(values):
        raise RefusedError("pick", limits=_range(least, most))
    if kind == components.STRING_SELECT:
        offered = {option["value"] for option in component["options"]}
        if not offered.issuperset(values):
            raise RefusedError("pick_gone")
    elif kind == components.USER_SELECT:
        data["resolved"] = {}
        for value in values:
            resolve_user(world, value, data["resolved"], _your_choice, guild_id)
    else:
        raise RefusedError("menu")
    return data | {"values": values}


def form_data(form: Json, fields: Json) -> Json:
    """The `data` of an interaction that submits a form."""
    rows: list[Json] = []
    for row in form["components"]:
        held = row.get("component") or (row.get("components") or [None])[0]
        if held is None or "custom_id" not in held:
            continue
        filled = {key: held[key] for key in ("type", "custom_id", "id") if key in held}
        value = fields.get(held["custom_id"])
        if held["type"] == components.TEXT_INPUT:
            filled["value"] = _text(held, row, "" if value is None else str(value))
        else:
            filled["values"] = value if isinstance(value, list) else [] if value in (None, "") else [value]
        outer = {key: row[key] for key in ("type", "id") if key in row}
        rows.append(outer | ({"component": filled} if "component" in row else {"components": [filled]}))
    return {"custom_id": form["custom_id"], "components": rows}


def _text(held: Json, row: Json, value: str) -> str:
    label = held.get("label") or row.get("label") or held["custom_id"]
    if held.get("required", True) and not value:
        raise RefusedError("needed", name=label)
    if value and not held.get("min_length", 0) <= len(value) <= held.get("max_length", 4000):
        raise RefusedError("characters", name=label, limits=_range(held.get("min_length"), held.get("max_length")))
    return value
