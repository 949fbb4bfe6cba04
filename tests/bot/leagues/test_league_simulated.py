"""Simulated leagues and tournaments with departures, vacations, deletions and kills."""

from pathlib import Path

import pytest

from engine.leagues.season import SeasonKind
from tests.depth import DEPTH, scale_count
from tests.tools.seasons import NOW, ROUND, TOURNAMENT_STEP, LeagueSimulation, TournamentSimulation

pytestmark = pytest.mark.deep


async def test_league_with_kills_decides_every_fixture_once(tmp_path: Path) -> None:
    players, seasons = (40, 3) if DEPTH >= 10 else (12, 1)
    for seed in range(1 if DEPTH >= 10 else scale_count(1)):
        totals = await LeagueSimulation(tmp_path / f"{seed}.db", players, seed).run(seasons)

        assert totals.seasons == seasons
        assert sum(totals.how.values()) == totals.fixtures
        assert totals.how["resigned"] > 0
        assert totals.kills > 0
        assert totals.most_at_once <= 2
        assert totals.most_threads <= players, "two matches a player, and two players a match"


@pytest.mark.parametrize(("kind", "players"), [("swiss", 16), ("knockout", 11)])
async def test_tournament_with_kills_decides_every_pairing_in_time(
    tmp_path: Path, kind: SeasonKind, players: int
) -> None:
    kills = 0
    for seed in range(scale_count(1)):
        simulation = TournamentSimulation(tmp_path / f"{seed}.db", players, seed, kind)
        totals = await simulation.run(1)
        kills += totals.kills
        assert sum(totals.how.values()) == totals.fixtures
        assert totals.how["resigned"] > 0
        assert totals.most_at_once <= 1
        longest = 30 * 60_000 + totals.divisions * (ROUND + 2 * 60_000)
        assert simulation.read_clock() - NOW <= longest + TOURNAMENT_STEP
    assert kills > 0
