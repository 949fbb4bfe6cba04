"""What happens in the world, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.shapes import Json


@dataclass(frozen=True, slots=True)
class Happening:
    """Something changed. `only_for` names the one person who may know (None: everybody); `secret` ones, about
    ephemeral messages, do not reach the bot's gateway."""

    kind: str
    data: Json
    guild_id: str | None = None
    only_for: str | None = None
    secret: bool = False


class News:
    """Passes every happening on to everybody who listens."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Happening], None]] = []

    def listen(self, listener: Callable[[Happening], None]) -> None:
        """Call `listener` with every happening from now on."""
        self._listeners.append(listener)

    def tell(
        self,
        kind: str,
        data: Json,
        *,
        guild_id: str | None = None,
        only_for: str | None = None,
        secret: bool = False,
    ) -> None:
        """Let every listener know."""
        happening = Happening(kind, data, guild_id, only_for, secret)
        for listener in self._listeners:
            listener(happening)
