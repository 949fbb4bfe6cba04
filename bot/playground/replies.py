"""The bot's responses to an interaction: the first response, follow-ups, and edits by its token."""

import logging
from collections.abc import Sequence

from bot.playground import interactions as kinds
from bot.playground.channel_messages import Post
from bot.playground.commands import check_choices
from bot.playground.discord_limits import ApiError, FormErrors, build_form_error, build_unknown_message
from bot.playground.interactions import Interaction, InteractionRegistry
from bot.playground.message_builder import Upload, write_message
from bot.playground.payloads import EPHEMERAL, LOADING, Json
from bot.playground.world import World

log = logging.getLogger(__name__)

COMMAND_REPLY, REPLY = 20, 19  # message types

ALLOWED_RESPONSES = {
    kinds.COMMAND: {kinds.REPLY, kinds.DEFER_REPLY, kinds.FORM},
    kinds.COMPONENT: {kinds.REPLY, kinds.DEFER_REPLY, kinds.DEFER_UPDATE, kinds.UPDATE, kinds.FORM},
    kinds.AUTOCOMPLETE: {kinds.CHOICES_TYPE},
    kinds.MODAL: {kinds.REPLY, kinds.DEFER_REPLY, kinds.DEFER_UPDATE, kinds.UPDATE},
}
"""The allowed first responses by kind of interaction."""


class InteractionResponder:
    """Answers interactions on behalf of the bot."""

    def __init__(self, world: World, interactions: InteractionRegistry) -> None:
        self._world = world
        self._interactions = interactions
        self.bot_errors: list[str] = []  # errors of the bot that a user would not notice

    def respond(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Json:
        """Handle the first response to an interaction. Return the `InteractionCallbackResponse` object."""
        response, data = payload.get("type"), payload.get("data") or {}
        if response not in ALLOWED_RESPONSES[one.kind] or (
            response in (kinds.DEFER_UPDATE, kinds.UPDATE) and not one.source
        ):
            raise build_form_error(("type",), "BASE_TYPE_CHOICES", "Not a response to this kind of interaction")
        match response:
            case kinds.REPLY:
                one.original = one.first_message = self._post(one, data, uploads)
            case kinds.DEFER_REPLY:
                post = self._build_reply(one, bool((data.get("flags") or 0) & EPHEMERAL))
                post.body["flags"] |= LOADING
                one.original = self._world.messages.post(post)
                one.awaits_reply = True
            case kinds.DEFER_UPDATE:
                one.original = one.source
            case kinds.UPDATE:
                one.original = one.first_message = self._edit(one.source, data, uploads)
            case kinds.CHOICES_TYPE:
                one.choices = self._check_choices(one, data.get("choices") or [])
            case kinds.FORM:
                one.form = self._open_form(one, data)
        self._interactions.record_response(one, response)
        summary: Json = {"id": one.id, "type": one.kind}
        resource: Json = {"type": response}
        if one.original is not None:
            flags = one.original.body["flags"]
            summary |= {
                "response_message_id": one.original.id,
                "response_message_loading": bool(flags & LOADING),
                "response_message_ephemeral": bool(flags & EPHEMERAL),
            }
            if response != kinds.DEFER_UPDATE:
                resource["message"] = one.original.body
        return {"interaction": summary, "resource": resource}

    def follow_up(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Post:
        """Post a further message. The first one after "thinking" replaces it and keeps its ephemeral state."""
        if one.awaits_reply and one.original is not None:
            return self._edit(one.original, payload, uploads, one)
        post = self._post(one, payload, uploads)
        one.first_message = one.first_message or post
        return post

    def find(self, one: Interaction, message_id: str) -> Post:
        """The message `@original`, or another message of this token. Raises ApiError 10008."""
        if message_id == "@original":
            if one.original is None:
                raise build_unknown_message()
            message_id = one.original.id
        elif message_id not in one.message_ids and (one.original is None or message_id != one.original.id):
            raise build_unknown_message()
        return self._world.messages.find(one.channel["id"], message_id)

    def edit(self, one: Interaction, message_id: str, payload: Json, uploads: Sequence[Upload]) -> Post:
        return self._edit(self.find(one, message_id), payload, uploads, one)

    def delete(self, one: Interaction, message_id: str) -> None:
        self._world.messages.remove(self.find(one, message_id))

    def _build_reply(self, one: Interaction, secret: bool) -> Post:
        world = self._world
        world.require_channel(one.channel["id"])
        body = world.build_message(one.channel, world.bot)
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
        one.message_ids.add(body["id"])
        return Post(body, one.user["id"] if secret else None)

    def _post(self, one: Interaction, payload: Json, uploads: Sequence[Upload]) -> Post:
        post = self._build_reply(one, bool((payload.get("flags") or 0) & EPHEMERAL))
        write_message(self._world, post.body, payload, uploads)
        return self._world.messages.post(post)

    def _edit(
        self, post: Post | None, payload: Json, uploads: Sequence[Upload], one: Interaction | None = None
    ) -> Post:
        if post is None:
            raise build_unknown_message()
        post = self._world.messages.find(post.channel_id, post.id)
        self._world.messages.edit(post, lambda body: write_message(self._world, body, payload, uploads))
        if one is not None:
            one.first_message = one.first_message or post
            if one.original is post:
                one.awaits_reply = False
        return post

    def _check_choices(self, one: Interaction, choices: list[Json]) -> list[Json]:
        errors = FormErrors()
        check_choices(choices, ("data",), errors)
        try:
            errors.raise_if_any()
        except ApiError as error:
            self.bot_errors.append(f"autocomplete of {one.name}: {error}")
            log.error("the bot's autocomplete answer for %s was refused: %s", one.name, error)
            raise
        return choices

    def _open_form(self, one: Interaction, data: Json) -> Json:
        errors = FormErrors()
        errors.check_length(("data", "custom_id"), data.get("custom_id"), 1, 100)
        errors.check_length(("data", "title"), data.get("title"), 1, 45)
        rows = data.get("components") or []
        if not 1 <= len(rows) <= 5:
            errors.add(("data", "components"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
        errors.raise_if_any()
        form = {key: data[key] for key in ("custom_id", "title", "components")}
        self._world.events.publish("modal", {"interaction_id": one.id} | form, only_for=one.user["id"], secret=True)
        return form
