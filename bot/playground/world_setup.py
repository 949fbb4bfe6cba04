"""Creates a new world or restores it from its storage."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.playground import payloads
from bot.playground.channel_messages import Post, Timeline, get_blob_key
from bot.playground.page_words import choose_language
from bot.playground.payloads import DIRECT, THREAD, Json, WallClock
from bot.playground.world import World
from bot.playground.world_storage import WorldStorage
from data.words import load_words

BOT_NAME = "Boneyard"
FIRST_USERS = ("Ada", "Grace", "Linus")
FIRST_CHANNELS = (("tiles", "page.first_topic_tiles"), ("games-night", "page.first_topic_second"))


def open_world(storage: WorldStorage, now: WallClock) -> tuple[World, list[Json]]:
    """Return the world of this storage and its registered commands."""
    world, stored = World(storage, now), storage.load()
    if stored.get("self"):
        _restore_world(world, stored)
    else:
        _fill_world(world)
    if not world.page_key:
        world.renew_page_key()
    return world, stored.get("commands", [])


def _fill_world(world: World) -> None:
    world.bot = payloads.build_user(world.ids.generate(), BOT_NAME, "#c9a86a", bot=True)
    world.storage.put("self", "bot", world.bot)
    for name in FIRST_USERS:
        world.add_user(name)
    guild = world.add_guild(load_words()("page.first_guild"))
    for name, topic in FIRST_CHANNELS:
        world.add_channel(name, topic=load_words()(topic), guild_id=guild["id"])


def _restore_world(world: World, stored: dict[str, list[Json]]) -> None:
    """Restore everything from the storage, and delete what is no longer reachable."""
    # An older world also has the author of its first message.
    world.bot = next(one for one in stored["self"] if "system" not in one)
    world.page_key = next((one["key"] for one in stored.get("page", [])), "")
    world.users.update((one["id"], one) for one in stored.get("person", []))
    world.guilds.update((one["id"], one) for one in stored.get("guild", []))
    world.members.restore(stored.get("member", []))
    for channel in stored.get("channel", []):
        if channel["type"] == THREAD:
            channel.setdefault("thread_members", [channel["owner_id"]])  # one of a world from before
        world.channels[channel["id"]] = channel
        world.messages.timelines[channel["id"]] = Timeline()
        if channel["type"] == DIRECT:
            world.direct_channels[channel["recipients"][0]["id"]] = channel["id"]
    used_blobs: set[str] = set()  # the attachments that messages still show
    for body in stored.get("message", []):
        timeline = world.messages.timelines.get(body["channel_id"])
        if timeline is None or body["flags"] & payloads.LOADING:
            world.storage.put("message", body["id"], None)  # a "thinking" message will never be filled
            continue
        if "thread" in body:
            body["thread"] = world.channels[body["thread"]["id"]]
        timeline.add(Post(body))
        world.channels[body["channel_id"]]["last_message_id"] = body["id"]
        used_blobs.update(get_blob_key(one) for one in body["attachments"])
    world.storage.keep_only_blobs(used_blobs)
    for kind in ("self", "person", "guild", "channel", "message"):
        for one in stored.get(kind, [])[-1:]:
            world.ids.skip_to(one["id"])


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
class WelcomeSource:
    """Functions that return the opening and its PNG picture (slow) in a language (`de`)."""

    build_welcome: Callable[[str], Welcome]
    render_picture: Callable[[str], bytes]


class WelcomeScreen:
    """Shows the opening to pages in the requested language. Each picture is drawn once."""

    def __init__(self, source: WelcomeSource | None) -> None:
        self._source = source
        self._pictures: dict[str, asyncio.Future[bytes]] = {}

    def build_payload(self, language: str) -> dict[str, Any] | None:
        """What the page draws; None without an opening."""
        if self._source is None:
            return None
        known_language = choose_language([language])
        return asdict(self._source.build_welcome(known_language)) | {"language": known_language}

    async def load_picture(self, language: str) -> bytes | None:
        """The picture in a language; None without an opening."""
        if self._source is None:
            return None
        known_language = choose_language([language])
        if known_language not in self._pictures:
            self._pictures[known_language] = asyncio.ensure_future(
                asyncio.to_thread(self._source.render_picture, known_language)
            )
        return await asyncio.shield(self._pictures[known_language])
