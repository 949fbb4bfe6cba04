"""Two sharded bots on PostgreSQL are killed while the database fails over."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.run_conditions import KILLS, SEED, run_without_faults
from tests.crash.server_faults import ServerFaults
from tests.postgres import servers
from tests.postgres.servers import run_server_pair

pytestmark = [servers.NEEDS_POSTGRES, pytest.mark.deep]


@pytest.mark.timeout(900 + 9 * KILLS)
async def test_killing_two_bots_during_postgresql_failover_loses_nothing(tmp_path: Path) -> None:
    async with run_server_pair() as postgres_pair:
        server_faults = ServerFaults(postgres_pair, Random(SEED + 4))
        await run_without_faults(
            tmp_path,
            postgres_pair.build_url("bones"),
            kills=max(6, KILLS // 2),
            seed=4,
            pause=(0.8, 2.0),
            shards=2,
            deploys=0.1,
            fault_context=server_faults.cause_faults,
        )
    assert server_faults.fault_counts["failovers"] > 0
