"""Fixtures for attackers in the simulated Discord, whose tests are deep except in the files named here."""

from pathlib import Path

import pytest
from simcord import ChannelHandle

from data.store.store import Store
from tests.bot.conftest import (  # noqa: F401
    ada,
    clock,
    deals,
    grace,
    linus,
    logged_errors,
    mary,
    short_identify_gap,
    sim,
    simcord_bot,
    store,
    url,
    use_cases,
)
from tests.bot.simulated_guild import SimGuild
from tests.bot.timed_table import START, TimedTable

DEFAULT_TIER = ("test_computer_move_time.py", "test_sealed_tables.py", "test_search_time.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in DEFAULT_TIER:
            item.add_marker(pytest.mark.deep)


@pytest.fixture
async def second(sim: SimGuild) -> ChannelHandle:  # noqa: F811
    return sim.guild.create_text_channel("elsewhere")


@pytest.fixture
def timed_table(store: Store) -> TimedTable:  # noqa: F811
    return TimedTable(store, START)
