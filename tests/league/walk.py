"""`uv run checks -m tests.league.walk OUT.png`: a season of a small server in pictures.

Above, what its people see on a phone, from sign-up to the season after it, at the local page in Debian's Chromium;
below, the tables of two seasons of twelve people, week by week.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from bot.service.leagues import LeagueSeason
from bot.views import league
from data.words import words
from render import league_picture
from tests.league.simulation import DAY, PEOPLE, Simulation
from tests.league.story import Frame, story, with_chromium

PHONE: Final = 369
GAP: Final = 12
ACROSS: Final = 6
FRAMES_ACROSS: Final = 5
CAPTION: Final = 40
"""The height of the line above a picture of the page."""
GROUND: Final = (228, 230, 236)
INK: Final = (30, 34, 48)
NAMES: Final = (
    "Ada",
    "Grace",
    "Linus",
    "Mary",
    "Alan",
    "Emmy",
    "Sofia",
    "Kurt",
    "Hedy",
    "Katherine",
    "Edsger",
    "Barbara",
)


class Walk(Simulation):
    """A simulation that is looked at once a week."""

    def __init__(self, file: Path, people: int, seed: int) -> None:
        super().__init__(file, people, seed)
        self.columns: list[list[Image.Image]] = []
        self._looked = 0

    def _watch(self, found: LeagueSeason) -> None:
        super()._watch(found)
        if found.season.divisions and self.now() - self._looked >= 7 * DAY:
            self._look(found)

    def _counted(self, found: LeagueSeason) -> None:
        super()._counted(found)
        self._look(found)

    def _look(self, found: LeagueSeason) -> None:
        """The tables of all divisions, one below the other."""
        self._looked = self.now()
        self.columns.append([drawn_division(found, number) for number in range(len(found.season.divisions))])


def drawn_division(found: LeagueSeason, division: int) -> Image.Image:
    """One table at the width of a phone."""
    said = words()
    people = found.people.items()
    names = {player: said("name.somebody") if user is None else NAMES[user - PEOPLE] for player, user in people}
    called = league.SeasonNames(names, names)
    lines = league.picture_lines(found, division, called)
    title, heading = league.title_of(found, said, escaped=False), said("league.division", n=division + 1)
    png = league_picture(title, heading, league.column_names(found, said), lines).png
    image = Image.open(BytesIO(png)).convert("RGB")
    return image.resize((PHONE, round(image.height * PHONE / image.width)), Image.Resampling.LANCZOS)


def sheet(columns: list[list[Image.Image]]) -> Image.Image:
    """All of it side by side, from left to right in the order of time."""
    high = max(sum(one.height + GAP for one in column) for column in columns) + GAP
    across, rows = min(ACROSS, len(columns)), -(-len(columns) // ACROSS)
    found = Image.new("RGB", (across * (PHONE + GAP) + GAP, rows * high), GROUND)
    for number, column in enumerate(columns):
        row, place = divmod(number, ACROSS)
        top = GAP + row * high
        for one in column:
            found.paste(one, (GAP + place * (PHONE + GAP), top))
            top += one.height + GAP
    return found


def strip(frames: Sequence[Frame]) -> Image.Image:
    """What the page showed, in the order of time, each below what happens there."""
    wide = max(frame.image.width for frame in frames)
    high = CAPTION + max(frame.image.height for frame in frames) + GAP
    across, rows = min(FRAMES_ACROSS, len(frames)), -(-len(frames) // FRAMES_ACROSS)
    found = Image.new("RGB", (across * (wide + GAP) + GAP, rows * high + GAP), GROUND)
    pen = ImageDraw.Draw(found)
    for number, frame in enumerate(frames):
        row, place = divmod(number, FRAMES_ACROSS)
        at = GAP + place * (wide + GAP), GAP + row * high
        told = f"{number + 1} · {frame.caption}"
        size = next(size for size in range(22, 8, -1) if pen.textlength(told, ImageFont.load_default(size)) <= wide)
        pen.text((at[0], at[1] + CAPTION - 32), told, fill=INK, font=ImageFont.load_default(size))
        found.paste(frame.image, (at[0], at[1] + CAPTION))
    return found


def below(above: Image.Image, under: Image.Image) -> Image.Image:
    """One picture of two, the lower one as wide as the upper one."""
    high = round(under.height * above.width / under.width)
    found = Image.new("RGB", (above.width, above.height + high), GROUND)
    found.paste(above, (0, 0))
    found.paste(under.resize((above.width, high), Image.Resampling.LANCZOS), (0, above.height))
    return found


def main(out: str) -> None:
    """A season at the page, and two of twelve people in tables."""
    frames = asyncio.run(with_chromium(story))
    with TemporaryDirectory() as folder:
        walk = Walk(Path(folder) / "league.db", 12, 3)
        asyncio.run(walk.run(2))
    below(strip(frames), sheet(walk.columns)).save(out)


if __name__ == "__main__":
    main(sys.argv[1])
