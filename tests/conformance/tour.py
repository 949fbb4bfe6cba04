"""Use every command and button of the bot over real sockets; the requests are compared with Discord's OpenAPI schema.

The commands are read from the bot's registration, the buttons from the messages it posts.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

import bot.tables.messages
from bot.app import build
from bot.client import Boneyard
from bot.core.admission import Admission, NoRateLimit
from bot.core.layout import CustomId, parse_custom_id
from bot.playground import components
from bot.playground.commands import BOOLEAN, CHANNEL, INTEGER, NUMBER, STRING, SUB_COMMAND, SUB_GROUP, USER
from bot.playground.injected_faults import Faults
from bot.playground.server import LocalDiscord
from bot.tables.hand_views import MORE_MOVES
from data.store.connection.shards import PULSE_PREFIX
from data.store.log.match_values import Head
from data.store.store import Store
from tests.bot.reviews.quick_reviewer import create_quick_workers
from tests.bot.simulated_guild import DealSecrets
from tests.conformance.loopback import connect
from tests.conformance.stage import Json
from tests.crash.fork_server import BLANK
from tests.data.store.empty import prepare_database
from tests.playground.page_user import PageUser

TIMEOUT: Final = 300.0  # seconds to wait for any effect
MAX_TURNS: Final = 400  # a longer match is in an endless loop


class UnlimitedAdmission(Admission):
    def __init__(self) -> None:
        super().__init__(NoRateLimit(), NoRateLimit())

    async def wait_until_idle(self) -> None:
        await self._empty.wait()


@dataclass(frozen=True)
class LeafCommand:
    """A command without subcommands, and its options."""

    path: tuple[str, ...]
    options: list[Json]

    @property
    def name(self) -> str:
        return " ".join(self.path)


@dataclass(frozen=True)
class ShownComponent:
    who: str
    message: Json
    component: Json
    custom_id: CustomId


@dataclass
class Tour:
    """A server with a channel, three users and the bot."""

    discord: LocalDiscord
    client: Boneyard
    store: Store
    admission: UnlimitedAdmission
    people: dict[str, PageUser]
    skipped_ms: list[int]  # milliseconds by which all clocks were advanced
    place: str  # id of the channel with the table
    command_counts: Counter[str] = field(default_factory=Counter)  # number of uses by command
    verb_counts: Counter[str] = field(default_factory=Counter)
    """Number of uses by verb of a button or menu that the bot had posted."""
    deals: DealSecrets = field(default_factory=DealSecrets)

    def iterate_commands(self) -> Iterator[LeafCommand]:
        for command in self.discord.commands.list_registered("everywhere"):
            yield from _iterate_leaf_commands((command["name"],), command["options"])

    def find_command(self, root: str, name: str) -> LeafCommand:
        return next(one for one in self.iterate_commands() if one.path[0] == root and one.path[-1] == name)

    async def list_components(self) -> list[ShownComponent]:
        found = []
        for who in self.people:
            for _, message in await self.list_messages(who):
                found += [
                    ShownComponent(who, message, one, custom_id)
                    for one in components.walk(message["components"])
                    if "custom_id" in one
                    and not one.get("disabled")
                    and (custom_id := parse_custom_id(one["custom_id"]))
                ]
        return sorted(found, key=lambda one: int(one.message["id"]), reverse=True)

    async def list_messages(self, who: str) -> list[tuple[int, Json]]:
        """Return the messages that a user sees in this channel and in direct messages, with their number in each."""
        person = self.people[who]
        direct = self.discord.world.direct_channels.get(person.id)
        places = (self.place, *([direct] if direct else []))
        return [one for place in places for one in enumerate(await person.fetch_messages(place, 100))]

    async def use(self, who: str, leaf: LeafCommand, **options: Any) -> str:
        resolved = {name: self.people[one].id if one in self.people else one for name, one in options.items()}
        person = self.people[who]
        interaction_id = await person.use_command(self.place, leaf.path[0], *leaf.path[1:], **resolved)
        self.command_counts[leaf.name] += 1
        return await self._read_answer(person, interaction_id)

    async def use_tiles(self, who: str, name: str, **options: Any) -> str:
        return await self.use(who, self.find_command("tiles", name), **options)

    async def use_tiles_host(self, who: str, name: str, **options: Any) -> str:
        return await self.use(who, self.find_command("tiles-host", name), **options)

    async def click(self, one: ShownComponent) -> str:
        person, kind = self.people[one.who], one.component["type"]
        custom_id = one.component["custom_id"]
        if kind == components.BUTTON:
            interaction_id = await person.click(one.message, custom_id=custom_id)
        elif kind == components.USER_SELECT:
            interaction_id = await person.select(one.message, [self.people["Linus"].id], custom_id=custom_id)
        else:
            # The entry *More* is chosen once; it leads to the menu of tiles.
            values = [option["value"] for option in one.component["options"]]
            value = MORE_MOVES if MORE_MOVES in values and not self.verb_counts["tile"] else values[0]
            interaction_id = await person.select(one.message, [value], custom_id=custom_id)
        self.verb_counts[one.custom_id.verb] += 1
        answer = await self._read_answer(person, interaction_id)
        opened = self.discord.interactions.find(interaction_id)
        if opened is not None and opened.form is not None:
            inner = components.walk(opened.form["components"])
            fields = {field["custom_id"]: "hello" for field in inner if "custom_id" in field}
            submitted = await person.submit({"interaction_id": interaction_id, **opened.form}, **fields)
            answer = await self._read_answer(person, submitted)
        return answer

    async def click_newest(self, who: str, verb: str, argument: str | None = None) -> str:
        for one in await self.list_components():
            if one.who == who and one.custom_id.verb == verb and argument in (None, one.custom_id.argument):
                return await self.click(one)
        raise AssertionError(f"{who} sees no {verb} {argument or ''}")

    async def click_each(self, who: str, *buttons: str) -> None:
        """Click the newest button of each of these verbs; a verb may have an argument."""
        for button in buttons:
            verb, _, argument = button.partition(" ")
            await self.click_newest(who, verb, argument or None)

    async def resign(self, who: str) -> None:
        await self.use_tiles(who, "resign")
        await self.click_newest(who, "resign", "yes")

    async def move_to_new_channel(self) -> None:
        name = f"table-{len(self.discord.world.channels)}"
        self.place = self.discord.world.add_channel(name)["id"]

    async def _read_answer(self, person: PageUser, interaction_id: str) -> str:
        outcome = await person.fetch_outcome(interaction_id)
        assert outcome["state"] == "answered", outcome
        await self.wait_until_idle()
        one = self.discord.interactions.find(interaction_id)
        return "" if one is None or one.original is None else _read_text(one.original.body)

    async def wait_until_idle(self) -> None:
        for _ in range(2):  # An answer can lead to an announcement and to a computer's turn.
            await self.admission.wait_until_idle()
            await self.client.services.announcer.wait_until_idle()
            await self.client.services.alerts.wait_until_idle()
            for drain in self.client.app.drain_jobs:
                await drain()

    async def skip_time(self, seconds: float) -> None:
        self.skipped_ms[0] += int(seconds * 1000)
        # Skipped time must not look like an outage of the bot.
        await self.store.operations.record_pulse(PULSE_PREFIX, now=self.client.services.now())
        await self.client.services.scheduler.sweep()
        await self.client.services.alerts.sweep()
        await self.wait_until_idle()

    async def load_head(self) -> Head | None:
        heads = await self.store.matches.list_heads_in_channel(int(self.place))
        return max(heads, key=lambda head: head.match_id, default=None)

    async def open_table(self, **options: Any) -> None:
        await self.use_tiles("Ada", "new", seats=2, **options)
        await self.click_newest("Grace", "join")

    async def play_match(self, *, min_turns: int = 0) -> int:
        for turn in range(MAX_TURNS):
            head = await self.wait_until_settled()
            if head is None or head.state != "open" or (min_turns and turn >= min_turns):
                return turn
            who = next(name for name, person in self.people.items() if person.id == str(head.turn.user))
            before = head.seq
            await (self._play_by_menu(who) if turn % 2 else self.place_tile(who))
            if await self._is_unchanged(before):
                await self._choose_draw_or_pass(who)
            if await self._is_unchanged(before):
                newest = [_read_text(one) for one in (await self.people[who].fetch_messages(self.place, 100))[-3:]]
                raise AssertionError(f"{who} cannot go on: {newest}")
        raise AssertionError("the match has no end")

    async def list_turn_order(self) -> tuple[str, str]:
        head = await self.wait_until_settled()
        return ("Ada", "Grace") if str(head.turn.user) == self.people["Ada"].id else ("Grace", "Ada")

    async def _is_unchanged(self, seq: int) -> bool:
        head = await self.load_head()
        return head is not None and head.seq == seq

    async def wait_until_settled(self) -> Head | None:
        async with asyncio.timeout(TIMEOUT):
            while True:
                await self.wait_until_idle()
                head = await self.load_head()
                is_open = head is not None and head.state == "open"
                has_turn_user = head is not None and head.turn is not None and head.turn.user is not None
                if (has_turn_user or not is_open) and not await self._settle_turn(head):
                    return head
                await self.client.services.scheduler.sweep()

    async def _settle_turn(self, head: Head | None) -> bool:
        if head is None or head.state != "open":
            return False
        table = await self.client.services.tables.load(head.match_id)
        user = table.find_turn_user()
        if table.state.tentative_turn is None or user is None:
            return False
        who = next(name for name, person in self.people.items() if person.id == str(user))
        await self.use_tiles(who, "hand")
        return True

    async def place_tile(self, who: str) -> None:
        path, person = self.find_command("tiles", "play").path, self.people[who]
        tiles = await person.fetch_choices(self.place, path[0], *path[1:], focused="tile", tile="")
        if not tiles:
            await self._choose_draw_or_pass(who)
            return
        tile = tiles[0]["value"]
        places = await person.fetch_choices(self.place, path[0], *path[1:], focused="place", tile=tile, place="")
        await self.use_tiles(who, "play", tile=tile, **({"place": places[0]["value"]} if places else {}))

    async def _play_by_menu(self, who: str) -> None:
        await self.use_tiles(who, "hand")
        for verb in ("move", "tile", "move", "play"):
            newest = max(await self.people[who].fetch_messages(self.place, 100), key=lambda one: int(one["id"]))
            matching = [one for one in await self.list_components() if one.who == who and one.custom_id.verb == verb]
            if matching and matching[0].message["id"] == newest["id"]:
                await self.click(matching[0])
        head = await self.load_head()
        if head is not None and head.state == "open" and head.turn is not None and head.turn.user is not None:
            await self.place_tile(who) if str(head.turn.user) == self.people[who].id else None

    async def _choose_draw_or_pass(self, who: str) -> None:
        await self.use_tiles(who, "hand")
        for one in await self.list_components():
            if one.who == who and one.custom_id.verb in ("choose", "draw", "pass"):
                await self.click(one)
                return
        await self.use_tiles(who, "pass")


def disable_pictures(patch: pytest.MonkeyPatch) -> None:
    for name in ("render_table", "render_hand"):
        patch.setattr(bot.tables.messages, name, lambda *_, **__: BLANK)


def _iterate_leaf_commands(path: tuple[str, ...], options: list[Json]) -> Iterator[LeafCommand]:
    subcommands = [one for one in options if one["type"] in (SUB_COMMAND, SUB_GROUP)]
    for one in subcommands:
        yield from _iterate_leaf_commands((*path, one["name"]), one.get("options") or [])
    if not subcommands:
        yield LeafCommand(path, options)


def choose_value(option: Json, place: str) -> Any:
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


def _read_text(message: Json) -> str:
    texts = (one["content"] for one in components.walk(message["components"]) if one["type"] == components.TEXT)
    return "\n".join([message["content"], *texts]).strip()


@asynccontextmanager
async def open_tour(folder: Path, faults: Faults, tour_class: type[Tour] = Tour) -> AsyncIterator[Tour]:
    """Open a tour on a new database. At the end, the bot must not have sent a request that Discord rejected."""
    skipped_ms, admission = [0], UnlimitedAdmission()
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(
            # Discord's limit of three seconds is not tested here: a busy machine may take longer.
            LocalDiscord(
                None, port=0, now=lambda: time.time() + skipped_ms[0] / 1000, faults=faults, answer_within=TIMEOUT
            )
        )
        store = await Store.open(await prepare_database(f"sqlite:///{folder / f'tour-{time.monotonic_ns()}.db'}"))
        stack.push_async_callback(store.close)
        deals = DealSecrets()
        client = build(
            store,
            clock=lambda: int(time.time() * 1000) + skipped_ms[0],
            secret=deals,
            admission=admission,
            workers={"reviews": create_quick_workers()},
        )
        people = await stack.enter_async_context(connect(discord, client))
        async with asyncio.timeout(TIMEOUT):
            while discord.commands.find_usable(next(iter(discord.world.guilds)), "tiles") is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        yield tour_class(
            discord, client, store, admission, people, skipped_ms, discord.world.welcome_channel, deals=deals
        )
        await client.services.announcer.wait_until_idle()
