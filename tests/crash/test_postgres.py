"""Two sharded bots on PostgreSQL are killed while the database fails over."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.crash_run import run
from tests.crash.run_conditions import KILLS, SEED, ended_well
from tests.crash.server_faults import ServerFaults
from tests.postgres import servers
from tests.postgres.servers import pair

pytestmark = [servers.NEEDED, pytest.mark.deep]


@pytest.mark.timeout(900 + 9 * KILLS)
async def test_killing_two_bots_during_postgresql_failover_loses_nothing(tmp_path: Path) -> None:
    async with pair() as both:
        await both.primary.new_database("bones")
        quakes = ServerFaults(both, Random(SEED + 4))
        done = await run(
            tmp_path,
            both.url("bones"),
            kills=max(6, KILLS // 2),
            seed=SEED + 4,
            pause=(0.8, 2.0),
            shards=2,
            deploys=0.1,
            beside=quakes.shaking,
        )
    print(done, dict(quakes.felt))
    assert quakes.felt["failovers"] > 0
    assert done.verdict.faults() == {}
    ended_well(done)
