"""The stage inside this process: simcord."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord
import simcord
from simcord import ChannelHandle, Env, InteractionResult, ResponseMessage

from bot.client import Boneyard
from tests.conformance.stage import PEOPLE, TABLE, Json


class SimulatedStage:
    """A server in simcord, read only through its public interface."""

    def __init__(self, env: Env, client: Boneyard) -> None:
        self.client = client
        guild = env.create_guild("Your server")
        self._guild_id = guild.id
        self._channel = guild.create_text_channel(TABLE)
        self._people = {name: guild.add_member(env.create_user(name.lower(), global_name=name)) for name in PEOPLE}
        moderator = guild.create_role("moderator", permissions=discord.Permissions(manage_messages=True))
        self._moderator = guild.add_member(env.create_user("moderator"), roles=[moderator])
        self._answers: list[InteractionAnswers] = []

    @property
    def names(self) -> dict[str, str]:
        known = {str(self._guild_id): "the server", str(self.client.user.id): "the bot"}
        known |= {str(person.id): name for name, person in self._people.items()}
        return known | {str(place.id): name for name, place in self._find_places().items()}

    @property
    def places(self) -> list[str]:
        return list(self._find_places())

    def _find_places(self) -> dict[str, ChannelHandle]:
        return {str(place.name): place for place in (self._channel, *self._channel.threads)}

    async def use_command(self, who: str, place: str, command: str, /, **options: Any) -> None:
        options = {name: self._people.get(value, value) for name, value in options.items()}
        result = await self._people[who].slash(self._find_places()[place], command, **options)
        self._answers.append(InteractionAnswers(result, None))

    async def suggest(self, who: str, place: str, command: str, option: str, typed: str, /, **given: Any) -> list[Json]:
        return await self._people[who].autocomplete(self._find_places()[place], command, option, typed, **given)

    async def click(self, who: str, message: Json, custom_id: str) -> None:
        result = await self._people[who].click(self._find_message(who, message), custom_id=custom_id)
        self._answers.append(InteractionAnswers(result, message))

    async def choose(self, who: str, message: Json, custom_id: str, value: str) -> None:
        found = self._find_message(who, message)
        result = await self._people[who].select(found, [value], custom_id=custom_id)
        self._answers.append(InteractionAnswers(result, message))

    async def say(self, who: str, place: str, text: str) -> None:
        await self._people[who].send(self._find_places()[place], text)

    async def delete(self, message: Json) -> None:
        await self._moderator.delete(self._find_message(PEOPLE[0], message))

    def _find_message(self, who: str, message: Json) -> discord.Message:
        place = next(one for one in self._find_places().values() if str(one.id) == str(message["channel_id"]))
        return next(one for one in place.history(viewer=self._people[who]) if str(one.id) == message["id"])

    async def view(self, who: str, place: str) -> list[Json]:
        channel_id = self._find_places()[place].id
        visible_ids = [str(one.id) for one in self._find_places()[place].history(viewer=self._people[who])]
        bodies = {body["id"]: dict(body) for body in await self.client.http.logs_from(channel_id, 100)}
        for answers in self._answers:
            for one in answers.messages:
                if str(one.id) in visible_ids and str(one.id) not in bodies:
                    bodies[str(one.id)] = answers.build_body(one)
        return [bodies[message_id] for message_id in visible_ids]


@dataclass(frozen=True)
class InteractionAnswers:
    result: InteractionResult
    clicked_message: Json | None

    @property
    def messages(self) -> list[ResponseMessage]:
        return [*([self.result.response] if self.result.response else []), *self.result.followups]

    def build_body(self, answer: ResponseMessage) -> Json:
        message, clicked = answer.message, self.clicked_message
        metadata = message.interaction_metadata
        return {
            "id": str(message.id),
            "channel_id": str(message.channel.id),
            "type": message.type.value if clicked is None else discord.MessageType.reply.value,
            "author": {"id": str(message.author.id)},
            "content": message.content,
            "flags": message.flags.value,
            "edited_timestamp": message.edited_at and message.edited_at.isoformat(),
            "pinned": message.pinned,
            "tts": message.tts,
            "mention_everyone": message.mention_everyone,
            "mentions": [{"id": str(one.id)} for one in message.mentions],
            "mention_roles": [str(one) for one in message.raw_role_mentions],
            "embeds": [embed.to_dict() for embed in message.embeds],
            "attachments": [one.to_dict() for one in message.attachments],
            "components": answer.components,
            "message_reference": clicked and {"message_id": clicked["id"]},
            "interaction_metadata": {"type": metadata.type.value, "user": {"id": str(metadata.user.id)}},
        }


@asynccontextmanager
async def open_simulated_stage(client: Boneyard) -> AsyncIterator[SimulatedStage]:
    async with simcord.run(client, settle_timeout=15) as env:
        yield SimulatedStage(env, client)
        await env.settle()
