"""How straight what people do goes through the bot: `uv run python -m tests.house.trace_datum [--steps]`.

Three of them, in a match of two on the simulated Discord: the id of a pressed button that plays a tile, a tile that is
typed with `/tiles play`, and a deadline that runs out.

The *way* of each is every function of `bot` that is called while it is served, from where it comes in to the last
answer; of the deadline also what the channel is told. Below `bot` nobody knows of ids, commands and what is due.

A call *climbs* when it goes against the imports: into a module from which a chain of imports leads back to the
caller's. Within a circle of imports no file is above another, so there every call from file to file climbs. Imports for
the type checker count: whoever reads follows them. Calls between the same two functions are one climb, however many.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bot.operating.wiring import build
from data.store import Store
from tests.data.store.empty import laid
from tests.house.checks_only import in_the_checks_environment
from tests.house.sources import ROOMS
from tests.house.tracing import Function, Step, Trace

if TYPE_CHECKING:
    from tests.bot.house import House

ENTRIES = {
    "custom id": ("Pressed.from_custom_id", "Pressed.callback", "Boneyard.on_interaction"),
    "typed move": ("play_command",),
    "deadline": ("Scheduler._serve", "Announcer._keep_up"),
}
"""Where each comes in. A name that is not met is an error: a way that begins nowhere has no climbs either."""

BEFORE, GOAL = 18, 4
"""How often the custom id's way climbed when all of `bot` lay in one folder, and how often it may."""

Climb = tuple[Function, Function]


@dataclass(frozen=True, slots=True)
class Way:
    """What was called on the way of one thing."""

    steps: list[Step]

    @property
    def rooms(self) -> list[str]:
        """The packages it goes through."""
        return list(dict.fromkeys(step.function.room for step in self.steps))

    @property
    def files(self) -> list[str]:
        """The files it goes through."""
        return list(dict.fromkeys(step.function.file for step in self.steps))

    @property
    def climbs(self) -> list[Climb]:
        """The calls that go against the imports, each once: who calls whom."""
        calls = dict.fromkeys((step.under[0], step.function) for step in self.steps if step.under)
        return [(caller, called) for caller, called in calls if leads_back(called.module, caller.module)]


@cache
def leads_back(above: str, below: str) -> bool:
    """Whether a chain of imports leads from one module to another one."""
    return above != below and _imports().chain_exists(importer=above, imported=below)


@cache
def _imports() -> Any:
    import grimp  # import-linter's own, which the checks alone have

    return grimp.build_graph(*ROOMS, cache_dir=None)


# -- what is done


async def press(house: House) -> Callable[[], Awaitable[object]]:
    """The button that plays the tile one has chosen."""
    from tests.bot.reading import button_ids, menus, private

    mover = house.to_move()
    hand = await house.hand(mover)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play"))
    return partial(mover.click, preview, label=play)


async def typed(house: House) -> Callable[[], Awaitable[object]]:
    """`/tiles play` with the first entry of both lists."""
    mover = house.to_move()
    tile = (await mover.autocomplete(house.channel, "tiles play", "tile", ""))[0]["value"]
    place = (await mover.autocomplete(house.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return partial(mover.slash, house.channel, "tiles play", tile=tile, place=place)


async def run_out(house: House) -> Callable[[], Awaitable[object]]:
    """The deadline, after the reminder."""
    await house.wait(hours=35)
    return partial(house.wait, hours=2)


DONE = {"custom id": press, "typed move": typed, "deadline": run_out}


async def trace(what: str) -> Way:
    """The way of one of these."""
    async with _house() as house:
        for _ in range(2):
            await house.play_by_menu(house.to_move())
        do, before = await DONE[what](house), (await house.head()).seq
        traced = Trace()
        with traced.recorded():
            await do()
        assert (await house.head()).seq > before, "it had its effect"
    entries = set(ENTRIES[what])
    met = entries & {step.function.name for step in traced.steps}
    assert met == entries, f"nothing came by {entries - met}"
    return Way([step for step in traced.steps if _is_on_the_way(step, entries)])


def _is_on_the_way(step: Step, entries: set[str]) -> bool:
    served = any(one.name in entries for one in (step.function, *step.under))
    return served and not step.again and step.function.module.startswith("bot.")


@asynccontextmanager
async def _house() -> AsyncIterator[House]:
    """Two people at a table with a clock."""
    from simcord import Env

    from tests.bot.house import LIVELY, Clock, Deals, House

    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder)}/boneyard.db"
        store, clock, deals = await Store.open(await laid(url)), Clock(), Deals([LIVELY])
        env = Env(build(store, clock=clock, secret=deals))
        await env.start()
        try:
            with env.time_context():
                guild = env.create_guild("The Parlour")
                house = House(env, url, store, deals, clock, guild, guild.create_text_channel("tiles"))
                await house.table(house.person("Ada"), house.person("Grace"), clock="36h")
                yield house
                await env.settle()
        finally:
            await env.shutdown()
            await store.close()


def summary(way: Way) -> str:
    """The calls that climb."""
    return "\n".join(f"    {caller} -> {called}" for caller, called in way.climbs)


def main() -> None:
    """Print the figures of all three, which calls climb, and each call if asked."""
    in_the_checks_environment("tests.house.trace_datum")
    for what in DONE:
        way = asyncio.run(trace(what))
        if "--steps" in sys.argv:
            for step in way.steps:
                up = "^" if step.under and leads_back(step.function.module, step.under[0].module) else " "
                print(f"{up} {'  ' * len(step.under)}{step.function}")
        print(
            f"{what}: {len(way.rooms)} rooms, {len(way.files)} files, {len(way.climbs)} climbs", summary(way), sep="\n"
        )
    print(f"The custom id may climb {GOAL} times; it was {BEFORE}.")


if __name__ == "__main__":
    main()
