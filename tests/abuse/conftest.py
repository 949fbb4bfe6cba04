"""Fixtures for attackers in the simulated Discord."""

import pytest
from simcord import ChannelHandle

from tests.bot.conftest import (  # noqa: F401
    ada,
    clock,
    deals,
    grace,
    linus,
    logged_errors,
    short_identify_gap,
    sim,
    simcord_bot,
    store,
    url,
    use_cases,
)
from tests.bot.simulated_guild import SimGuild


@pytest.fixture
async def second(sim: SimGuild) -> ChannelHandle:  # noqa: F811
    return sim.guild.create_text_channel("elsewhere")
