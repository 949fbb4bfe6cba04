"""How far up the boards have scrolled."""

from collections import defaultdict, deque
from typing import Final

import discord

FAR_MESSAGES: Final = 15  # messages below the board after which it is posted again


class ScrollCounter:
    """Counts the messages below boards. Only the last few of each channel with a board are remembered."""

    def __init__(self) -> None:
        self._below: defaultdict[int, deque[int]] = defaultdict(lambda: deque(maxlen=FAR_MESSAGES))
        self._counted: set[int] = set()

    def note_message(self, channel_id: int, message_id: int) -> None:
        if channel_id in self._counted:
            self._below[channel_id].append(message_id)

    def note_deletion(self, channel_id: int, message_id: int) -> None:
        if message_id in self._below.get(channel_id, ()):
            self._below[channel_id].remove(message_id)

    def reset(self, channel_id: int) -> None:
        """Reset the count after a board was posted."""
        self._below[channel_id].clear()
        self._counted.add(channel_id)

    async def is_far_up(self, channel: discord.abc.Messageable, channel_id: int, board: int) -> bool:
        if channel_id not in self._counted:
            # Ask Discord once for each channel after a start; later `note_message` counts.
            try:
                found = [message.id async for message in channel.history(limit=FAR_MESSAGES)]
            except discord.Forbidden:
                found = []
            self._below[channel_id].extend(reversed(found))
            self._counted.add(channel_id)
        below = self._below[channel_id]
        return len(below) == FAR_MESSAGES and all(message > board for message in below)
