"""What a new world is furnished with, and by which keys the page says it in the reader's language.

A world keeps one text, in English, since the bot hears of it; the page has one reader.
"""

from __future__ import annotations

from typing import Final

from bot.playground.speech import SECTION
from data.words import words

SERVER: Final = "page.first_guild"
"""What the server is called."""
CHANNELS: Final = (("tiles", "page.first_topic_tiles"), ("games-night", "page.first_topic_second"))
"""Its channels, and what they are for."""


def text(key: str) -> str:
    """What a world keeps."""
    return words()(key)


def key_of(kept: str | None) -> str | None:
    """The page's key of a text that a world keeps since it was furnished; None for what somebody else has written."""
    keys = (SERVER, *(topic for _, topic in CHANNELS))
    return next((key.removeprefix(SECTION) for key in keys if text(key) == kept), None)
