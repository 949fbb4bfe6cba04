"""A season of a small server as its people see it on a phone: the local page, from sign-up to the season after it.

The bot, the local Discord and its page are real, in this process, so that weeks can pass in a moment; nobody thinks
about a move for long, and most matches are given up after a few.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.async_api import Browser, ViewportSize, async_playwright, expect

from bot.playground.person import Person
from bot.service.leagues import LeagueSeason
from engine.actions import Resign
from engine.table.commands import Act
from tests.bot.parlour import Parlour, parlour
from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.e2e.tab import Tab, tab
from tests.league.simulation import DAY

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
WATCHER: Final = "Sofia"
"""Whose phone it is: she plays nowhere, and is told nothing in private."""
OTHERS: Final = ("Linus", "Mary", "Alan", "Emmy", "Kurt", "Hedy")
"""Who plays beside Ada, who may manage the server, and Grace."""
MOVES: Final = 6
"""So many are played in the match that is looked at."""
PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine."""


@dataclass
class Frame:
    """One picture of the page, and what it shows."""

    caption: str
    image: Image.Image


@dataclass
class Story:
    """One server, one league, and somebody who looks at it."""

    house: Parlour
    page: Tab
    people: list[Person]
    frames: list[Frame] = field(default_factory=list)

    async def told(self) -> list[Frame]:
        """A season and the beginning of the next one."""
        ada, place = self.house.ada, self.house.place
        await self._answered(ada, "tiles-league", "start", name="Spring", size=4, target=60, again=True)
        await self.keep("A league is announced", place, "Nobody has signed up yet")
        await self._sign_up()
        await self.keep("Eight have signed up", place, "Signed up, 8 people")
        await self._pass(7)
        await self.keep("A week later: two divisions by rating", place, "Matches done: 0 of 12")
        found = await self._season()
        thread = await self._thread_of(found, ada)
        await self.keep("Each match has a thread, its two are called", thread, "has begun")
        await self._play(thread)
        await self.keep("They play there, a move when there is time", thread, "to play.")
        await self._give_up(thread)
        await self.keep("One gives up: the match is over, and counts", thread, "wins")
        while len((found := await self._season()).season.decisions) * 2 < len(found.season.fixtures):
            running = await self._open()
            if running:
                await self._give_up(str(running[0]))
            else:
                await self._pass(4)
        await self.keep("Half of the matches are done", place, "Matches done: 6 of 12")
        while (found := await self._season()).season.state == "running":
            for head in await self._open():
                await self._give_up(str(head))
            await self._pass(4)
        await self.keep("The season is over", place, "The season is over")
        await self.keep("The next one calls them by itself", place, "From last season")
        await self._sign_up()
        await expect(self.page.said("Signed up, 8 people")).to_be_visible()
        await self._pass(7)
        await self.keep("One has gone up, one down", place, "Matches done: 0 of 12")
        return self.frames

    async def keep(self, caption: str, place: str, said: str) -> None:
        """Look at the last message of a channel that says this."""
        await self._settled()
        address = self.page.page.url.partition("&channel=")[0]
        # Its clock is the bot's: it says how long somebody still has.
        await self.page.page.clock.set_system_time(self.house.client.services.now() / 1000)
        await self.page.page.goto(f"{address}&channel={place}")
        await self.page.settled()
        message = self.page.said(said)
        await expect(message).to_be_visible()
        await message.evaluate("message => message.scrollIntoView({ block: 'start' })")
        await self.page.page.wait_for_timeout(600)  # pictures fade in
        taken = await self.page.page.screenshot()
        self.frames.append(Frame(caption, Image.open(BytesIO(taken)).convert("RGB")))

    # -- what the people do

    async def _answered(self, person: Person, *command: str, **options: Any) -> None:
        await person.answer(self.house.place, await person.slash(self.house.place, *command, **options))
        await self._settled()

    async def _sign_up(self) -> None:
        for person in self.people:
            await person.click(await self._announcement(), label="Sign up")
            await self._settled()

    async def _announcement(self) -> dict[str, Any]:
        return (await self.house.public())[-1]

    async def _play(self, thread: str) -> None:
        """Whoever is to move types the first move they have."""
        (head, *_) = await self.house.store.heads_in_channel(int(thread))
        for _ in range(MOVES):
            now = await self.house.store.head(head.match_id)
            if now is None or now.turn is None or now.turn.user is None:
                return
            mover = next(one for one in self.people if int(one.id) == now.turn.user)
            tile = (await mover.autocomplete(thread, "tiles", "play", focused="tile", tile=""))[0]["value"]
            where = await mover.autocomplete(thread, "tiles", "play", focused="place", tile=tile, place="")
            played = await mover.slash(thread, "tiles", "play", tile=tile, place=where[0]["value"])
            await mover.answer(thread, played)
            self.house.skipped[0] += 3_600_000
            await self._settled()

    async def _give_up(self, thread: str) -> None:
        """Whoever is to move resigns."""
        heads = await self.house.store.heads_in_channel(int(thread))
        if heads and heads[0].turn is not None and heads[0].turn.user is not None:
            await self.house.client.services.acts.act(heads[0].match_id, Act(heads[0].turn.user, Resign))
            self.house.client.services.announcer.refresh(heads[0].match_id)
            await self._settled()

    # -- the league

    async def _season(self) -> LeagueSeason:
        """The first season."""
        services = self.house.client.services
        guild = int(next(iter(self.house.discord.world.guilds)))
        (*_, first) = await self.house.store.seasons_of(guild)
        return await services.leagues.season(first.season_id)

    async def _open(self) -> list[int]:
        """The threads of the matches that run."""
        found = await self._season()
        heads = await self.house.store.heads(list(found.season.opened.values()))
        return [head.channel_id for head in heads if head.state == "open"]

    async def _thread_of(self, found: LeagueSeason, person: Person) -> str:
        player = found.player(int(person.id))
        mine = next(one for one in found.season.fixtures if player in one.players and one.number in found.season.opened)
        head = await self.house.store.head(found.season.opened[mine.number])
        assert head is not None
        return str(head.channel_id)

    async def _pass(self, days: int) -> None:
        """Days go by, and what is due is done."""
        self.house.skipped[0] += days * DAY + 60_000
        await self.house.client.services.scheduler.sweep()
        await self._settled()

    async def _settled(self) -> None:
        """All that is due is done and shown."""
        services = self.house.client.services
        async with asyncio.timeout(PATIENCE):
            while True:
                await services.seasons.sweep()
                await services.seasons.idle()
                await services.announcer.sweep()
                await services.announcer.idle()
                if not await self.house.store.seasons_due(services.now(), 1):
                    return
                await asyncio.sleep(0.05)


async def story(browser: Browser) -> list[Frame]:
    """The frames of a season, in order."""
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            house = await stack.enter_async_context(parlour(f"sqlite:///{Path(folder)}/boneyard.db"))
            address = house.discord.address
            others = [await stack.enter_async_context(Person(address, name)) for name in OTHERS]
            await stack.enter_async_context(Person(address, WATCHER))
            looking = tab(browser, address, WATCHER, size=PHONE, has_touch=True, is_mobile=True)
            page = await stack.enter_async_context(looking)
            return await Story(house, page, [house.ada, house.grace, *others]).told()


async def with_chromium(what: Callable[[Browser], Awaitable[list[Frame]]]) -> list[Frame]:
    """Do it with Debian's Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            return await what(browser)
        finally:
            await browser.close()
