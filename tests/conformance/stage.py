"""What a scene needs of a Discord, whichever it is: people act in it, and what they see can be read."""

from collections.abc import Mapping
from typing import Any, Protocol

from bot.client import Boneyard

Json = dict[str, Any]  # A message, or another object, in Discord's own shape

PEOPLE = ("Ada", "Grace", "Linus")  # Who is on the server

TABLE = "games-night"  # The channel in which everything happens; it is empty at first


class Stage(Protocol):
    """A server with people, a channel and the bot. People and places go by their names."""

    client: Boneyard  # The bot

    @property
    def names(self) -> Mapping[str, str]:
        """What an id stands for: people, the bot, the server, channels and threads."""

    @property
    def places(self) -> list[str]:
        """The table's channel, and the threads that were opened below it."""

    async def use_command(self, who: str, place: str, command: str, /, **options: Any) -> None:
        """Use a command: `await stage.slash("Ada", TABLE, "tiles new", seats=2)`."""

    async def suggest(self, who: str, place: str, command: str, option: str, typed: str, /, **given: Any) -> list[Json]:
        """Return the suggestions for a partly typed option."""

    async def click(self, who: str, message: Json, custom_id: str) -> None:
        """Press a button."""

    async def choose(self, who: str, message: Json, custom_id: str, value: str) -> None:
        """Choose an entry of a select menu."""

    async def say(self, who: str, place: str, text: str) -> None:
        """Send a message as a person."""

    async def delete(self, message: Json) -> None:
        """Delete a message as a moderator."""

    async def view(self, who: str, place: str) -> list[Json]:
        """Return the messages that a person sees in a channel, oldest first, with their own private ones."""
