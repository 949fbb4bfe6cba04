"""Somebody's first two minutes: how often they press, and how long it takes them, until their first tile lies and until
the guided game is over.

`python -m tests.bench.beginner` plays it with the real bot process at the local Discord, as people who know nothing:
they take what the guide points at, and else one of the first few lines of the menu. Presses are counted; a press takes
a person three seconds.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

from bot.playground import components
from bot.playground.person import Person
from bot.playground.server import LocalDiscord
from bot.views.ids import parse
from tests.bench.load_bots import BotProcess

A_PRESS: Final = 3.0
"""Seconds that a person takes for one."""
TO_FIRST_TILE: Final = 3
"""Presses, the goal."""
TO_END: Final = 25
"""Presses, the goal."""
SECONDS: Final = 120
"""The goal for all of it."""
LINES: Final = 3
"""So many lines of a menu somebody looks at before they choose one."""
PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine."""
PEOPLE: Final = 6

Json = dict[str, Any]


@dataclass
class Tale:
    """How it went."""

    presses: int = 0
    first_tile: int = 0
    """Presses until the first tile lay there."""
    waited: float = 0.0
    """Seconds in which they could do nothing."""
    said: list[str] = field(default_factory=list)
    """All that was said to them in private, in order."""

    @property
    def seconds(self) -> float:
        """A person's time."""
        return self.presses * A_PRESS + self.waited

    @property
    def won(self) -> bool:
        """Whether they won."""
        return "You win" in self.said[-1]


async def play(person: Person, place: str, rng: Random) -> Tale:
    """Press *Play now*, then what there is to press, in the one private message, until the lesson is over."""
    tale = Tale()
    since = perf_counter()
    # What the page's button sends.
    shown = await person.answer(place, await person.slash(place, "tiles", "help", guided=True))
    tale.presses += 1
    while True:
        shown = await _until(person, shown, lambda one: _offered(one) or _over(one))
        tale.waited += perf_counter() - since
        tale.said.append(_words(shown))
        if _over(shown):
            return tale
        custom_id, kind, values = _chosen(shown, rng)
        since, before = perf_counter(), shown["components"]
        await person._use(shown, custom_id, kind, values)
        tale.presses += 1
        # Whatever is pressed leads to something else in the same message; nobody presses twice meanwhile.
        shown = await _until(person, shown, lambda one, before=before: one["components"] != before)
        if not tale.first_tile and "You played" in _words(shown):
            tale.first_tile = tale.presses


async def _until(person: Person, shown: Json, fits: Callable[[Json], object]) -> Json:
    """The same message, once it is as it should be: it changes by itself."""
    async with asyncio.timeout(PATIENCE):
        while not fits(shown):
            await asyncio.sleep(0.05)
            shown = await person.message(shown["channel_id"], shown["id"])
    return shown


def _offered(shown: Json) -> list[Json]:
    """The menus, and the buttons that play, draw or pass, with what is best to press first."""
    ranks = {"play": 0, "move": 1, "tile": 1, "choose": 2, "draw": 2, "pass": 2}
    found = [
        (ranks[press.verb], one)
        for one in components.walk(shown["components"])
        if (press := parse(str(one.get("custom_id", "")))) is not None and press.verb in ranks
    ]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _chosen(shown: Json, rng: Random) -> tuple[str, int, list[str]]:
    best = _offered(shown)[0]
    if best["type"] == components.BUTTON:
        return best["custom_id"], components.BUTTON, []
    lines = best["options"][: 1 if "The best now is" in _words(shown) else LINES]
    return best["custom_id"], components.STRING_SELECT, [str(rng.choice(lines)["value"])]


def _over(shown: Json) -> bool:
    return any(str(one.get("custom_id", "")).startswith("by:guide") for one in components.walk(shown["components"]))


def _words(shown: Json) -> str:
    return "\n".join(one["content"] for one in components.walk(shown["components"]) if one["type"] == 10)


async def tales(many: int = PEOPLE) -> list[Tale]:
    """So many beginners, one after the other, each in a channel of their own."""
    with tempfile.TemporaryDirectory() as folder:
        async with LocalDiscord(None, port=0) as discord:
            database = f"sqlite:///{folder}/boneyard.db"
            bot = await BotProcess.started("boneyard", discord.url, discord.token, Path(folder), database=database)
            try:
                async with asyncio.timeout(PATIENCE):
                    await discord.gateway.connected.wait()
                    guild = next(iter(discord.world.guilds))
                    while discord.commands.named(guild, "tiles") is None:  # noqa: ASYNC110 - nobody tells
                        await asyncio.sleep(0.05)
                found = []
                for number in range(many):
                    channel = discord.world.add_channel(f"first-{number}", guild_id=guild)
                    async with Person(discord.address, f"Newcomer {number}") as person:
                        found.append(await play(person, channel["id"], Random(number)))
                return found
            finally:
                await bot.stop()


def main() -> None:
    """Print how it went, and the goals beside it."""
    print(f"{'':12}{'first tile':>12}{'presses':>10}{'seconds':>10}{'waited':>10}  won")
    for number, tale in enumerate(asyncio.run(tales())):
        figures = f"{tale.first_tile:>12}{tale.presses:>10}{tale.seconds:>10.0f}{tale.waited:>10.1f}"
        print(f"newcomer {number:<3}{figures}  {'yes' if tale.won else 'no'}")
    print(f"{'goals':12}{f'<= {TO_FIRST_TILE}':>12}{f'<= {TO_END}':>10}{f'<= {SECONDS}':>10}")


if __name__ == "__main__":
    main()
