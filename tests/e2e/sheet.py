"""All scenes of an evening as pictures, at desk and phone, in two languages: `uv run checks -m tests.e2e.sheet OUT`.

It opens `boneyard play` in Debian's Chromium, walks through the scenes as a person does, and puts what was seen on one
sheet: a row a scene, a column a screen and language. What one looks at before a release. With `--since COMMIT` each
picture has beside it what that commit shows: it is cloned for as long as that takes, and walks through its own scenes.
"""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from PIL import Image, ImageDraw, ImageFont
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
CAPTION: Final = 40
"""The height of the line above two pictures that says which is which."""
GROUND: Final = (120, 120, 120)
ROOT: Final = Path(__file__).parents[2]
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
        self.seen[scene.replace(" ", "-").replace(":", "").replace(",", "")] = await self.tab.page.screenshot()

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


def seen_at(commit: str) -> list[dict[str, bytes]]:
    """The columns as a commit shows them, by its own walk. Raises CalledProcessError where there is no such commit, or
    it has no such walk.
    """
    found = _git("rev-parse", "--verify", f"{commit}^{{commit}}", at=ROOT)
    with tempfile.TemporaryDirectory() as folder:
        clone, pictures = Path(folder) / "clone", Path(folder) / "pictures"
        _git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(clone), at=ROOT)
        _git("checkout", "--quiet", found, at=clone)
        command = [sys.executable, "-m", "tests.e2e.sheet", str(Path(folder) / "sheet.png"), "--each", str(pictures)]
        subprocess.run(command, cwd=clone, env=os.environ | {"PYTHONPATH": str(clone)}, check=True)
        return read_each(pictures)


def _git(*words: str, at: Path) -> str:
    return subprocess.run(["git", *words], cwd=at, check=True, capture_output=True, text=True).stdout.strip()


def write_each(columns: Sequence[dict[str, bytes]], folder: Path) -> None:
    """Every picture by itself: `03-guided-game-played-0.png` is the fourth scene in the first column."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, column in enumerate(columns):
        for at, (scene, picture) in enumerate(column.items()):
            (folder / f"{at:02}-{scene}-{number}.png").write_bytes(picture)


def read_each(folder: Path) -> list[dict[str, bytes]]:
    """The columns that were written there."""
    columns: list[dict[str, bytes]] = [{} for _ in LOOKS]
    for file in sorted(folder.glob("*.png")):
        scene, _, number = file.stem.partition("-")[2].rpartition("-")
        columns[int(number)][scene] = file.read_bytes()
    return columns


def sheet(columns: Sequence[dict[str, bytes]], before: Sequence[dict[str, bytes]] = ()) -> Image.Image:
    """One picture of all: a row a scene, in the order of the walk. Where there are columns from `before`, each picture
    has the older one on its left; a scene that one of them lacks is left empty.
    """
    pairs = list(zip(before, columns, strict=True)) if before else [(column,) for column in columns]
    scenes = dict.fromkeys(scene for pair in pairs for column in reversed(pair) for scene in column)
    widths = [round(size["width"] * HEIGHT / size["height"]) for size, *_ in LOOKS]
    width = GAP + sum((wide + GAP) * len(pair) for wide, pair in zip(widths, pairs, strict=True))
    top = CAPTION if before else GAP
    whole = Image.new("RGB", (width, top + (HEIGHT + GAP) * len(scenes)), GROUND)
    x = GAP
    for wide, pair in zip(widths, pairs, strict=True):
        for said, column in zip(("before", "after"), pair, strict=False):
            if before:
                ImageDraw.Draw(whole).text((x, 6), said, font=ImageFont.load_default(24))
            for row, scene in enumerate(scenes):
                if scene in column:
                    whole.paste(_small(column[scene], wide), (x, top + row * (HEIGHT + GAP)))
            x += wide + GAP
    return whole


def _small(picture: bytes, wide: int) -> Image.Image:
    return Image.open(io.BytesIO(picture)).convert("RGB").resize((wide, HEIGHT), Image.Resampling.LANCZOS)


def main(
    out: Annotated[Path, typer.Argument(help="Where the sheet is written, as PNG.")],
    each: Annotated[Path | None, typer.Option(help="A folder for every picture by itself.")] = None,
    since: Annotated[str | None, typer.Option(help="A commit, whose pictures stand beside those of today.")] = None,
) -> None:
    """Walk through all scenes and write the sheet."""
    before = [] if since is None else seen_at(since)
    columns = asyncio.run(walked())
    sheet(columns, before).save(out)
    if each is not None:
        write_each(columns, each)
    typer.echo(f"{len(columns[0])} scenes in {len(columns)} columns: {out}")


if __name__ == "__main__":
    typer.run(main)
