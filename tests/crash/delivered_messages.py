"""Public messages and confirmations that really reached users."""

import re
from dataclasses import dataclass, field
from typing import Any

from bot.playground import components
from bot.playground.discord_limits import ApiError
from bot.playground.payloads import DIRECT, WorldEvent
from bot.playground.server import LocalDiscord
from tests.crash.premove_checks import Ahead

DONE = re.compile(r"You (played|opened with|drew|passed|took the bonus|ended your turn)|Now play ")
"""The start of a response that confirms an action of the user."""


ORDINARY = 0  # The type of a message that a user has written


@dataclass(frozen=True)
class Confirmation:
    interaction: int
    user: int
    text: str


@dataclass(frozen=True)
class Posted:
    message: int
    channel: int
    nonce: str


@dataclass
class DeliveryLog:
    """Listens to a local Discord from its start to its end."""

    discord: LocalDiscord
    told: list[Confirmation] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)
    ahead: list[Ahead] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.discord.world.events.subscribe(self._hear)

    def answered(self, token: str, message: dict[str, Any]) -> None:
        """The bot sent a response, whether or not it learned that it arrived."""
        text = words_of(message)
        if not DONE.match(text):
            return
        try:
            asked = self.discord.interactions.get_by_token(token)
        except ApiError:
            return
        self.told.append(Confirmation(int(asked.id), int(asked.user["id"]), text))

    def alive(self) -> list[dict[str, Any]]:
        world = self.discord.world
        timelines = world.messages.timelines.values()
        posts = [post for timeline in timelines for post in timeline.list_posts()]
        return [post.body for post in posts if post.body["author"]["id"] == world.bot["id"]]

    def _hear(self, happening: WorldEvent) -> None:
        body = happening.data
        if happening.kind != "message_create" or happening.secret:
            return
        # Discord itself announces a new thread, but with the bot as the author.
        if self.discord.world.channels[body["channel_id"]]["type"] == DIRECT:
            return
        if body["author"]["id"] == self.discord.world.bot["id"] and body["type"] == ORDINARY:
            self.posted.append(Posted(int(body["id"]), int(body["channel_id"]), str(body.get("nonce", ""))))


def words_of(message: dict[str, Any]) -> str:
    parts = [message["content"]] if message["content"] else []
    parts += [one["content"] for one in components.walk(message["components"]) if "content" in one]
    return "\n".join(parts)
