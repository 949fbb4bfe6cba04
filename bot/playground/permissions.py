"""Who may do what where: the roles of a member, changed by what a channel takes away or adds."""

from __future__ import annotations

from datetime import datetime

from discord import Permissions

from bot.playground import refusals
from bot.playground.shapes import Json

EVERYONE = Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    embed_links=True,
    attach_files=True,
    read_message_history=True,
    use_application_commands=True,
    external_emojis=True,
    add_reactions=True,
)
"""What every member may do, the bot included: what an invitation of this bot asks for."""

OWNER = Permissions.all()
LOOKING = Permissions(view_channel=True, read_message_history=True)
"""What is left to somebody who is timed out."""


ROLE, MEMBER = 0, 1
"""Whom an overwrite is about."""


def overwrite(channel: Json, whom: str, changes: dict[str, bool], kind: int = MEMBER) -> None:
    """Allow or deny single permissions for a member or role in a text channel, by discord.py's names for them."""
    entry = next((o for o in channel["permission_overwrites"] if o["id"] == whom), None)
    if entry is None:
        entry = {"id": whom, "type": kind, "allow": "0", "deny": "0"}
        channel["permission_overwrites"].append(entry)
    allow, deny = Permissions(int(entry["allow"])), Permissions(int(entry["deny"]))
    allow.update(**changes)
    deny.update(**{name: not granted for name, granted in changes.items()})
    entry["allow"], entry["deny"] = str(allow.value), str(deny.value)


def of_member(guild: Json, channel: Json, member: Json, now: float) -> Permissions:
    """The permissions of a member in a channel: those of the roles, then what the channel takes away and adds.

    An owner and an administrator may do everything; whoever does not see the channel may do nothing, and whoever is
    timed out at `now` (seconds since 1970) may only look.
    """
    roles = {guild["id"], *member["roles"]}
    value = 0
    for role in guild["roles"]:
        if role["id"] in roles:
            value |= int(role["permissions"])
    if member["user"]["id"] == guild["owner_id"] or Permissions(value).administrator:
        return OWNER
    entries = channel["permission_overwrites"]
    everyone = [one for one in entries if one["id"] == guild["id"]]
    others = [one for one in entries if one["id"] in roles and one not in everyone]
    own = [one for one in entries if one["id"] == member["user"]["id"]]
    for level in (everyone, others, own):
        for entry in level:
            value &= ~int(entry["deny"])
        for entry in level:
            value |= int(entry["allow"])
    if is_silent(member, now):
        value &= LOOKING.value
    return Permissions(value if value & Permissions(view_channel=True).value else 0)


def is_silent(member: Json, now: float) -> bool:
    """Whether a moderator has timed somebody out, until later than `now`."""
    until = member["communication_disabled_until"]
    return until is not None and datetime.fromisoformat(until).timestamp() > now


def need(have: Permissions, **wanted: bool) -> None:
    """Refuse as Discord does: 50001 when the channel cannot be seen, 50013 when one of `wanted` is missing."""
    if not have.view_channel:
        raise refusals.missing_access()
    if not have.is_superset(Permissions(**wanted)):
        raise refusals.missing_permissions()
