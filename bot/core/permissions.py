"""What the bot must be allowed to do where it hosts a table, each with its reason.

The README asks for exactly these; `/tiles-admin doctor` looks them over one by one.
"""

from typing import Final

import discord

NEEDED: Final = (
    "view_channel",  # a channel it does not see takes no posts
    "send_messages",  # the board, the calls, the ends of rounds
    "embed_links",  # without it Discord shows no pictures in containers
    "attach_files",  # the pictures themselves
    "read_message_history",  # to find a post again whose arrival nobody knows of, and to see how far up a board is
)
IN_THREADS: Final = ("send_messages_in_threads",)  # the same in a thread, where Discord asks for another one
TO_OPEN_THREADS: Final = ("create_public_threads",)  # a table beside the one that runs in a channel


def is_on(client: discord.Client, guild_id: int | None) -> bool:
    """Whether the bot is on a server. People can use it elsewhere too: where it was invited without its membership, was
    sent away a moment ago, or is installed for somebody alone. There it can answer, and post nothing.
    """
    return guild_id is None or client.get_guild(guild_id) is not None


def invite_address(application_id: int, guild_id: int) -> str:
    """The address where somebody who manages a server invites the bot, with all that it needs there."""
    needed = discord.Permissions(**dict.fromkeys((*NEEDED, *IN_THREADS, *TO_OPEN_THREADS), True))
    return discord.utils.oauth_url(application_id, permissions=needed, guild=discord.Object(guild_id))


def sees(guild: discord.Guild, channel_id: int, member: discord.Member) -> bool:
    """Whether a member sees a channel or thread of the server. What the bot itself does not know of, nobody does."""
    place = guild.get_channel_or_thread(channel_id)
    if place is None or not place.permissions_for(member).view_channel:
        return False
    # A private thread is its people's and the moderators'; the cache knows some of them, and nobody else is told.
    if isinstance(place, discord.Thread) and place.is_private():
        return place.permissions_for(member).manage_threads or any(one.id == member.id for one in place.members)
    return True


def missing(have: discord.Permissions, *, in_thread: bool, opens_thread: bool = False) -> list[str]:
    """What the bot lacks, by discord.py's names, to host a table in a channel or thread, or in one it opens there.

    `have` is what Discord says it may do in the channel that was asked from.
    """
    wanted = [flag for flag in NEEDED if not in_thread or flag != "send_messages"]
    if opens_thread or in_thread:
        wanted += IN_THREADS
    if opens_thread:
        wanted += TO_OPEN_THREADS
    return [flag for flag in wanted if not getattr(have, flag)]
