"""What a person typed or pressed, checked as Discord's own client would before the bot hears of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from discord import Permissions

from bot.playground import components as trees
from bot.playground.commands import BOOLEAN, CHANNEL, INTEGER, MENTIONABLE, NUMBER, STRING, SUB_COMMAND, SUB_GROUP, USER
from bot.playground.refusals import Fact, RefusedError
from bot.playground.shapes import Json
from bot.playground.world import World
from data.words import Words


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
    """Refuse when the command is only for members with more permissions."""
    wanted = command["default_member_permissions"]
    if wanted is not None and not (member.administrator or member.is_superset(Permissions(int(wanted)))):
        raise RefusedError("permission")


def _value(world: World, option: Json, value: Any, guild_id: str | None, resolved: Json) -> Any:
    """One option's value in its type; users and channels are noted in `resolved`."""
    name, kind = option["name"], option["type"]
    if kind == STRING:
        value = str(value)
        if not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
            raise RefusedError(
                "characters", name=name, limits=_range(option.get("min_length"), option.get("max_length"))
            )
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
    """`2 to 6`, `2 or more`, `at most 6`, `2`, in words of the reader."""
    if least is not None and least == most:
        return lambda _: str(least)
    key = "page.range_most" if least is None else "page.range_least" if most is None else "page.range"
    return lambda said: said(key, least=least, most=most)


def resolve_user(world: World, user_id: str, resolved: Json, name: Fact, guild_id: str | None) -> None:
    """Note a chosen user, or refuse when there is no such person."""
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
    component = trees.find(tree, custom_id)
    if component is None or component["type"] != kind:
        raise RefusedError("gone")
    if component.get("disabled"):
        raise RefusedError("off")
    data: Json = {"component_type": kind, "custom_id": custom_id, "id": component["id"]}
    if kind == trees.BUTTON:
        return data
    least, most = component.get("min_values", 1), component.get("max_values", 1)
    if not least <= len(values) <= most or len(set(values)) < len(values):
        raise RefusedError("pick", limits=_range(least, most))
    if kind == trees.STRING_SELECT:
        offered = {option["value"] for option in component["options"]}
        if not offered.issuperset(values):
            raise RefusedError("pick_gone")
    elif kind == trees.USER_SELECT:
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
        raise RefusedError("needed", name=label)
    if value and not held.get("min_length", 0) <= len(value) <= held.get("max_length", 4000):
        raise RefusedError("characters", name=label, limits=_range(held.get("min_length"), held.get("max_length")))
    return value
