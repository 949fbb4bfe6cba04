"""All scenes of an evening as pictures, at desk and phone, in two languages: `python -m tests.e2e.sheet OUT.png`.

It opens `boneyard play` in Debian's Chromium, walks through the scenes as a person does, and puts what was seen on one
sheet: a row a scene, a column a screen and language. What one looks at before a release, and lays beside the last one.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from PIL import Image
from playwright.async_api import Browser, Locator, async_playwright, expect
from playwright.async_api import TimeoutError as Late

from data.words import Words, words
from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.e2e.playground import PATIENCE, Playground
from tests.e2e.tab import DESKTOP, PHONE, Tab, tab

LOOKS: Final = [
    (DESKTOP, "en-GB", "Ada", "dark"),
    (DESKTOP, "de-DE", "Ada", "light"),
    (PHONE, "en-GB", "Ada", "light"),
    (PHONE, "de-DE", "Ada", "dark"),
]
"""The columns: screen, the browser's language, who sits there (the server speaks Ada's language), dark or light."""
MOST_PRESSES: Final = 120
"""A guided game takes some twenty; who presses more often is stuck."""
HEIGHT: Final = 600
"""Of a picture on the sheet."""
GAP: Final = 12


class Walk:
    """One person's way through the scenes; `seen` are the pictures by the name of the scene."""

    def __init__(self, page: Tab, said: Words) -> None:
        self.tab = page
        self.said = said
        self.seen: dict[str, bytes] = {}

    async def all(self) -> None:
        await self.keep("opening")
        await self.tab.page.get_by_test_id("play-now").click()
        await self._lesson()
        await self._replay()
        await self._typed()
        await self._lobby()

    async def keep(self, scene: str, at: Locator | None = None) -> None:
        """Take a picture, with this message in sight."""
        if at is not None:
            await at.evaluate("message => message.scrollIntoView({ block: 'end' })")
        await self.tab.page.wait_for_timeout(400)  # pictures fade in
        self.seen[scene] = await self.tab.page.screenshot()

    async def _lesson(self) -> None:
        hand = self.tab.fixed(await self.tab.private.last.get_attribute("data-message-id"))
        await expect(hand.get_by_test_id("select")).to_be_visible()
        await self.keep("guided game: the hand", hand)
        await self._first_of(hand)
        await self.keep("guided game: before Play", hand)
        await hand.get_by_test_id("button").first.click()
        await expect(self.tab.public.filter(has=self.tab.page.get_by_test_id("picture")).last).to_be_visible()
        await self.keep("guided game: played", hand)
        for _ in range(MOST_PRESSES):
            if await self._ends().count():
                break
            if not await hand.count():
                hand = self.tab.fixed(await self.tab.private.last.get_attribute("data-message-id"))
            if await hand.get_by_test_id("select").count():
                await self._first_of(hand)
            elif await (buttons := hand.get_by_test_id("button")).count():
                await buttons.first.click()
            await self.tab.page.wait_for_timeout(700)  # the computer moves
        await expect(self._ends().last).to_be_visible()
        await self.keep("the end", self._ends().last)
        await self.keep("the end, in private", hand)

    async def _first_of(self, hand: Locator) -> None:
        """The first of its menu; once more where the message changed under it."""
        for _ in range(5):
            await hand.get_by_test_id("select").first.click()
            try:
                await self.tab.page.get_by_test_id("select-option").first.click(timeout=3000)
            except Late:
                continue
            return

    def _ends(self) -> Locator:
        replay = self.tab.page.get_by_role("button", name=self.said("replay.button"), exact=True)
        return self.tab.public.filter(has=replay)

    async def _replay(self) -> None:
        await self.tab.press(self._ends().last, self.said("replay.button"))
        onward = self.tab.page.get_by_role("button", name=self.said("replay.forward"), exact=True)
        shown = self.tab.private.filter(has=onward).last
        await onward.last.click()
        await self.keep("replay", shown)

    async def _typed(self) -> None:
        for line, scene in [
            ("/tiles help ", "help"),
            ("/tiles rules ", "rules"),
            ("/tiles games ", "games"),
            ("/tiles settings ", "settings"),
            ("/tiles profile ", "profile"),
            ("/tiles leaderboard ", "leaderboard"),
        ]:
            known = await self.tab.private.count()
            await self.tab.command(line)
            await expect(self.tab.private).to_have_count(known + 1)
            await self.keep(scene, self.tab.private.last)

    async def _lobby(self) -> None:
        setup = self.tab.page.get_by_role("button", name=self.said("lobby.setup"), exact=True)
        await self.tab.command("/tiles new ")
        lobby = self.tab.public.filter(has=setup).last
        await self.keep("lobby", lobby)
        known = await self.tab.private.count()
        await self.tab.press(lobby, self.said("lobby.setup"))
        await expect(self.tab.private).to_have_count(known + 1)
        await self.keep("set up", self.tab.private.last)


@asynccontextmanager
async def _chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


async def walked() -> list[dict[str, bytes]]:
    """What is seen in each column; each has a playground of its own, where nothing happened yet."""
    expect.set_options(timeout=PATIENCE * 1000)
    columns = []
    async with _chromium() as browser:
        for size, locale, name, scheme in LOOKS:
            with tempfile.TemporaryDirectory() as data:
                async with (
                    Playground(Path(data)) as playground,
                    tab(browser, playground.address, name, size=size, locale=locale, color_scheme=scheme) as page,
                ):
                    walk = Walk(page, words(locale[:2]))
                    await walk.all()
                    columns.append(walk.seen)
    return columns


def sheet(columns: Sequence[dict[str, bytes]]) -> Image.Image:
    """One picture of all: a row a scene, in the order of the walk."""
    rows = [[_small(column[scene]) for column in columns] for scene in columns[0]]
    width = sum(one.width for one in rows[0]) + GAP * (len(columns) + 1)
    whole = Image.new("RGB", (width, (HEIGHT + GAP) * len(rows) + GAP), (120, 120, 120))
    for y, row in enumerate(rows):
        x = GAP
        for one in row:
            whole.paste(one, (x, GAP + y * (HEIGHT + GAP)))
            x += one.width + GAP
    return whole


def _small(picture: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    return image.resize((round(image.width * HEIGHT / image.height), HEIGHT), Image.Resampling.LANCZOS)


def main(
    out: Annotated[Path, typer.Argument(help="Where the sheet is written, as PNG.")],
    each: Annotated[Path | None, typer.Option(help="A folder for every picture by itself.")] = None,
) -> None:
    """Walk through all scenes and write the sheet."""
    columns = asyncio.run(walked())
    sheet(columns).save(out)
    if each is not None:
        each.mkdir(parents=True, exist_ok=True)
        for number, column in enumerate(columns):
            for at, (scene, picture) in enumerate(column.items()):
                (each / f"{at:02}-{scene.replace(' ', '-').replace(':', '')}-{number}.png").write_bytes(picture)
    typer.echo(f"{len(columns[0])} scenes in {len(columns)} columns: {out}")


if __name__ == "__main__":
    typer.run(main)
