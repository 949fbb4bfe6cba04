"""The permissions that the bot needs to host a table, as in the README, with their reasons."""

from typing import Final

import discord

REQUIRED: Final = (
    "view_channel",  # else the bot gets no events and cannot post
    "send_messages",  # boards, turn messages, ends of rounds
    "embed_links",  # else Discord hides pictures in containers
    "attach_files",  # pictures
    "read_message_history",  # to find posts again whose delivery is unknown, and how far up a board is
)
REQUIRED_IN_THREADS: Final = ("send_messages_in_threads",)  # replaces send_messages in threads
REQUIRED_TO_OPEN_THREADS: Final = ("create_public_threads",)  # a second table beside the one in a channel


def format_invite_link(application_id: int, guild_id: int) -> str:
    needed = discord.Permissions(**dict.fromkeys((*REQUIRED, *REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS), True))
    return discord.utils.oauth_url(application_id, permissions=needed, guild=discord.Object(guild_id))


def can_see_channel(guild: discord.Guild, channel_id: int, member: discord.Member) -> bool:
    """Return whether a member sees a channel or thread; False if the bot does not know it."""
    place = guild.get_channel_or_thread(channel_id)
    if place is None or not place.permissions_for(member).view_channel:
        return False
    # A private thread is visible to its members and moderators. The cache has some of the members.
    if isinstance(place, discord.Thread) and place.is_private():
        return place.permissions_for(member).manage_threads or any(one.id == member.id for one in place.members)
    return True


def list_missing_permissions(granted: discord.Permissions, *, in_thread: bool, opens_thread: bool = False) -> list[str]:
    """Return the permissions that the bot lacks to host a table here; `granted` are its permissions in this channel."""
    required = [flag for flag in REQUIRED if not in_thread or flag != "send_messages"]
    if opens_thread or in_thread:
        required += REQUIRED_IN_THREADS
    if opens_thread:
        required += REQUIRED_TO_OPEN_THREADS
    return [flag for flag in required if not getattr(granted, flag)]
