"""What a bot is told: which event a happening is, who may hear of it, and what a server looks like to a session."""

from __future__ import annotations

from collections.abc import Sequence

from bot.playground.news import Happening
from bot.playground.session import Session
from bot.playground.shapes import DIRECT, THREADS, Json, is_open_thread
from bot.playground.world import World

GUILDS, GUILD_MEMBERS, PRESENCES, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 1, 1 << 8, 1 << 9, 1 << 12
"""Intents."""
PRIVILEGED = GUILD_MEMBERS | PRESENCES | 1 << 15
"""Those that the owner of a bot has to switch on at the portal; the last one is the content of messages."""
ALL_INTENTS = 0b11_0011_0001_1111_1111_1111_1111
"""Those that there are."""
MESSAGES = {"message_create": "MESSAGE_CREATE", "message_update": "MESSAGE_UPDATE", "message_delete": "MESSAGE_DELETE"}


def is_hidden(world: World, happening: Happening) -> bool:
    """Whether something happened where the bot is not, or where it does not see it."""
    if happening.guild_id in world.members.without_bot:
        return True
    data = happening.data
    about = data if data.get("type") in THREADS and "owner_id" in data else None
    if happening.kind in MESSAGES:
        about = world.channels.get(data["channel_id"])
    return about is not None and about["type"] != DIRECT and not world.sees(about)


def dispatched(world: World, happening: Happening) -> tuple[str, int, Json] | None:
    """The event's name, the intent it needs and its data; None when bots do not hear of it."""
    kind, data = happening.kind, happening.data
    if kind in MESSAGES:
        intent = DIRECT_MESSAGES if happening.guild_id is None else GUILD_MESSAGES
        return MESSAGES[kind], intent, data
    match kind:
        case "interaction_create":
            return "INTERACTION_CREATE", 0, data
        case "member_add" | "member_remove":
            return f"GUILD_{kind.upper()}", GUILD_MEMBERS, data
        case "member_update":
            # Whatever its intents, a bot is told about itself.
            about_itself = data["user"]["id"] == world.bot["id"]
            return "GUILD_MEMBER_UPDATE", 0 if about_itself else GUILD_MEMBERS, data
        case "role_create" | "role_delete":
            return f"GUILD_{kind.upper()}", GUILDS, data
        case "guild_update" | "guild_delete":
            return kind.upper(), 0 if kind == "guild_delete" else GUILDS, data
        case "channel_create" | "channel_update" | "channel_delete":
            what = "THREAD" if data["type"] in THREADS else "CHANNEL"
            name = f"{what}_{kind.removeprefix('channel_').upper()}"
            if name == "THREAD_CREATE":
                data = data | {"newly_created": True}
            return name, 0 if data["type"] == DIRECT else GUILDS, data
    return None


def whole_guild(world: World, guild: Json, session: Session, mine: Sequence[Json] | None = None) -> Json:
    """GUILD_CREATE, with these channels or those that are found. As in Discord, a bot without the members intent is
    shown only itself.
    """
    if mine is None:
        mine = [one for one in world.channels.values() if one.get("guild_id") == guild["id"]]
    around = [world.bot]
    if session.intents & (GUILD_MEMBERS | PRESENCES):
        around += world.around(guild["id"])
    members = [world.members.shape(who, guild["id"]) for who in around]
    count = world.members.count(guild["id"], len(world.people))
    return guild | {
        "joined_at": members[0]["joined_at"],
        "large": count > session.large,
        "unavailable": False,
        "member_count": count,
        "channels": [one for one in mine if one["type"] not in THREADS],
        "threads": [one for one in mine if is_open_thread(one) and world.sees(one)],
        "members": members,
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def members_chunk(world: World, asked: Json) -> Json:
    """What answers REQUEST_GUILD_MEMBERS: members by ids or by the beginning of a name."""
    guild_id = str(asked["guild_id"])
    wanted = asked.get("user_ids")
    wanted = None if wanted is None else {str(one) for one in (wanted if isinstance(wanted, list) else [wanted])}
    start = str(asked.get("query") or "").lower()
    found = [
        world.members.shape(who, guild_id)
        for who in [world.bot, *world.around(guild_id)]
        if (who["id"] in wanted if wanted is not None else who["username"].lower().startswith(start))
    ]
    chunk = {"guild_id": guild_id, "members": found, "chunk_index": 0, "chunk_count": 1}
    if "nonce" in asked:
        chunk["nonce"] = asked["nonce"]
    return chunk
