"""Attackers act in the same simulated Discord as everybody else."""

import pytest
from simcord import ChannelHandle

from tests.bot.conftest import (  # noqa: F401
    ada,
    clock,
    deals,
    desk,
    grace,
    house,
    linus,
    nothing_broke,
    short_identify_gap,
    simcord_bot,
    store,
    url,
)
from tests.bot.house import House


@pytest.fixture
async def second(house: House) -> ChannelHandle:  # noqa: F811
    return house.guild.create_text_channel("elsewhere")
