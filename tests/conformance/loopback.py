"""The stage over real sockets: the local Discord with the routes of its page, and the real client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from bot.client import Boneyard
from bot.playground.channel_messages import Post
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from tests.conformance.stage import PEOPLE, TABLE, Json
from tests.playground.page_user import PageUser


class LoopbackStage:
    """A local Discord, used through the routes of its page."""

    def __init__(self, discord: LocalDiscord, client: Boneyard, people: dict[str, PageUser]) -> None:
        self.client = client
        self._discord = discord
        self._people = people

    @property
    def names(self) -> dict[str, str]:
        world = self._discord.world
        known = {one["id"]: one["name"] for one in world.channels.values()}
        known |= {person.id: name for name, person in self._people.items()}
        return known | {next(iter(world.guilds)): "the server", world.bot["id"]: "the bot"}

    @property
    def places(self) -> list[str]:
        channels = self._discord.world.channels.values()
        return [TABLE, *(one["name"] for one in channels if one["parent_id"] == self._find_id(TABLE))]

    def _find_id(self, name: str) -> str:
        return next(key for key, value in self.names.items() if value == name)

    async def use_command(self, who: str, place: str, command: str, /, **options: Any) -> None:
        options = {name: self._people[value].id if value in self._people else value for name, value in options.items()}
        interaction_id = await self._people[who].use_command(self._find_id(place), *command.split(), **options)
        await self._people[who].fetch_outcome(interaction_id)

    async def suggest(self, who: str, place: str, command: str, option: str, typed: str, /, **given: Any) -> list[Json]:
        given[option] = typed
        return await self._people[who].fetch_choices(self._find_id(place), *command.split(), focused=option, **given)

    async def click(self, who: str, message: Json, custom_id: str) -> None:
        interaction_id = await self._people[who].click(message, custom_id=custom_id)
        await self._people[who].fetch_outcome(interaction_id)  # waits for the answer, as `use_command` does

    async def choose(self, who: str, message: Json, custom_id: str, value: str) -> None:
        await self._people[who].select(message, [value], custom_id=custom_id)

    async def say(self, who: str, place: str, text: str) -> None:
        # The page has no input for chat messages, so the message is posted in the world directly.
        world = self._discord.world
        body = world.build_message(world.channels[self._find_id(place)], world.users[self._people[who].id])
        world.messages.post(Post(body | {"content": text}))

    async def delete(self, message: Json) -> None:
        self._discord.world.delete_message(message["channel_id"], message["id"])

    async def view(self, who: str, place: str) -> list[Json]:
        return await self._people[who].fetch_messages(self._find_id(place), 100)


@asynccontextmanager
async def open_loopback_stage(client: Boneyard) -> AsyncIterator[LoopbackStage]:
    async with LocalDiscord(None, port=0) as discord, connect(discord, client) as people:
        yield LoopbackStage(discord, client, people)


@asynccontextmanager
async def connect(discord: LocalDiscord, client: Boneyard) -> AsyncIterator[dict[str, PageUser]]:
    """Connect the bot and three users. At the end everything is closed, and the bot must have caused no error."""
    async with AsyncExitStack() as stack:
        people = {name: await stack.enter_async_context(PageUser(discord.address, name)) for name in PEOPLE}
        stack.callback(redirect_clients(discord.url))
        running = asyncio.create_task(client.start(discord.token))
        stack.push_async_callback(asyncio.gather, running, return_exceptions=True)
        stack.push_async_callback(client.close)
        async with asyncio.timeout(300):
            # Not client.wait_until_ready(): discord.py waits two more seconds for further servers.
            await discord.gateway.connected.wait()
        yield people
        assert discord.replies.bot_errors == []
