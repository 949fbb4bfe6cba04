"""Bots are killed during play with Discord faults; the final state matches what users saw."""

import os
from pathlib import Path

import pytest

from bot.playground import rest_channels
from bot.playground.discord_limits import RateLimits
from tests.crash.bot_processes import PlainBotProcesses
from tests.crash.crash_run import run
from tests.crash.fast_clock import SPEED
from tests.crash.machine_faults import ALL, SERVERS
from tests.crash.run_conditions import KILLS, SEED, ended_well
from tests.crash.simulated_players import BY_HAND, TABLES
from tests.crash.tournaments_and_deals import EVENING, WEEKLY
from tests.depth import scaled

pytestmark = pytest.mark.deep

ALONE = scaled(4, least=2)  # Kills of a single bot
GATHERED = int(os.environ.get("BONEYARD_KILLS") or scaled(4, least=2))
SHARDED = int(os.environ.get("BONEYARD_KILLS") or scaled(3))  # Kills of two bots that share the guilds
NEIGHBOURS = int(os.environ.get("BONEYARD_KILLS") or scaled(5))  # Kills of two bots while moderators intervene


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_two_bots_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    done = await run(tmp_path, kills=KILLS, seed=SEED, befalling=ALL)
    print(done)
    assert done.kills == KILLS
    assert done.verdict.faults() == {}
    ended_well(done)


async def test_repeatedly_killed_single_bot_loses_nothing(tmp_path: Path) -> None:
    done = await run(tmp_path, kills=ALONE, seed=SEED + 1, size=1, pause=(1.0, 2.0))
    assert done.kills == ALONE
    assert done.verdict.faults() == {}
    ended_well(done)


async def test_tournament_and_weekly_deal_finish_once_despite_kills(tmp_path: Path) -> None:
    tables = (BY_HAND, EVENING, WEEKLY)
    done = await run(tmp_path, kills=GATHERED, seed=SEED + 4, size=1, pause=(1.0, 4.0), tables=tables)
    print(done)
    assert done.kills == GATHERED
    assert done.verdict.faults() == {}
    assert done.verdict.matches >= 1 + 3, "a table by hand, two matches of the tournament, and its last one"
    ended_well(done)


async def test_killed_bots_with_default_start_lose_nothing(tmp_path: Path) -> None:
    done = await run(tmp_path, kills=2, seed=SEED + 2, pause=(2.0, 4.0), kind=PlainBotProcesses, tables=TABLES[:2])
    assert done.kills == 2
    assert done.verdict.faults() == {}
    ended_well(done)


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_and_redeploying_two_bots_with_shards_loses_nothing(tmp_path: Path) -> None:
    done = await run(tmp_path, kills=SHARDED, seed=SEED + 5, shards=2, deploys=0.5)
    print(done)
    assert done.kills == SHARDED
    assert done.deploys > 0
    assert done.verdict.faults() == {}
    ended_well(done)


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killed_bots_with_rate_limits_and_missing_permissions_lose_nothing(
    tmp_path: Path,
) -> None:
    real = RateLimits().with_speed(SPEED)
    done = await run(tmp_path, kills=NEIGHBOURS, seed=SEED + 6, befalling=SERVERS, often=1.0, rates=real)
    print(done)
    assert done.kills == NEIGHBOURS
    assert sum(done.troubles[kind] for kind in SERVERS) == NEIGHBOURS
    assert done.verdict.faults() == {}
    ended_well(done)


async def test_messages_are_not_duplicated_if_discord_forgets_nonces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.1)
    done = await run(tmp_path, kills=max(5, KILLS // 4), seed=SEED + 3)
    print(done)
    assert done.verdict.faults() == {}
    ended_well(done)
