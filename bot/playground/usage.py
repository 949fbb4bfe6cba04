"""What a person typed or pressed, checked as Discord's own client would before the bot hears of it."""

from __future__ import annotations

import math
from typing import Any

from discord import Permissions

from bot.playground import components as trees
from bot.playground.commands import BOOLEAN, CHANNEL, INTEGER, MENTIONABLE, NUMBER, STRING, SUB_COMMAND, SUB_GROUP, USER
from bot.playground.refusals import PageError
from bot.playground.shapes import Json
from bot.playground.world import World


def command_data(
    world: World, command: Json, path: list[str], given: Json, guild_id: str | None, focused: str | None
) -> Json:
    """The `data` of an interaction that uses a command, or of the autocomplete of its option `focused`.

    Values are checked only when the command is really used: while somebody types, half of it is missing.
    """
    options, wrappers = command["options"], []
    for step in path:
        branch = next((o for o in options if o["name"] == step and o["type"] in (SUB_COMMAND, SUB_GROUP)), None)
        if branch is None:
            raise PageError(f"/{command['name']} has no part called {step}.")
        wrappers.append({"type": branch["type"], "name": step})
        options = branch.get("options") or []
    if any(option["type"] in (SUB_COMMAND, SUB_GROUP) for option in options):
        raise PageError(f"/{' '.join([command['name'], *path])} needs one of its parts.")
    known = {option["name"]: option for option in options}
    for name in given:
        if name not in known:
            raise PageError(f"There is no option called {name}.")
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
            raise PageError(f"{name} is needed.")
    if focused is not None and not known.get(focused, {}).get("autocomplete"):
        raise PageError(f"{focused} offers no suggestions.")
    for wrapper in reversed(wrappers):
        filled = [wrapper | {"options": filled}]
    data: Json = {"id": command["id"], "name": command["name"], "type": command["type"], "options": filled}
    if guild_id is not None and "guild_id" in command:
        data["guild_id"] = guild_id
    if resolved:
        data["resolved"] = resolved
    return data


def may_use(command: Json, member: Permissions) -> None:
    """Refuse when the command is only for members with more permissions."""
    wanted = command["default_member_permissions"]
    if wanted is not None and not (member.administrator or member.is_superset(Permissions(int(wanted)))):
        raise PageError("You do not have permission to use this command.")


def _value(world: World, option: Json, value: Any, guild_id: str | None, resolved: Json) -> Any:
    """One option's value in its type; users and channels are noted in `resolved`."""
    name, kind = option["name"], option["type"]
    if kind == STRING:
        value = str(value)
        if not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
            raise PageError(f"{name} must have {_range(option, 'min_length', 'max_length')} characters.")
    elif kind in (INTEGER, NUMBER):
        value = _number(name, kind, value)
        if not option.get("min_value", value) <= value <= option.get("max_value", value):
            raise PageError(f"{name} must be {_range(option, 'min_value', 'max_value')}.")
    elif kind == BOOLEAN:
        if str(value).lower() not in ("true", "false"):
            raise PageError(f"{name} must be true or false.")
        value = str(value).lower() == "true"
    elif kind in (USER, MENTIONABLE):
        value = str(value)
        resolve_user(world, value, resolved, name, guild_id)
    elif kind == CHANNEL:
        value = str(value)
        channel = world.channels.get(value)
        if channel is None or channel.get("guild_id") != guild_id:
            raise PageError(f"{name} must be a channel of this server.")
        resolved.setdefault("channels", {})[value] = channel | {"permissions": "0"}
    else:
        raise PageError(f"{name} cannot be given on this page.")
    choices = option.get("choices")
    if choices and value not in [choice["value"] for choice in choices]:
        raise PageError(f"{name} must be one of: {', '.join(choice['name'] for choice in choices)}.")
    return value


def _number(name: str, kind: int, value: Any) -> int | float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise PageError(f"{name} must be a number.") from None
    if not math.isfinite(number):
        raise PageError(f"{name} must be a number.")
    if kind == NUMBER:
        return number
    if number != int(number):
        raise PageError(f"{name} must be a whole number.")
    return int(number)


def _range(option: Json, least: str, most: str) -> str:
    if least in option and most in option:
        return f"{option[least]} to {option[most]}"
    return f"at least {option[least]}" if least in option else f"at most {option[most]}"


def resolve_user(world: World, user_id: str, resolved: Json, name: str, guild_id: str | None) -> None:
    """Note a chosen user, or refuse when there is no such person."""
    who = world.user(user_id)
    if who is None:
        raise PageError(f"{name} must be somebody who is here.")
    resolved.setdefault("users", {})[user_id] = who
    if guild_id is not None and world.members.on(guild_id, user_id):
        shape = world.members.shape(who, guild_id)
        member = {key: value for key, value in shape.items() if key not in ("user", "deaf", "mute")}
        resolved.setdefault("members", {})[user_id] = member | {"permissions": "0"}


def component_data(
    world: World, tree: list[Json], custom_id: str, kind: int, values: list[str], guild_id: str | None
) -> Json:
    """The `data` of an interaction that presses a button or chooses from a menu."""
    component = trees.find(tree, custom_id)
    if component is None or component["type"] != kind:
        raise PageError("This button or menu is not on the message any more.")
    if component.get("disabled"):
        raise PageError("This is switched off at the moment.")
    data: Json = {"component_type": kind, "custom_id": custom_id, "id": component["id"]}
    if kind == trees.BUTTON:
        return data
    least, most = component.get("min_values", 1), component.get("max_values", 1)
    if not least <= len(values) <= most or len(set(values)) < len(values):
        raise PageError(f"Choose {least}." if least == most else f"Choose {least} to {most}.")
    if kind == trees.STRING_SELECT:
        offered = {option["value"] for option in component["options"]}
        if not offered.issuperset(values):
            raise PageError("This choice is not in the menu any more.")
    elif kind == trees.USER_SELECT:
        data["resolved"] = {}
        for value in values:
            resolve_user(world, value, data["resolved"], "Your choice", guild_id)
    else:
        raise PageError("This kind of menu does not work on this page.")
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
        if held["type"] == trees.TEXT_INPUT:
            filled["value"] = _text(held, row, "" if value is None else str(value))
        else:
            filled["values"] = value if isinstance(value, list) else [] if value in (None, "") else [value]
        outer = {key: row[key] for key in ("type", "id") if key in row}
        rows.append(outer | ({"component": filled} if "component" in row else {"components": [filled]}))
    return {"custom_id": form["custom_id"], "components": rows}


def _text(held: Json, row: Json, value: str) -> str:
    label = held.get("label") or row.get("label") or held["custom_id"]
    if held.get("required", True) and not value:
        raise PageError(f"{label} is needed.")
    if value and not held.get("min_length", 0) <= len(value) <= held.get("max_length", 4000):
        raise PageError(f"{label} must have {_range(held, 'min_length', 'max_length')} characters.")
    return value
