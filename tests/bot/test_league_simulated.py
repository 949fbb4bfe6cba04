"""Leagues with leavers, vacations, people who are forgotten and a bot that is killed add up, whatever happens."""

from pathlib import Path

import pytest

from engine.league.season import SeasonKind
from tests.depth import DEPTH, deep
from tests.league.evenings import ROUND, STEP, Evening
from tests.league.simulation import NOW, Simulation


async def test_every_pairing_is_played_or_judged_once_and_the_tables_add_up(tmp_path: Path) -> None:
    people, seasons = (40, 3) if DEPTH >= 10 else (12, 1)
    for seed in range(deep(1)) if DEPTH < 10 else range(1):
        told = await Simulation(tmp_path / f"{seed}.db", people, seed).run(seasons)

        assert told.seasons == seasons
        assert sum(told.how.values()) == told.fixtures
        assert told.how["resigned"] > 0
        assert told.kills > 0
        assert told.most_at_once <= 2
        assert told.most_threads <= people, "two matches a person, and two people a match"


@pytest.mark.parametrize(("kind", "people"), [("swiss", 16), ("knockout", 11)])
async def test_an_evening_with_leavers_people_who_do_not_come_and_kills_is_played_or_judged_whole(
    tmp_path: Path, kind: SeasonKind, people: int
) -> None:
    kills = 0
    for seed in range(deep(1)):
        evening = Evening(tmp_path / f"{seed}.db", people, seed, kind)
        await evening.evening()
        told = evening.told
        kills += told.kills
        assert sum(told.how.values()) == told.fixtures
        assert told.how["resigned"] > 0
        assert told.most_at_once <= 1
        longest = 30 * 60_000 + told.divisions * (ROUND + 2 * 60_000)
        assert evening.now() - NOW <= longest + STEP, "nobody holds up anybody for longer than a round"
    assert kills > 0
