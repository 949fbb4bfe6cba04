"""Public messages and confirmations that really reached users."""

import re
from dataclasses import dataclass, field
from typing import Any

from bot.playground import components
from bot.playground.discord_limits import ApiError
from bot.playground.payloads import DIRECT, WorldEvent
from bot.playground.server import LocalDiscord
from tests.crash.premove_checks import PremoveRequest

CONFIRMATION_START = re.compile(r"You (played|opened with|drew|passed|took the bonus|ended your turn)|Now play ")
"""The start of a response that confirms an action of the user."""
DEFAULT_MESSAGE_TYPE = 0  # The type of a message that a user has written


@dataclass(frozen=True)
class Confirmation:
    interaction: int
    user: int
    text: str


@dataclass
class DeliveryLog:
    """Listens to a local Discord from its start to its end."""

    discord: LocalDiscord
    confirmations: list[Confirmation] = field(default_factory=list)
    posted_nonces: list[str] = field(default_factory=list)
    premoves: list[PremoveRequest] = field(default_factory=list)
    _answered: set[str] = field(default_factory=set)  # Tokens of interactions with an answer

    def __post_init__(self) -> None:
        self.discord.world.events.subscribe(self._record_event)

    def record_response(self, token: str, message: dict[str, Any]) -> None:
        """The bot sent a response, whether or not it learned that it arrived.

        Only the first text answers the interaction. Later, the same message shows the next hands of the user, which
        also describe the user's last turn.
        """
        text = read_text(message)
        if not text or token in self._answered:
            return
        self._answered.add(token)
        if not CONFIRMATION_START.match(text):
            return
        try:
            interaction = self.discord.interactions.get_by_token(token)
        except ApiError:
            return
        self.confirmations.append(Confirmation(int(interaction.id), int(interaction.user["id"]), text))

    def list_live_messages(self) -> list[dict[str, Any]]:
        world = self.discord.world
        timelines = world.messages.timelines.values()
        posts = [post for timeline in timelines for post in timeline.list_posts()]
        return [post.body for post in posts if post.body["author"]["id"] == world.bot["id"]]

    def _record_event(self, event: WorldEvent) -> None:
        body = event.data
        if event.kind != "message_create" or event.secret:
            return
        # Discord itself announces a new thread, but with the bot as the author.
        if self.discord.world.channels[body["channel_id"]]["type"] == DIRECT:
            return
        if body["author"]["id"] == self.discord.world.bot["id"] and body["type"] == DEFAULT_MESSAGE_TYPE:
            self.posted_nonces.append(str(body.get("nonce", "")))


def read_text(message: dict[str, Any]) -> str:
    parts = [message["content"]] if message["content"] else []
    parts += [one["content"] for one in components.walk(message["components"]) if "content" in one]
    return "\n".join(parts)
