"""Interactions: commands, buttons, menus and forms that users use, and the bot's response within three seconds."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from discord import Permissions

from bot.playground import discord_limits
from bot.playground.channel_messages import Post
from bot.playground.discord_limits import ApiError
from bot.playground.payloads import DIRECT, MAX_BYTES, Json
from bot.playground.world import World

log = logging.getLogger(__name__)

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5  # kinds of interactions

PONG, REPLY, DEFER_REPLY, DEFER_UPDATE, UPDATE, CHOICES_TYPE, FORM = 1, 4, 5, 6, 7, 8, 9  # kinds of first responses

TOKEN_LIFE = 15 * 60  # seconds that an interaction token is valid

NO_RESPONSE = "The application did not respond"


@dataclass(slots=True, eq=False)
class Interaction:
    """One action of a user and the state of the bot's response."""

    id: str
    token: str
    kind: int
    user: Json
    channel: Json
    started_at: float
    data: Json
    source: Post | None = None  # the message with the button or menu
    name: str = ""
    response: int | None = None  # the kind of the first response
    too_late: bool = False
    original: Post | None = None  # what `@original` means: the reply, or the message of the component
    first_message: Post | None = None  # the first message posted or edited for it
    awaits_reply: bool = False  # a "thinking" placeholder waits to be filled
    message_ids: set[str] = field(default_factory=set)  # ids of the messages posted with this token
    form: Json | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    choices: list[Json] = field(default_factory=list)

    @property
    def awaits_answer(self) -> bool:
        """Whether the bot has only acknowledged so far: "thinking", or a deferred update of an ephemeral message."""
        private = self.source is not None and self.source.owner is not None
        return self.awaits_reply or (private and self.response == DEFER_UPDATE and self.first_message is None)


class InteractionRegistry:
    """All interactions of the last fifteen minutes, by id and by token."""

    def __init__(self, world: World, answer_within: float, count_deliveries: Callable[[], int]) -> None:
        self._world = world
        self._count_deliveries = count_deliveries
        self.answer_within = answer_within
        self._by_id: dict[str, Interaction] = {}
        self._by_token: dict[str, Interaction] = {}
        self._by_age: deque[Interaction] = deque()

    def start(
        self, kind: int, who: Json, channel: Json, data: Json, *, source: Post | None = None, name: str = ""
    ) -> Interaction:
        """Send a user's action to the bot and start the response timer."""
        self._forget_old()
        ids, token, now = self._world.ids, secrets.token_urlsafe(48), self._world.now()
        one = Interaction(ids.generate(), token, kind, who, channel, now, data, source, name)
        self._by_id[one.id] = self._by_token[one.token] = one
        self._by_age.append(one)
        asyncio.get_running_loop().call_later(self.answer_within, self._expire, one)
        payload = self._build_payload(one)
        for _ in range(self._count_deliveries()):
            self._world.events.publish("interaction_create", payload, guild_id=channel.get("guild_id"))
        return one

    def find(self, interaction_id: str) -> Interaction | None:
        """The interaction with this id, unless its token has expired."""
        return self._by_id.get(interaction_id)

    def list_recent(self) -> list[Interaction]:
        """All interactions, oldest first."""
        return list(self._by_age)

    def get_unanswered(self, interaction_id: str, token: str) -> Interaction:
        """The interaction that may still get its first response. Raises ApiError 10062 or 40060."""
        one = self._by_id.get(interaction_id)
        if one is None or one.token != token or one.too_late:
            raise discord_limits.build_unknown_error("interaction", 10062)
        if one.response is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        return one

    def get_by_token(self, token: str) -> Interaction:
        """The answered interaction with this token. Raises ApiError 50027 or 10015."""
        one = self._by_token.get(token)
        if one is None or self._world.now() - one.started_at > TOKEN_LIFE:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        if one.response is None:
            raise discord_limits.build_unknown_error("Webhook", 10015)
        return one

    def record_response(self, one: Interaction, response: int) -> None:
        one.response = response
        one.done.set()
        data = {"interaction_id": one.id, "response": response}
        self._world.events.publish("interaction_done", data, only_for=one.user["id"], secret=True)

    def _expire(self, one: Interaction) -> None:
        if one.response is not None:
            return
        one.too_late = True
        one.done.set()
        if one.kind != AUTOCOMPLETE:
            data = {"interaction_id": one.id, "message": NO_RESPONSE}
            self._world.events.publish("interaction_failed", data, only_for=one.user["id"], secret=True)

    def _forget_old(self) -> None:
        now = self._world.now()
        while self._by_age and now - self._by_age[0].started_at > TOKEN_LIFE:
            old = self._by_age.popleft()
            del self._by_id[old.id], self._by_token[old.token]

    def _build_payload(self, one: Interaction) -> Json:
        """INTERACTION_CREATE as Discord sends it."""
        world, channel = self._world, one.channel
        payload: Json = {
            "id": one.id, "application_id": world.bot["id"], "type": one.kind, "token": one.token, "version": 1,
            "data": one.data, "channel": channel, "channel_id": channel["id"],
            "locale": one.user.get("locale", "en-US"),
            "app_permissions": str(self._compute_app_permissions(channel).value),
            "entitlements": [], "attachment_size_limit": MAX_BYTES,
        }  # fmt: skip
        owners: Json = {"1": one.user["id"]} if one.user["id"] in world.members.installed else {}
        if channel["type"] == DIRECT:
            payload |= {"user": one.user, "context": 1, "authorizing_integration_owners": owners | {"0": "0"}}
        else:
            guild_id = channel["guild_id"]
            locale = world.guilds[guild_id]["preferred_locale"]
            if guild_id not in world.members.without_bot:
                owners |= {"0": guild_id}
            allowed = world.compute_permissions(one.user, channel)
            payload |= {
                "guild_id": guild_id, "guild": {"id": guild_id, "locale": locale, "features": []},
                "guild_locale": locale, "context": 0, "authorizing_integration_owners": owners,
                "member": world.members.build_member(one.user, guild_id) | {"permissions": str(allowed.value)},
            }  # fmt: skip
        if one.source is not None:
            payload["message"] = one.source.body
        return payload

    def _compute_app_permissions(self, channel: Json) -> Permissions:
        """The bot's permissions in a channel; on a server without the bot, those of its responses."""
        if channel.get("guild_id") in self._world.members.without_bot:
            return Permissions(embed_links=True, attach_files=True, external_emojis=True)
        return self._world.compute_bot_permissions(channel)
