"""`python -m tests.league [PEOPLE [SEASONS [SEED]]]`: simulates a league, and tells what it came to."""

import asyncio
import sys
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.league.simulation import Simulation


def main(people: int = 40, seasons: int = 3, seed: int = 1) -> None:
    """Run it in a folder that is gone afterwards."""
    with TemporaryDirectory() as folder:
        told = asyncio.run(Simulation(Path(folder) / "league.db", people, seed).run(seasons))
    for each in fields(told):
        value = getattr(told, each.name)
        print(f"{each.name}: {dict(value) if isinstance(value, dict) else value}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
