"""The bot in this process, connected to a local Discord over real sockets.

Tests use it to let requests fail, lose answers, and delete messages, channels and permissions.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.app import build
from bot.client import Boneyard
from bot.computers.external_players import ExternalPlayers
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.core.admission import Admission
from bot.playground import components
from bot.playground.discord_limits import RateLimits
from bot.playground.injected_faults import Faults
from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord
from data.store.log.match_values import Head
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from engine.match.events import Event
from engine.table.commands import ViewHand
from tests.bot.sending.active_player import make_delayed_call_due
from tests.bot.simulated_guild import DealSecrets, build_greedy_chooser
from tests.bot.waiting import wait_until
from tests.data.store.empty import prepare_database
from tests.playground.page_user import PageUser

Json = dict[str, Any]


@dataclass(slots=True)
class RecordingFaults(Faults):
    """Injected faults, and a list of the bot's requests."""

    requests: list[str] = field(default_factory=list)
    release_events: dict[str, asyncio.Event] = field(default_factory=dict)

    def hold(self, part: str) -> asyncio.Event:
        """Hold requests that contain this text until the returned event is set."""
        return self.release_events.setdefault(part, asyncio.Event())

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        self.requests.append(line := f"{request.method} {request.path}")
        for part, release in self.release_events.items():
            if part in line:
                await release.wait()
        return await Faults.intercept_request(self, request)


@dataclass
class LocalBot:
    """A server with one channel, Ada and Grace, and the bot."""

    discord: LocalDiscord
    faults: RecordingFaults
    client: Boneyard
    store: Store
    deals: DealSecrets
    ada: PageUser
    grace: PageUser
    skipped: list[int]
    """Milliseconds that the test skipped on the clocks of the bot and Discord, in a list of one."""
    channel_id: str = field(default="")
    """The id of the channel with the table."""

    @property
    def people(self) -> dict[str, PageUser]:
        return {person.id: person for person in (self.ada, self.grace)}

    async def start_table(self, **options: object) -> Head:
        await self.use_command(self.ada, "tiles", "new", seats=2, **options)
        if options.get("thread"):
            self.channel_id = next(key for key, one in self.discord.world.channels.items() if one["type"] == 11)
        await self.grace.click(
            await self.ada.wait_for_message(self.channel_id, lambda one: "Join" in list_button_labels(one)),
            label="Join",
        )
        await self.ada.wait_for_message(self.channel_id, lambda one: one["mentions"])
        await self.wait_until_idle()
        return await self.load_head()

    async def load_head(self) -> Head:
        return await self.store.matches.find_head(1)

    async def list_events(self) -> list[Event]:
        return await self.store.matches.list_events(1)

    async def list_public_messages(self) -> list[Json]:
        found = await self.ada.fetch_messages(self.channel_id, 100)
        bot = self.discord.world.bot["id"]
        return [one for one in found if one["author"]["id"] == bot and not one["flags"] & 64]

    async def list_boards(self) -> list[Json]:
        """The messages that are a board or a lobby."""
        return [
            one
            for one in await self.list_public_messages()
            if not one["mentions"] and {"My hand", "Join"} & list_button_labels(one)
        ]

    async def list_calls(self) -> list[Json]:
        return [one for one in await self.list_public_messages() if one["mentions"]]

    async def get_mover(self) -> PageUser:
        head = await self.load_head()
        return self.people[str(head.turn.user)]

    async def move(self) -> str:
        answer = await self.place_tile()
        await self.settle_turn()
        return answer

    async def place_tile(self) -> str:
        mover = await self.get_mover()
        answer = await self.wait_for_answer(mover, await play_by_typing(mover, self.channel_id))
        await self.wait_until_idle()
        return read_text(answer)

    async def settle_turn(self) -> None:
        table = await self.client.services.tables.load(1)
        if table.state.tentative_turn is not None and (user := table.find_turn_user()) is not None:
            await self.client.services.acts.act(1, ViewHand(user))
            await make_delayed_call_due(self.store, 1, self.client.services.now())
            self.client.services.announcer.refresh(1)
            await self.wait_until_idle()

    async def wait_for_answer(self, person: PageUser, interaction: str) -> Json:
        return await person.wait_for_answer(self.channel_id, interaction)

    async def use_command(self, person: PageUser, /, *words: str, **options: object) -> Json:
        """Use a command in the channel and return the answer."""
        return await self.wait_for_answer(person, await person.use_command(self.channel_id, *words, **options))

    async def click(self, person: PageUser, message: Json, label: str) -> Json:
        """Click a button and return the answer in the channel."""
        return await self.wait_for_answer(person, await person.click(message, label=label))

    async def wait_until_idle(self) -> None:
        await self.client.services.announcer.wait_until_idle()

    async def wait_until_all_sent(self) -> None:
        await wait_until(self._has_sent_all)
        await self.wait_until_idle()

    async def _has_sent_all(self) -> bool:
        head = await self.load_head()
        return (
            head.shown_seq == head.seq
            and not await self.list_pending_posts()
            and not await self.store.outbox.list_blocked()
        )

    async def skip_time(self, seconds: float) -> None:
        """Skip time for the bot and Discord, and run the sweep."""
        self.skipped[0] += int(seconds * 1000)
        await self.client.services.announcer.sweep()
        await self.wait_until_idle()

    def take_requests(self) -> list[str]:
        """Return the bot's requests for the channel since the last call."""
        lines, self.faults.requests = self.faults.requests, []
        return [line for line in lines if f"/channels/{self.channel_id}" in line]

    async def list_pending_posts(self) -> list[OutboxRow]:
        """Return all posts that are not sent yet, due or not."""
        return await self.store.outbox.list_due(1 << 60, 100, match_id=1)

    async def list_direct_messages(self, person: PageUser) -> list[Json]:
        channel = self.discord.world.direct_channels.get(person.id)
        return await person.fetch_messages(channel) if channel else []


async def play_by_typing(person: PageUser, channel_id: str) -> str:
    """Use `/tiles play` with the first suggestions; return the id of the interaction."""
    tile = (await person.fetch_choices(channel_id, "tiles", "play", focused="tile", tile=""))[0]["value"]
    places = await person.fetch_choices(channel_id, "tiles", "play", focused="place", tile=tile, place="")
    return await person.use_command(channel_id, "tiles", "play", tile=tile, place=places[0]["value"])


def list_components(tree: object) -> list[Json]:
    return list(components.walk(tree))


def list_button_labels(message: Json) -> set[str]:
    """Return the button labels of a message."""
    return {one["label"] for one in list_components(message["components"]) if "label" in one}


def read_text(message: Json) -> str:
    return "\n".join(
        [message["content"], *(one["content"] for one in list_components(message["components"]) if one["type"] == 10)]
    ).strip()


@asynccontextmanager
async def run_local_bot(
    url: str,
    *,
    admission: Admission | None = None,
    rates: RateLimits | None = None,
    thinking: MoveChooser | None = None,
    programs: ExternalPlayers | None = None,
    review_workers: WorkerPool | None = None,
) -> AsyncIterator[LocalBot]:
    skipped, faults = [0], RecordingFaults()
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(
            LocalDiscord(
                None,
                port=0,
                now=lambda: time.time() + skipped[0] / 1000,
                answer_within=300.0,
                faults=faults,
                rates=rates,
            )
        )
        store = await Store.open(await prepare_database(url))
        stack.push_async_callback(store.close)
        deals = DealSecrets()
        client = build(
            store,
            clock=lambda: int(time.time() * 1000) + skipped[0],
            secret=deals,
            admission=admission,
            thinking=thinking or build_greedy_chooser(),
            workers={"reviews": review_workers} if review_workers else None,
            programs=programs,
        )
        people = [await stack.enter_async_context(PageUser(discord.address, name)) for name in ("Ada", "Grace")]
        stack.callback(redirect_clients(discord.url))
        running = asyncio.create_task(client.start(discord.token))
        stack.push_async_callback(_wait_for_end, running)
        stack.push_async_callback(client.close)
        async with asyncio.timeout(300):
            await discord.gateway.connected.wait()
        yield LocalBot(discord, faults, client, store, deals, *people, skipped, discord.world.welcome_channel)
        await client.services.announcer.wait_until_idle()
        for end in client.app.shutdown_jobs:
            await end()
        assert discord.replies.bot_errors == []


@asynccontextmanager
async def run_second_bot(local: LocalBot, url: str) -> AsyncIterator[Boneyard]:
    """Run another process of the bot on the same database, without a gateway."""
    store = await Store.open(url)
    client = build(store, clock=local.client.services.now)
    await client.login(local.discord.token)
    try:
        yield client
    finally:
        await client.close()
        await store.close()


async def _wait_for_end(running: asyncio.Task[None]) -> None:
    with suppress(asyncio.CancelledError):
        await running
