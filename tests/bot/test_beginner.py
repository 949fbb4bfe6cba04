"""Somebody who knows nothing has their first tile on the table after three presses, and has won two minutes later.

`python -m tests.bench.beginner` tells the figures with the bot as a process of its own.
"""

from __future__ import annotations

from random import Random

from tests.bench.beginner import A_PRESS, SECONDS, TO_END, TO_FIRST_TILE, play
from tests.bot.parlour import parlour


async def test_a_first_match_is_two_minutes_and_few_presses(url: str) -> None:
    async with parlour(url) as house:
        for number, person in enumerate((house.ada, house.grace)):
            tale = await play(person, house.place, Random(number))

            assert tale.first_tile <= TO_FIRST_TILE
            assert tale.presses <= TO_END
            assert tale.presses * A_PRESS <= SECONDS
            assert tale.won
            told = "\n".join(tale.said)
            assert "**A corner match.**" in told
            assert "**A draw.**" in told
