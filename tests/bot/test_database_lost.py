"""The connection to the database server breaks while people press, once for each press: nobody notices.

Before, 11 of 28 of these presses were answered with an apology.
"""

from __future__ import annotations

import asyncio
from random import Random

from bot.playground.person import Person
from tests.bot.parlour import words_of
from tests.bot.test_stopping import Stage, _typed, staged
from tests.data.store.proxy import Proxy, proxied
from tests.data.store.server import WITHOUT, new_database
from tests.depth import deep

pytestmark = WITHOUT


async def looked(stage: Stage, person: Person) -> str:
    """Somebody asks for their hand; what they read."""
    return words_of(await person.answer(stage.place, await person.slash(stage.place, "tiles", "hand")))


async def broken(proxy: Proxy, after: float) -> None:
    """The connections break, a moment after the press."""
    await asyncio.sleep(after)
    proxy.cut()


async def test_nobody_notices_that_a_connection_broke() -> None:
    rng = Random(7)
    async with new_database() as direct, proxied(direct) as (proxy, url), staged(url) as stage:
        for _ in range(deep(8)):
            person = rng.choice((stage.ada, stage.grace))
            said, _ = await asyncio.gather(looked(stage, person), broken(proxy, rng.uniform(0, 0.1)))
            assert said.startswith("### Your "), said
        proxy.cut_on = b"COMMIT;"
        mover, interaction = await _typed(stage)
        assert not words_of(await mover.answer(stage.place, interaction)).startswith(("Something", "I cannot"))
        assert proxy.cut_on is None
