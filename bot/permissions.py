"""What the bot must be allowed to do where it hosts a table, each with its reason (README)."""

from typing import Final

import discord

NEEDED: Final = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
IN_THREADS: Final = {"send_messages_in_threads": "Send Messages in Threads"}
TO_OPEN_THREADS: Final = {"create_public_threads": "Create Public Threads"}


def missing(have: discord.Permissions, *, in_thread: bool, opens_thread: bool = False) -> list[str]:
    """What the bot lacks, by Discord's names, to host a table in a channel or thread, or in a thread it opens there."""
    wanted = dict(NEEDED)
    if opens_thread:
        wanted |= IN_THREADS | TO_OPEN_THREADS
    if in_thread:
        del wanted["send_messages"]
        wanted |= IN_THREADS
    return [name for flag, name in wanted.items() if not getattr(have, flag)]
