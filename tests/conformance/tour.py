"""Use every command and button of the bot over real sockets; the requests are compared with Discord's OpenAPI schema.

The commands are read from the bot's registration, the buttons from the messages it posts.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bot.app import build
from bot.client import Boneyard
from bot.core.admission import Admission, NoRateLimit
from bot.core.layout import CustomId, parse_custom_id
from bot.playground import components
from bot.playground.commands import BOOLEAN, CHANNEL, INTEGER, NUMBER, STRING, SUB_COMMAND, SUB_GROUP, USER
from bot.playground.injected_faults import Faults
from bot.playground.launch import redirect_clients
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from data.store.connection.shards import PULSE_PREFIX
from data.store.log.match_values import Head
from data.store.store import Store
from tests.bot.reviews.quick_reviewer import quickly
from tests.bot.simulated_guild import Deals
from tests.data.store.empty import laid

Json = dict[str, Any]

PEOPLE: Final = ("Ada", "Grace", "Linus")
LONGEST: Final = 300.0  # Seconds that something may take to happen
MOST_TURNS: Final = 400  # A match that takes longer goes in circles


class Doors(Admission):
    def __init__(self) -> None:
        super().__init__(NoRateLimit(), NoRateLimit())

    async def idle(self) -> None:
        await self._empty.wait()


@dataclass(frozen=True)
class Leaf:
    """A command that can be used, and what it asks for."""

    path: tuple[str, ...]
    options: list[Json]

    @property
    def name(self) -> str:
        return " ".join(self.path)


@dataclass(frozen=True)
class Shown:
    who: str
    message: Json
    component: Json
    press: CustomId


@dataclass
class Tour:
    """A server with a channel, three people and the bot."""

    discord: LocalDiscord
    client: Boneyard
    store: Store
    doors: Doors
    people: dict[str, PageUser]
    skipped: list[int]  # Milliseconds that all clocks were put on
    place: str  # The id of the channel that is played in
    used: Counter[str] = field(default_factory=Counter)  # The commands that were used, and how often
    pressed: Counter[str] = field(default_factory=Counter)
    """The verbs of the buttons and menus that were used; all of them the bot had posted."""
    deals: Deals = field(default_factory=Deals)

    def leaves(self) -> Iterator[Leaf]:
        for command in self.discord.commands.list_registered("everywhere"):
            yield from _leaves((command["name"],), command["options"])

    def leaf(self, root: str, name: str) -> Leaf:
        return next(one for one in self.leaves() if one.path[0] == root and one.path[-1] == name)

    async def shown(self) -> list[Shown]:
        found = []
        for who, person in self.people.items():
            direct = self.discord.world.direct_channels.get(person.id)
            for place in (self.place, *([direct] if direct else [])):
                for message in await person.fetch_messages(place, 100):
                    found += [
                        Shown(who, message, one, press)
                        for one in components.walk(message["components"])
                        if "custom_id" in one
                        and not one.get("disabled")
                        and (press := parse_custom_id(one["custom_id"]))
                    ]
        return sorted(found, key=lambda one: int(one.message["id"]), reverse=True)

    async def use(self, who: str, leaf: Leaf, **options: Any) -> str:
        given = {name: self.people[one].id if one in self.people else one for name, one in options.items()}
        person = self.people[who]
        used = await person.use_command(self.place, leaf.path[0], *leaf.path[1:], **given)
        self.used[leaf.name] += 1
        return await self._told(person, used)

    async def tiles(self, who: str, name: str, **options: Any) -> str:
        return await self.use(who, self.leaf("tiles", name), **options)

    async def tiles_host(self, who: str, name: str, **options: Any) -> str:
        return await self.use(who, self.leaf("tiles-host", name), **options)

    async def press(self, one: Shown) -> str:
        person, kind = self.people[one.who], one.component["type"]
        custom_id = one.component["custom_id"]
        if kind == components.BUTTON:
            used = await person.click(one.message, custom_id=custom_id)
        elif kind == components.USER_SELECT:
            used = await person.select(one.message, [self.people["Linus"].id], custom_id=custom_id)
        else:
            used = await person.select(one.message, [one.component["options"][0]["value"]], custom_id=custom_id)
        self.pressed[one.press.verb] += 1
        told = await self._told(person, used)
        opened = self.discord.interactions.find(used)
        if opened is not None and opened.form is not None:
            fields = {
                inner["custom_id"]: "hello"
                for inner in components.walk(opened.form["components"])
                if "custom_id" in inner
            }
            told = await self._told(person, await person.submit({"interaction_id": used, **opened.form}, **fields))
        return told

    async def press_newest(self, who: str, verb: str, argument: str | None = None) -> str:
        for one in await self.shown():
            if one.who == who and one.press.verb == verb and argument in (None, one.press.argument):
                return await self.press(one)
        raise AssertionError(f"{who} sees no {verb} {argument or ''}")

    async def elsewhere(self) -> None:
        name = f"table-{len(self.discord.world.channels)}"
        self.place = self.discord.world.add_channel(name)["id"]

    async def _told(self, person: PageUser, used: str) -> str:
        outcome = await person.fetch_outcome(used)
        assert outcome["state"] == "answered", outcome
        await self.quiet()
        one = self.discord.interactions.find(used)
        return "" if one is None or one.original is None else _words(one.original.body)

    async def quiet(self) -> None:
        for _ in range(2):  # An answer can lead to an announcement and to a computer's turn.
            await self.doors.idle()
            await self.client.services.announcer.wait_until_idle()
            await self.client.services.alerts.wait_until_idle()
            for idle in self.client.app.drain_jobs:
                await idle()

    async def later(self, seconds: float) -> None:
        self.skipped[0] += int(seconds * 1000)
        # The bot was there all the while: time that is skipped is no outage.
        await self.store.operations.record_pulse(PULSE_PREFIX, now=self.client.services.now())
        await self.client.services.scheduler.sweep()
        await self.client.services.alerts.sweep()
        await self.quiet()

    async def head(self) -> Head | None:
        return max(
            await self.store.matches.list_heads_in_channel(int(self.place)),
            key=lambda head: head.match_id,
            default=None,
        )

    async def open_table(self, **options: Any) -> None:
        await self.tiles("Ada", "new", seats=2, **options)
        await self.press_newest("Grace", "join")

    async def play_out(self, *, least: int = 0) -> int:
        for turn in range(MOST_TURNS):
            head = await self.settled()
            if head is None or head.state != "open" or (least and turn >= least):
                return turn
            who = next(name for name, person in self.people.items() if person.id == str(head.turn.user))
            before = head.seq
            await (self._by_menu(who) if turn % 2 else self._by_typing(who))
            if await self._stands(before):
                await self._otherwise(who)
            if await self._stands(before):
                told = [_words(one) for one in (await self.people[who].fetch_messages(self.place, 100))[-3:]]
                raise AssertionError(f"{who} cannot go on: {told}")
        raise AssertionError("the match has no end")

    async def movers(self) -> tuple[str, str]:
        head = await self.settled()
        return ("Ada", "Grace") if str(head.turn.user) == self.people["Ada"].id else ("Grace", "Ada")

    async def place_one(self, who: str) -> None:
        await self._by_typing(who)

    async def _stands(self, seq: int) -> bool:
        head = await self.head()
        return head is not None and head.seq == seq

    async def settled(self) -> Head | None:
        async with asyncio.timeout(LONGEST):
            while True:
                await self.quiet()
                head = await self.head()
                going_on = head is not None and head.state == "open"
                moves = head is not None and head.turn is not None and head.turn.user is not None
                if (moves or not going_on) and not await self._waits(head):
                    return head
                await self.client.services.scheduler.sweep()

    async def _waits(self, head: Head | None) -> bool:
        if head is None or head.state != "open":
            return False
        table = await self.client.services.tables.load(head.match_id)
        user = table.find_turn_user()
        if table.state.tentative_turn is None or user is None:
            return False
        who = next(name for name, person in self.people.items() if person.id == str(user))
        await self.tiles(who, "hand")
        return True

    async def _by_typing(self, who: str) -> None:
        path, person = self.leaf("tiles", "play").path, self.people[who]
        offered = await person.fetch_choices(self.place, path[0], *path[1:], focused="tile", tile="")
        if not offered:
            await self._otherwise(who)
            return
        tile = offered[0]["value"]
        places = await person.fetch_choices(self.place, path[0], *path[1:], focused="place", tile=tile, place="")
        await self.tiles(who, "play", tile=tile, **({"place": places[0]["value"]} if places else {}))

    async def _by_menu(self, who: str) -> None:
        await self.tiles(who, "hand")
        for verb in ("tile", "move", "play"):
            newest = max(await self.people[who].fetch_messages(self.place, 100), key=lambda one: int(one["id"]))
            there = [one for one in await self.shown() if one.who == who and one.press.verb == verb]
            if there and there[0].message["id"] == newest["id"]:
                await self.press(there[0])
        head = await self.head()
        if head is not None and head.state == "open" and head.turn is not None and head.turn.user is not None:
            await self._by_typing(who) if str(head.turn.user) == self.people[who].id else None

    async def _otherwise(self, who: str) -> None:
        await self.tiles(who, "hand")
        for one in await self.shown():
            if one.who == who and one.press.verb in ("choose", "draw", "pass"):
                await self.press(one)
                return
        await self.tiles(who, "pass")


def _leaves(path: tuple[str, ...], options: list[Json]) -> Iterator[Leaf]:
    inner = [one for one in options if one["type"] in (SUB_COMMAND, SUB_GROUP)]
    for one in inner:
        yield from _leaves((*path, one["name"]), one.get("options") or [])
    if not inner:
        yield Leaf(path, options)


def value_for(option: Json, place: str) -> Any:
    if option.get("choices"):
        return option["choices"][0]["value"]
    kinds: Json = {
        STRING: "hello",
        INTEGER: option.get("min_value", 1),
        NUMBER: option.get("min_value", 1),
        BOOLEAN: True,
        USER: "Linus",
        CHANNEL: place,
    }
    return kinds.get(option["type"])


def _words(message: Json) -> str:
    held = (one["content"] for one in components.walk(message["components"]) if one["type"] == components.TEXT)
    return "\n".join([message["content"], *held]).strip()


@asynccontextmanager
async def tour(folder: Path, faults: Faults, kind: type[Tour] | None = None) -> AsyncIterator[Tour]:
    """A tour on a new database. The bot must have made no fault that people see as "nothing happened"."""
    skipped, doors = [0], Doors()
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(
            # Nothing here is about the three seconds that Discord waits: a busy machine may take longer.
            LocalDiscord(
                None, port=0, now=lambda: time.time() + skipped[0] / 1000, faults=faults, answer_within=LONGEST
            )
        )
        store = await Store.open(await laid(f"sqlite:///{folder / f'tour-{time.monotonic_ns()}.db'}"))
        stack.push_async_callback(store.close)
        deals = Deals()
        client = build(
            store,
            clock=lambda: int(time.time() * 1000) + skipped[0],
            secret=deals,
            admission=doors,
            workers={"reviews": quickly()},
        )
        people = {name: await stack.enter_async_context(PageUser(discord.address, name)) for name in PEOPLE}
        stack.callback(redirect_clients(discord.url))
        running = asyncio.create_task(client.start(discord.token))
        stack.push_async_callback(_ended, running)
        stack.push_async_callback(client.close)
        async with asyncio.timeout(LONGEST):
            await discord.gateway.connected.wait()
            while discord.commands.find_usable(next(iter(discord.world.guilds)), "tiles") is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        yield (kind or Tour)(discord, client, store, doors, people, skipped, discord.world.welcome_channel, deals=deals)
        await client.services.announcer.wait_until_idle()
        assert discord.bot_errors == []


async def _ended(running: asyncio.Task[None]) -> None:
    with suppress(asyncio.CancelledError):
        await running
