"""The villains of these tests sit in the same simulated Discord as everybody else."""

from tests.bot.conftest import (
    ada,
    clock,
    connections_begin_soon,
    deals,
    desk,
    grace,
    house,
    linus,
    nothing_broke,
    simcord_bot,
    store,
    url,
)

__all__ = [
    "ada",
    "clock",
    "connections_begin_soon",
    "deals",
    "desk",
    "grace",
    "house",
    "linus",
    "nothing_broke",
    "simcord_bot",
    "store",
    "url",
]
