"""The bot, attached to a simulated Discord; its database is a real file."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import discord
import pytest
from simcord import Env, MemberActor

from bot.app import build
from bot.client import Boneyard
from bot.operating import sharding
from data.store.store import Store
from tests.bot.desk import Desk
from tests.bot.house import Clock, Deals, House, add_moderator, greedily
from tests.bot.parlour import Parlour, parlour
from tests.bot.waiting_room import WaitingRoom
from tests.data.store.empty import laid


@pytest.fixture(autouse=True)
def short_identify_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the local Discord's shards start 100 ms apart; Discord itself demands 5.5 s."""
    monkeypatch.setattr(sharding, "GAP", 100)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The URL of a database that does not exist yet."""
    return f"sqlite:///{tmp_path}/boneyard.db"


@pytest.fixture
def deals() -> Deals:
    """What the tables of this test are dealt."""
    return Deals()


@pytest.fixture
def clock() -> Clock:
    """The clock the bot reads."""
    return Clock()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An open store. Closing one twice does no harm."""
    store = await Store.open(await laid(url))
    yield store
    await store.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    """The use cases on an empty store."""
    return Desk(store)


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    """The use cases about time on an empty store."""
    return WaitingRoom(store)


@pytest.fixture
async def local(url: str) -> AsyncIterator[Parlour]:
    """The bot on a local Discord over real sockets, where requests can fail."""
    async with parlour(url) as local:
        yield local


@pytest.fixture
def simcord_bot(store: Store, clock: Clock, deals: Deals) -> Boneyard:
    """The bot as `boneyard run` builds it, but for the clock and the deals."""
    return build(store, clock=clock, secret=deals, thinking=greedily(), guild_ready_timeout=0.2)


@pytest.fixture
async def house(simcord_env: Env, url: str, store: Store, clock: Clock, deals: Deals) -> AsyncIterator[House]:
    """A server with one channel, called tiles."""
    guild = simcord_env.create_guild("The Parlour")
    house = House(simcord_env, url, store, deals, clock, guild, guild.create_text_channel("tiles"))
    yield house
    await simcord_env.settle()
    await house.store.close()


@pytest.fixture
def ada(house: House) -> MemberActor:
    """Ada, the first of the people."""
    return house.person("Ada")


@pytest.fixture
def grace(house: House, ada: MemberActor) -> MemberActor:
    """Grace, who comes after Ada."""
    return house.person("Grace")


@pytest.fixture
def linus(house: House, grace: MemberActor) -> MemberActor:
    """Linus, who mostly watches."""
    return house.person("Linus")


@pytest.fixture
def mary(house: House) -> MemberActor:
    """Mary, a moderator who may manage the server."""
    mary = add_moderator(house, "Mary")
    house.people[mary.id] = mary
    return mary


@pytest.fixture(autouse=True)
def nothing_broke() -> Iterator[list[str]]:
    broken: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            broken.append(self.format(record))

    listener = Listener(logging.ERROR)
    watched = [logging.getLogger("bot"), logging.getLogger("discord")]
    for logger in watched:
        logger.addHandler(listener)
    yield broken
    for logger in watched:
        logger.removeHandler(listener)
    assert broken == []


@pytest.fixture
async def guests(house: House) -> list[MemberActor]:
    """Six who play."""
    return [house.person(name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")]


@pytest.fixture
async def organizer(house: House) -> MemberActor:
    """Who manages the server."""
    role = house.guild.create_role("organizers", permissions=discord.Permissions(manage_guild=True))
    return house.guild.add_member(house.env.create_user("org", global_name="Org"), roles=[role])
