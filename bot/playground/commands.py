"""The slash commands that the bot registered, globally or in one server."""

import math
import re
from collections.abc import Callable
from typing import Any

from discord import Permissions

from bot.playground import components, discord_limits
from bot.playground.discord_limits import Fact, FormErrors, Path, RefusedError
from bot.playground.payloads import Json
from bot.playground.world import World
from data.words import Words

SUB_COMMAND, SUB_GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, FILE = range(1, 12)

COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")
GLOBAL = "everywhere"
MAX_CHOICES = 25


class CommandRegistry:
    """Registered commands by scope: the id of a server, or `GLOBAL`."""

    def __init__(self, world: World, registered: list[Json]) -> None:
        self._world = world
        self._scopes: dict[str, dict[str, Json]] = {}
        self.installs = [0]  # the default `integration_types` of the portal: 0 for servers, 1 for users
        for stored in registered:
            self._scopes[stored["scope"]] = {one["name"]: one for one in stored["commands"]}

    def list_registered(self, scope: str) -> list[Json]:
        return list(self._scopes.get(scope, {}).values())

    def list_usable(self, guild_id: str | None, user_id: str = "") -> list[Json]:
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

    def find_usable(self, guild_id: str | None, name: str, user_id: str = "") -> Json | None:
        return next((one for one in self.list_usable(guild_id, user_id) if one["name"] == name), None)

    def replace(self, scope: str, payloads: list[Json]) -> list[Json]:
        """Register exactly these commands in a scope. A command keeps its id as long as it keeps its name."""
        errors = FormErrors()
        names = [payload.get("name") for payload in payloads]
        for index, payload in enumerate(payloads):
            _check_option(payload, (index,), errors, depth=0)
            if payload.get("name") in names[:index]:
                text = "Application command names must be unique"
                errors.add((index,), "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        errors.check_count((), list(payloads), 100)
        errors.raise_if_any()
        old = self._scopes.get(scope, {})
        self._scopes[scope] = {
            payload["name"]: self._build_command(scope, payload, old.get(payload["name"])) for payload in payloads
        }
        self._save_scope(scope)
        return self.list_registered(scope)

    def put(self, scope: str, payload: Json) -> Json:
        errors = FormErrors()
        _check_option(payload, (), errors, depth=0)
        errors.raise_if_any()
        commands = self._scopes.setdefault(scope, {})
        command = commands[payload["name"]] = self._build_command(scope, payload, commands.get(payload["name"]))
        self._save_scope(scope)
        return command

    def get_by_id(self, scope: str, command_id: str) -> Json:
        """The command of a scope with this id. Raises ApiError 10063."""
        for one in self.list_registered(scope):
            if one["id"] == command_id:
                return one
        raise discord_limits.build_unknown_error("application command", 10063)

    def remove(self, scope: str, command_id: str) -> None:
        del self._scopes[scope][self.get_by_id(scope, command_id)["name"]]
        self._save_scope(scope)

    def _save_scope(self, scope: str) -> None:
        self._world.storage.put("commands", scope, {"scope": scope, "commands": self.list_registered(scope)})
        self._world.events.publish(
            "commands_update", {"commands": self.list_usable(next(iter(self._world.guilds)))}, secret=True
        )

    def _build_command(self, scope: str, payload: Json, old: Json | None) -> Json:
        command: Json = {
            "id": old["id"] if old else self._world.ids.generate(),
            "application_id": self._world.bot["id"],
            "version": self._world.ids.generate(),
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


def _check_option(option: Json, path: Path, errors: FormErrors, *, depth: int) -> None:
    """Check a command (depth 0) or one of its options as strictly as Discord."""
    name = option.get("name")
    menu = depth == 0 and option.get("type", 1) != 1
    if (
        not isinstance(name, str)
        or not (1 <= len(name) <= 32 if menu else COMMAND_NAME.fullmatch(name))
        or (not menu and name != name.lower())
    ):
        errors.add((*path, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not menu:
        errors.check_length((*path, "description"), option.get("description"), 1, 100)
    options = option.get("options") or []
    errors.check_count((*path, "options"), options, 25)
    optional_seen = False
    for index, one in enumerate(options):
        option_path = (*path, "options", index)
        if one.get("name") in [other.get("name") for other in options[:index]]:
            errors.add(option_path, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
        if one.get("required") and optional_seen:
            text = "Required options must be placed before non-required options"
            errors.add(option_path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
        optional_seen = optional_seen or not one.get("required")
        if one.get("type") in (SUB_COMMAND, SUB_GROUP) and depth > (1 if one["type"] == SUB_COMMAND else 0):
            errors.add((*option_path, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Nested too deep")
        _check_option(one, option_path, errors, depth=depth + 1)
    choices = option.get("choices") or []
    check_choices(choices, path, errors)
    if choices and option.get("autocomplete"):
        errors.add(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_MUTUALLY_EXCLUSIVE", "Choices and autocomplete")


def check_choices(choices: list[Json], path: Path, errors: FormErrors) -> None:
    """Check the choices of an option or of an autocomplete answer."""
    errors.check_count((*path, "choices"), choices, MAX_CHOICES)
    for index, choice in enumerate(choices):
        errors.check_length((*path, "choices", index, "name"), choice.get("name"), 1, 100)
        if isinstance(choice.get("value"), str):
            errors.check_length((*path, "choices", index, "value"), choice["value"], 1, 100)


def build_command_data(
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
            value = _parse_value(world, option, given[name], guild_id, resolved)
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


def require_permission(command: Json, member: Permissions) -> None:
    """Refuse a member who lacks the permissions that the command requires."""
    required = command["default_member_permissions"]
    if required is not None and not (member.administrator or member.is_superset(Permissions(int(required)))):
        raise RefusedError("permission")


def _parse_value(world: World, option: Json, value: Any, guild_id: str | None, resolved: Json) -> Any:
    """The value of an option in its type. Users and channels are added to `resolved`."""
    name, kind = option["name"], option["type"]
    if kind == STRING:
        value = str(value)
        if not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
            limits = _build_range_formatter(option.get("min_length"), option.get("max_length"))
            raise RefusedError("characters", name=name, limits=limits)
    elif kind in (INTEGER, NUMBER):
        value = _parse_number(name, kind, value)
        if not option.get("min_value", value) <= value <= option.get("max_value", value):
            limits = _build_range_formatter(option.get("min_value"), option.get("max_value"))
            raise RefusedError("limits", name=name, limits=limits)
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


def _parse_number(name: str, kind: int, value: Any) -> int | float:
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


def _build_range_formatter(least: float | None, most: float | None) -> Callable[[Words], str]:
    """Return a function that formats a range: `2 to 6`, `2 or more`, `at most 6`, `2`."""
    if least is not None and least == most:
        return lambda _: str(least)
    key = "page.range_most" if least is None else "page.range_least" if most is None else "page.range"
    return lambda said: said(key, least=least, most=most)


def resolve_user(world: World, user_id: str, resolved: Json, name: Fact, guild_id: str | None) -> None:
    """Add a chosen user to `resolved`. Raises RefusedError for an unknown user."""
    who = world.find_user(user_id)
    if who is None:
        raise RefusedError("person", name=name)
    resolved.setdefault("users", {})[user_id] = who
    if guild_id is not None and world.members.is_member(guild_id, user_id):
        shape = world.members.build_member(who, guild_id)
        member = {key: value for key, value in shape.items() if key not in ("user", "deaf", "mute")}
        resolved.setdefault("members", {})[user_id] = member | {"permissions": "0"}


def _format_your_choice(reader_words: Words) -> str:
    return reader_words("page.refused_your_choice")


def build_component_data(
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
        raise RefusedError("pick", limits=_build_range_formatter(least, most))
    if kind == components.STRING_SELECT:
        offered = {option["value"] for option in component["options"]}
        if not offered.issuperset(values):
            raise RefusedError("pick_gone")
    elif kind == components.USER_SELECT:
        data["resolved"] = {}
        for value in values:
            resolve_user(world, value, data["resolved"], _format_your_choice, guild_id)
    else:
        raise RefusedError("menu")
    return data | {"values": values}


def build_form_data(form: Json, fields: Json) -> Json:
    """The `data` of an interaction that submits a form."""
    rows: list[Json] = []
    for row in form["components"]:
        component = row.get("component") or (row.get("components") or [None])[0]
        if component is None or "custom_id" not in component:
            continue
        filled = {key: component[key] for key in ("type", "custom_id", "id") if key in component}
        value = fields.get(component["custom_id"])
        if component["type"] == components.TEXT_INPUT:
            filled["value"] = _parse_text(component, row, "" if value is None else str(value))
        else:
            filled["values"] = value if isinstance(value, list) else [] if value in (None, "") else [value]
        outer = {key: row[key] for key in ("type", "id") if key in row}
        rows.append(outer | ({"component": filled} if "component" in row else {"components": [filled]}))
    return {"custom_id": form["custom_id"], "components": rows}


def _parse_text(component: Json, row: Json, value: str) -> str:
    label = component.get("label") or row.get("label") or component["custom_id"]
    if component.get("required", True) and not value:
        raise RefusedError("needed", name=label)
    if value and not component.get("min_length", 0) <= len(value) <= component.get("max_length", 4000):
        limits = _build_range_formatter(component.get("min_length"), component.get("max_length"))
        raise RefusedError("characters", name=label, limits=limits)
    return value
