"""What the bot must be allowed to do where it hosts a table, each with its reason (README)."""

from typing import Final

import discord

NEEDED: Final = ("view_channel", "send_messages", "embed_links", "attach_files", "read_message_history")
IN_THREADS: Final = ("send_messages_in_threads",)
TO_OPEN_THREADS: Final = ("create_public_threads",)


def missing(have: discord.Permissions, *, in_thread: bool, opens_thread: bool = False) -> list[str]:
    """What the bot lacks, by discord.py's names, to host a table in a channel or thread, or in one it opens there."""
    wanted = [flag for flag in NEEDED if not in_thread or flag != "send_messages"]
    if opens_thread or in_thread:
        wanted += IN_THREADS
    if opens_thread:
        wanted += TO_OPEN_THREADS
    return [flag for flag in wanted if not getattr(have, flag)]
