"""What the bot must be allowed to do where it hosts a table, each with its reason (README)."""

from typing import Final

import discord

from bot.ask import Ask
from bot.service.refusals import No, Refused

NEEDED: Final = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
IN_THREADS: Final = {"send_messages_in_threads": "Send Messages in Threads"}
TO_OPEN_THREADS: Final = {"create_public_threads": "Create Public Threads"}


def check(ask: Ask, *, thread: bool) -> None:
    """Raise Refused(MISSING_PERMISSION) naming what is missing and where; `thread` asks for one to be opened."""
    have = ask.interaction.app_permissions
    wanted = dict(NEEDED)
    if thread:
        wanted |= IN_THREADS | TO_OPEN_THREADS
    if isinstance(ask.interaction.channel, discord.Thread):
        del wanted["send_messages"]
        wanted |= IN_THREADS
    missing = [name for flag, name in wanted.items() if not getattr(have, flag)]
    if missing:
        raise Refused(No.MISSING_PERMISSION, permissions=", ".join(missing), channel=f"<#{ask.channel_id}>")
