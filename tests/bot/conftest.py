"""Fixtures: the bot on a simulated Discord, with a database file."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from simcord import Env

from bot.app import build
from bot.client import Boneyard
from bot.operating import sharding
from data.store.store import Store
from tests.bot.local_bot import LocalBot, run_local_bot
from tests.bot.member import Member
from tests.bot.simulated_guild import DealSecrets, SimClock, SimGuild, build_greedy_chooser
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import UseCases
from tests.data.store.empty import prepare_database


@pytest.fixture(autouse=True)
def short_identify_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the local Discord's shards start 100 ms apart; Discord itself demands 5.5 s."""
    monkeypatch.setattr(sharding, "IDENTIFY_GAP", 100)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The URL of a database that does not exist yet."""
    return f"sqlite:///{tmp_path}/boneyard.db"


@pytest.fixture
def deals() -> DealSecrets:
    """The deals of this test's tables."""
    return DealSecrets()


@pytest.fixture
def clock() -> SimClock:
    """The clock the bot reads."""
    return SimClock()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An open store. Closing a store twice is safe."""
    store = await Store.open(await prepare_database(url))
    yield store
    await store.close()


@pytest.fixture
def use_cases(store: Store) -> UseCases:
    """The use cases on an empty store."""
    return UseCases(store)


@pytest.fixture
def timed_table(store: Store) -> TimedTable:
    """The use cases about time on an empty store."""
    return TimedTable(store)


@pytest.fixture
async def local(url: str) -> AsyncIterator[LocalBot]:
    """The bot on a local Discord over real sockets, where requests can fail."""
    async with run_local_bot(url) as local:
        yield local


@pytest.fixture
async def stage(local: LocalBot) -> LocalBot:
    """The bot on a local Discord, where a match of Ada and Grace has begun."""
    await local.start_table()
    return local


@pytest.fixture
def simcord_bot(store: Store, clock: SimClock, deals: DealSecrets) -> Boneyard:
    """The bot as `boneyard run` builds it, with a test clock and chosen deals."""
    return build(store, clock=clock, secret=deals, thinking=build_greedy_chooser(), guild_ready_timeout=0.2)


@pytest.fixture
async def sim(simcord_env: Env, url: str, store: Store, clock: SimClock, deals: DealSecrets) -> AsyncIterator[SimGuild]:
    """A server with one channel, #tiles."""
    guild = simcord_env.create_guild("The Parlour")
    sim = SimGuild(simcord_env, url, store, deals, clock, guild, guild.create_text_channel("tiles"))
    yield sim
    await simcord_env.settle()
    await sim.store.close()


@pytest.fixture
def ada(sim: SimGuild) -> Member:
    """Ada, the first member."""
    return sim.add_member("Ada")


@pytest.fixture
def grace(sim: SimGuild, ada: Member) -> Member:
    """Grace, the second member."""
    return sim.add_member("Grace")


@pytest.fixture
async def room(sim: SimGuild, ada: Member, grace: Member) -> SimGuild:
    """The server, where a match of Ada and Grace has begun in #tiles."""
    await sim.start_table(ada, grace)
    return sim


@pytest.fixture
def linus(sim: SimGuild, grace: Member) -> Member:
    """Linus, usually a watcher."""
    return sim.add_member("Linus")


@pytest.fixture
def mary(sim: SimGuild) -> Member:
    """Mary, a moderator who may manage the server."""
    return sim.add_moderator("Mary")


@pytest.fixture(autouse=True)
def logged_errors() -> Iterator[list[str]]:
    """Fail the test when the bot or discord.py logs an error. A test that expects errors clears the list."""
    errors: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            errors.append(self.format(record))

    listener = Listener(logging.ERROR)
    loggers = [logging.getLogger("bot"), logging.getLogger("discord")]
    for logger in loggers:
        logger.addHandler(listener)
    yield errors
    for logger in loggers:
        logger.removeHandler(listener)
    assert errors == []


@pytest.fixture
async def guests(sim: SimGuild) -> list[Member]:
    """Six members."""
    return [sim.add_member(name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")]


@pytest.fixture
async def organizer(sim: SimGuild) -> Member:
    """A member with the permission Manage Server."""
    return sim.add_moderator("Org")
