"""The bot's responses to an interaction: the first response, follow-ups, and edits by its token."""

import logging
from collections.abc import Sequence

from bot.playground import discord_limits
from bot.playground import interactions as kinds
from bot.playground.channel_messages import Post
from bot.playground.commands import check_choices
from bot.playground.discord_limits import Complaints
from bot.playground.interactions import Interaction, Interactions
from bot.playground.message_builder import Upload, compose
from bot.playground.payloads import EPHEMERAL, LOADING, Json
from bot.playground.world import World

log = logging.getLogger(__name__)

COMMAND_REPLY, REPLY = 20, 19  # message types

ALLOWED = {
    kinds.COMMAND: {kinds.REPLY, kinds.DEFER_REPLY, kinds.FORM},
    kinds.COMPONENT: {kinds.REPLY, kinds.DEFER_REPLY, kinds.DEFER_UPDATE, kinds.UPDATE, kinds.FORM},
    kinds.AUTOCOMPLETE: {kinds.CHOICES_TYPE},
    kinds.MODAL: {kinds.REPLY, kinds.DEFER_REPLY, kinds.DEFER_UPDATE, kinds.UPDATE},
}
"""The allowed first responses by kind of interaction."""


class Replies:
    """Answers interactions on behalf of the bot."""

    def __init__(self, world: World, interactions: Interactions) -> None:
        self._world = world
        self._interactions = interactions
        self.bot_faults: list[str] = []  # errors of the bot that a user would not notice

    def respond(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Json:
        """Handle the first response to an interaction. Return the `InteractionCallbackResponse` object."""
        response, data = payload.get("type"), payload.get("data") or {}
        if response not in ALLOWED[one.kind] or (response in (kinds.DEFER_UPDATE, kinds.UPDATE) and not one.source):
            raise discord_limits.invalid(("type",), "BASE_TYPE_CHOICES", "Not a response to this kind of interaction")
        match response:
            case kinds.REPLY:
                one.original = one.shown = self._post(one, data, uploads)
            case kinds.DEFER_REPLY:
                one.original = self._think(one, secret=bool((data.get("flags") or 0) & EPHEMERAL))
                one.awaits_reply = True
            case kinds.DEFER_UPDATE:
                one.original = one.source
            case kinds.UPDATE:
                one.original = one.shown = self._edit(one.source, data, uploads)
            case kinds.CHOICES_TYPE:
                one.choices = self._choices(one, data.get("choices") or [])
            case kinds.FORM:
                one.form = self._form(one, data)
        self._interactions.answered(one, response)
        shown: Json = {"id": one.id, "type": one.kind}
        resource: Json = {"type": response}
        if one.original is not None:
            flags = one.original.body["flags"]
            shown |= {
                "response_message_id": one.original.id,
                "response_message_loading": bool(flags & LOADING),
                "response_message_ephemeral": bool(flags & EPHEMERAL),
            }
            if response != kinds.DEFER_UPDATE:
                resource["message"] = one.original.body
        return {"interaction": shown, "resource": resource}

    def follow_up(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Post:
        """Post a further message. The first one after "thinking" replaces it and keeps its ephemeral state."""
        if one.awaits_reply and one.original is not None:
            return self._edit(one.original, payload, uploads, one)
        post = self._post(one, payload, uploads)
        one.shown = one.shown or post
        return post

    def find(self, one: Interaction, message_id: str) -> Post:
        """The message `@original`, or another message of this token. Raises ApiError 10008."""
        if message_id == "@original":
            if one.original is None:
                raise discord_limits.unknown_message()
            message_id = one.original.id
        elif message_id not in one.made and (one.original is None or message_id != one.original.id):
            raise discord_limits.unknown_message()
        return self._world.talk.find(one.channel["id"], message_id)

    def edit(self, one: Interaction, message_id: str, payload: Json, uploads: Sequence[Upload]) -> Post:
        """Edit one of the messages of this token."""
        return self._edit(self.find(one, message_id), payload, uploads, one)

    def delete(self, one: Interaction, message_id: str) -> None:
        self._world.talk.remove(self.find(one, message_id))

    def _blank(self, one: Interaction, secret: bool) -> Post:
        world = self._world
        world.place(one.channel["id"])
        body = world.blank_message(one.channel, world.bot)
        owners = {"0": one.channel.get("guild_id", "0")}
        metadata = {"id": one.id, "type": one.kind, "user": one.user, "authorizing_integration_owners": owners}
        body |= {"flags": EPHEMERAL if secret else 0, "application_id": world.bot["id"], "webhook_id": world.bot["id"]}
        body["interaction_metadata"] = metadata | {"name": one.name} if one.name else metadata
        before = one.original or one.source
        if before is not None:
            body["type"] = REPLY
            body["message_reference"] = {"type": 0, "channel_id": before.channel_id, "message_id": before.id}
            if "guild_id" in one.channel:
                body["message_reference"]["guild_id"] = one.channel["guild_id"]
        elif one.kind == kinds.COMMAND:
            body["type"] = COMMAND_REPLY
        one.made.add(body["id"])
        return Post(body, one.user["id"] if secret else None)

    def _post(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Post:
        post = self._blank(one, bool((payload.get("flags") or 0) & EPHEMERAL))
        compose(self._world, post.body, payload, uploads)
        return self._world.talk.post(post)

    def _think(self, one: Interaction, *, secret: bool) -> Post:
        post = self._blank(one, secret)
        post.body["flags"] |= LOADING
        return self._world.talk.post(post)

    def _edit(
        self, post: Post | None, payload: Json, uploads: Sequence[Upload], one: Interaction | None = None
    ) -> Post:
        if post is None:
            raise discord_limits.unknown_message()
        post = self._world.talk.find(post.channel_id, post.id)
        self._world.talk.edit(post, lambda body: compose(self._world, body, payload, uploads))
        if one is not None:
            one.shown = one.shown or post
            if one.original is post:
                one.awaits_reply = False
        return post

    def _choices(self, one: Interaction, choices: list[Json]) -> list[Json]:
        complaints = Complaints()
        check_choices(choices, ("data",), complaints)
        if complaints.empty:
            return choices
        error = complaints.error()
        self.bot_faults.append(f"autocomplete of {one.name}: {error}")
        log.error("the bot's autocomplete answer for %s was refused: %s", one.name, error)
        raise error

    def _form(self, one: Interaction, data: Json) -> Json:
        complaints = Complaints()
        complaints.length(("data", "custom_id"), data.get("custom_id"), 1, 100)
        complaints.length(("data", "title"), data.get("title"), 1, 45)
        held = data.get("components") or []
        if not 1 <= len(held) <= 5:
            complaints.add(("data", "components"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
        complaints.refuse()
        form = {key: data[key] for key in ("custom_id", "title", "components")}
        self._world.news.tell("modal", {"interaction_id": one.id} | form, only_for=one.user["id"], secret=True)
        return form
