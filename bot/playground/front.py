"""The first sight: what a newcomer is shown above an empty channel, handed over by whoever starts the local Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.playground.speech import page_words


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A button that uses a command: `/tiles new game:star` is `tiles`, `("new",)` and `{"game": "star"}`."""

    label: str
    command: str
    path: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Welcome:
    """A picture's description, one sentence, the one button to begin with, and others beside it."""

    alt: str
    sentence: str
    play: Shortcut
    more: tuple[Shortcut, ...]


@dataclass(frozen=True, slots=True)
class Front:
    """The opening in a language (`de`), and its picture as a PNG file, which takes a moment to draw."""

    opening: Callable[[str], Welcome]
    picture: Callable[[str], bytes]


class FrontDoor:
    """Shows the front to pages: in the first of the languages that somebody asks for, each picture drawn once."""

    def __init__(self, front: Front | None) -> None:
        self._front = front
        self._pictures: dict[str, asyncio.Future[bytes]] = {}

    def shown(self, language: str) -> dict[str, Any] | None:
        """What the page draws; None where nothing was handed over."""
        if self._front is None:
            return None
        spoken = page_words([language])["language"]
        return asdict(self._front.opening(spoken)) | {"language": spoken}

    async def picture(self, language: str) -> bytes | None:
        """The picture in a language; None where there is none."""
        if self._front is None:
            return None
        spoken = page_words([language])["language"]
        if spoken not in self._pictures:
            self._pictures[spoken] = asyncio.ensure_future(asyncio.to_thread(self._front.picture, spoken))
        return await asyncio.shield(self._pictures[spoken])
