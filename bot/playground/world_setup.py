"""Creates a new world or restores it from the shelf."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.playground import payloads
from bot.playground.channel_messages import Post, Timeline, blob_key
from bot.playground.page_words import page_words
from bot.playground.payloads import DIRECT, THREAD, Json, WallClock
from bot.playground.world import World
from bot.playground.world_storage import Shelf
from data.words import words

BOT_NAME = "Boneyard"
FIRST_PEOPLE = ("Ada", "Grace", "Linus")
FIRST_CHANNELS = (("tiles", "page.first_topic_tiles"), ("games-night", "page.first_topic_second"))
WELCOME = (
    "**Welcome!** This is a practice server on your own machine; nothing leaves it.\n"
    "Type `/tiles new` to open a table, or `/tiles help` to see how it goes.\n"
    "Pick who you are at the right, or open a second tab as someone else and play against yourself."
)


def open_world(shelf: Shelf, now: WallClock, *, greet: bool = True) -> tuple[World, list[Json]]:
    """Return the world on this shelf and its registered commands. A new world can `greet` with a message."""
    world, stored = World(shelf, now), shelf.load()
    if stored.get("self"):
        _recall(world, stored)
    else:
        _furnish(world, greet=greet)
    if not world.page_key:
        world.lock()
    return world, stored.get("commands", [])


def _furnish(world: World, *, greet: bool) -> None:
    world.bot = payloads.user(world.ids.next(), BOT_NAME, "#c9a86a", bot=True)
    world.system = payloads.user(world.ids.next(), "Welcome", "#7f8ea3", bot=True, system=True)
    world.shelf.put("self", "bot", world.bot)
    world.shelf.put("self", "system", world.system)
    for name in FIRST_PEOPLE:
        world.add_person(name)
    guild = world.add_guild(words()("page.first_guild"))
    for name, topic in FIRST_CHANNELS:
        world.add_channel(name, topic=words()(topic), guild_id=guild["id"])
    place = world.channels[world.welcome_channel]
    if greet:
        world.talk.post(Post(world.blank_message(place, world.system) | {"content": WELCOME}))


def _recall(world: World, stored: dict[str, list[Json]]) -> None:
    """Restore everything from the shelf, and delete what is no longer reachable."""
    world.bot, world.system = sorted(stored["self"], key=lambda one: "system" in one)
    world.page_key = next((one["key"] for one in stored.get("page", [])), "")
    world.people.update((one["id"], one) for one in stored.get("person", []))
    world.guilds.update((one["id"], one) for one in stored.get("guild", []))
    world.members.recall(stored.get("member", []))
    for channel in stored.get("channel", []):
        if channel["type"] == THREAD:
            channel.setdefault("thread_members", [channel["owner_id"]])  # one of a world from before
        world.channels[channel["id"]] = channel
        world.talk.timelines[channel["id"]] = Timeline()
        if channel["type"] == DIRECT:
            world.direct_channels[channel["recipients"][0]["id"]] = channel["id"]
    shown: set[str] = set()  # the attachments that messages still show
    for body in stored.get("message", []):
        timeline = world.talk.timelines.get(body["channel_id"])
        if timeline is None or body["flags"] & payloads.LOADING:
            world.shelf.put("message", body["id"], None)  # a "thinking" message will never be filled
            continue
        if "thread" in body:
            body["thread"] = world.channels[body["thread"]["id"]]
        timeline.add(Post(body))
        world.channels[body["channel_id"]]["last_message_id"] = body["id"]
        shown.update(blob_key(one) for one in body["attachments"])
    world.shelf.keep_only_blobs(shown)
    for kind in ("self", "person", "guild", "channel", "message"):
        for one in stored.get(kind, [])[-1:]:
            world.ids.seen(one["id"])


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A button that uses a command: `/tiles new game:star` is `tiles`, `("new",)` and `{"game": "star"}`."""

    label: str
    command: str
    path: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The opening: description of its picture, a sentence, the main button and further buttons."""

    alt: str
    sentence: str
    play: Shortcut
    more: tuple[Shortcut, ...]


@dataclass(frozen=True, slots=True)
class Front:
    """Functions that return the opening and its PNG picture (slow) in a language (`de`)."""

    opening: Callable[[str], Welcome]
    picture: Callable[[str], bytes]


class FrontDoor:
    """Shows the opening to pages in the requested language. Each picture is drawn once."""

    def __init__(self, front: Front | None) -> None:
        self._front = front
        self._pictures: dict[str, asyncio.Future[bytes]] = {}

    def shown(self, language: str) -> dict[str, Any] | None:
        """What the page draws; None without an opening."""
        if self._front is None:
            return None
        spoken = page_words([language])["language"]
        return asdict(self._front.opening(spoken)) | {"language": spoken}

    async def picture(self, language: str) -> bytes | None:
        """The picture in a language; None without an opening."""
        if self._front is None:
            return None
        spoken = page_words([language])["language"]
        if spoken not in self._pictures:
            self._pictures[spoken] = asyncio.ensure_future(asyncio.to_thread(self._front.picture, spoken))
        return await asyncio.shield(self._pictures[spoken])
