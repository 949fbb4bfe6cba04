"""The bot, attached to a simulated Discord; its database is a real file."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from discord import app_commands
from discord.state import ConnectionState
from simcord import Env, MemberActor

from bot.operating import sharding
from bot.operating.client import Boneyard
from bot.operating.wiring import build
from data.store import Store
from tests.bot.desk import Desk
from tests.bot.house import Clock, Deals, House, greedily
from tests.data.store.empty import laid

SERVERS = 0.2
"""Seconds after the last server in which discord.py waits for one more, before it says that all are there. As it is
made, these are two; a local Discord tells of all of them at once.
"""
GAP = 100
"""Ms between two starts on one database. A local Discord lets them begin at any time, unless it is told otherwise."""


@pytest.fixture(scope="session", autouse=True)
def connections_begin_soon() -> Iterator[None]:
    """Nobody waits for servers that are not there, nor for their turn to say who they are; and what the commands are
    called in all languages, the same in every test, is put together once.
    """
    really, translated = ConnectionState.__init__, app_commands.Group.get_translated_payload
    known: WeakKeyDictionary[app_commands.Group, dict[str, Any]] = WeakKeyDictionary()

    def made(state: Any, **options: Any) -> None:
        really(state, **({"guild_ready_timeout": SERVERS} | options))

    async def told(group: app_commands.Group, *how: Any) -> dict[str, Any]:
        if group not in known:
            known[group] = await translated(group, *how)
        return known[group]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ConnectionState, "__init__", made)
        patched.setattr(app_commands.Group, "get_translated_payload", told)
        patched.setattr(sharding, "GAP", GAP)
        yield


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
def simcord_bot(store: Store, clock: Clock, deals: Deals) -> Boneyard:
    """The bot as `boneyard run` builds it, but for the clock and the deals."""
    return build(store, clock=clock, secret=deals, thinking=greedily())


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


@pytest.fixture(autouse=True)
def nothing_broke() -> Iterator[list[str]]:
    """Whatever the bot logs as an error went wrong, even where the person was told something kind. A test that breaks
    something takes out of the list what it looked for.
    """
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
