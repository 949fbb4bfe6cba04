"""`python -m tests.league.walk OUT.png`: seasons of a small server in pictures: their tables, week by week."""

from __future__ import annotations

import asyncio
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PIL import Image

from bot.service.leagues import LeagueSeason
from bot.views import league
from data.words import words
from render import league_picture
from tests.league.simulation import DAY, PEOPLE, Simulation

PHONE: Final = 369
GAP: Final = 12
ACROSS: Final = 6
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
    found = Image.new("RGB", (across * (PHONE + GAP) + GAP, rows * high), "white")
    for number, column in enumerate(columns):
        row, place = divmod(number, ACROSS)
        top = GAP + row * high
        for one in column:
            found.paste(one, (GAP + place * (PHONE + GAP), top))
            top += one.height + GAP
    return found


def main(out: str) -> None:
    """Two seasons of twelve people."""
    with TemporaryDirectory() as folder:
        walk = Walk(Path(folder) / "league.db", 12, 3)
        asyncio.run(walk.run(2))
    sheet(walk.columns).save(out)


if __name__ == "__main__":
    main(sys.argv[1])
