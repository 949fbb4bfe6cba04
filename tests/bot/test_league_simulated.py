"""Leagues with leavers, vacations, people who are forgotten and a bot that is killed add up, whatever happens."""

from pathlib import Path

from tests.depth import DEPTH, deep
from tests.league.simulation import Simulation


async def test_every_pairing_is_played_or_judged_once_and_the_tables_add_up(tmp_path: Path) -> None:
    people, seasons = (40, 3) if DEPTH >= 10 else (12, 1)
    for seed in range(deep(1)) if DEPTH < 10 else range(1):
        told = await Simulation(tmp_path / f"{seed}.db", people, seed).run(seasons)

        assert told.seasons == seasons
        assert sum(told.how.values()) == told.fixtures
        assert told.how["played"] > 0
        assert told.kills > 0
        assert told.most_at_once <= 2
        assert told.most_threads <= people, "two matches a person, and two people a match"
