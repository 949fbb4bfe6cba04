"""What the bot may do where: the everyone role, changed by what a channel takes away or adds."""

from __future__ import annotations

from discord import Permissions

from bot.playground import refusals
from bot.playground.shapes import DIRECT, THREAD, Json

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


def overwrite(channel: Json, member_id: str, changes: dict[str, bool]) -> None:
    """Allow or deny single permissions for a member in a text channel, by discord.py's names for them."""
    entry = next((o for o in channel["permission_overwrites"] if o["id"] == member_id), None)
    if entry is None:
        entry = {"id": member_id, "type": 1, "allow": "0", "deny": "0"}
        channel["permission_overwrites"].append(entry)
    allow, deny = Permissions(int(entry["allow"])), Permissions(int(entry["deny"]))
    allow.update(**changes)
    deny.update(**{name: not granted for name, granted in changes.items()})
    entry["allow"], entry["deny"] = str(allow.value), str(deny.value)


def of_member(channel: Json, parent: Json | None, member_id: str) -> Permissions:
    """The permissions of a member in a channel; a thread takes those of the channel above it."""
    if channel["type"] == DIRECT:
        return Permissions(EVERYONE.value)
    place = parent if channel["type"] == THREAD and parent is not None else channel
    value = EVERYONE.value
    for entry in place["permission_overwrites"]:
        if entry["id"] == member_id:
            value = (value & ~int(entry["deny"])) | int(entry["allow"])
    return Permissions(value)


def need(have: Permissions, **wanted: bool) -> None:
    """Refuse as Discord does: 50001 when the channel cannot be seen, 50013 when one of `wanted` is missing."""
    if not have.view_channel:
        raise refusals.missing_access()
    if not have.is_superset(Permissions(**wanted)):
        raise refusals.missing_permissions()
