"""`python -m tests.league [PEOPLE [SEASONS [SEED]]]` simulates a league, `python -m tests.league swiss|knockout [PEOPLE
[TOURNAMENTS [SEED]]]` so many tournaments of an evening; both tell what they came to.
"""

import asyncio
import sys
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.league.season import SeasonKind
from tests.league.evenings import Evening
from tests.league.simulation import Simulation, Told


def main(people: int = 40, seasons: int = 3, seed: int = 1) -> None:
    """Run it in a folder that is gone afterwards."""
    with TemporaryDirectory() as folder:
        told = asyncio.run(Simulation(Path(folder) / "league.db", people, seed).run(seasons))
    _say(told)


def evenings(kind: SeasonKind, people: int = 16, times: int = 10, seed: int = 1) -> None:
    """The same for tournaments, added up: `divisions` are their rounds, `away` those who never came."""
    total = Told(people)
    for number in range(times):
        with TemporaryDirectory() as folder:
            evening = Evening(Path(folder) / "league.db", people, seed + number, kind)
            asyncio.run(evening.evening())
        for each in fields(Told):
            mine, more = getattr(total, each.name), getattr(evening.told, each.name)
            added = max(mine, more) if each.name.startswith("most") or each.name == "people" else mine + more
            setattr(total, each.name, added)
    _say(total)


def _say(told: Told) -> None:
    for each in fields(told):
        value = getattr(told, each.name)
        print(f"{each.name}: {dict(value) if isinstance(value, dict) else value}")


if __name__ == "__main__":
    if sys.argv[1:2] in (["swiss"], ["knockout"]):
        evenings("swiss" if sys.argv[1] == "swiss" else "knockout", *map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
