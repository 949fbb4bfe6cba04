"""Bots are killed during play with Discord faults; the final state matches what users saw."""

import os
from pathlib import Path

import pytest

from bot.playground import rest_channels
from bot.playground.discord_limits import RateLimits
from tests.crash.bot_processes import PlainBotProcesses
from tests.crash.crash_run import run
from tests.crash.fast_clock import SPEED
from tests.crash.machine_faults import MACHINE_KINDS, SERVER_KINDS
from tests.crash.run_conditions import KILLS, SEED, assert_run_is_clean
from tests.crash.simulated_players import MANUAL_TABLE, TABLES
from tests.crash.tournaments_and_deals import TOURNAMENT, WEEKLY_DEAL
from tests.depth import scale_count

pytestmark = pytest.mark.deep

SINGLE_BOT_KILLS = scale_count(4, least=2)  # Kills of a single bot
TOURNAMENT_KILLS = int(os.environ.get("BONEYARD_KILLS") or scale_count(4, least=2))
SHARDED_KILLS = int(os.environ.get("BONEYARD_KILLS") or scale_count(3))  # Kills of two bots that share the guilds
MODERATOR_KILLS = int(
    os.environ.get("BONEYARD_KILLS") or scale_count(5)
)  # Kills of two bots while moderators intervene


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_two_bots_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    result = await run(tmp_path, kills=KILLS, seed=SEED, fault_kinds=MACHINE_KINDS)
    print(result)
    assert result.kills == KILLS
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)


async def test_repeatedly_killed_single_bot_loses_nothing(tmp_path: Path) -> None:
    result = await run(tmp_path, kills=SINGLE_BOT_KILLS, seed=SEED + 1, size=1, pause=(1.0, 2.0))
    assert result.kills == SINGLE_BOT_KILLS
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)


async def test_tournament_and_weekly_deal_finish_once_despite_kills(tmp_path: Path) -> None:
    tables = (MANUAL_TABLE, TOURNAMENT, WEEKLY_DEAL)
    result = await run(tmp_path, kills=TOURNAMENT_KILLS, seed=SEED + 4, size=1, pause=(1.0, 4.0), tables=tables)
    print(result)
    assert result.kills == TOURNAMENT_KILLS
    assert result.verdict.collect_faults() == {}
    assert result.verdict.matches >= 1 + 3, "a table by hand, two matches of the tournament, and its last one"
    assert_run_is_clean(result)


async def test_killed_bots_with_default_start_lose_nothing(tmp_path: Path) -> None:
    result = await run(
        tmp_path, kills=2, seed=SEED + 2, pause=(2.0, 4.0), bots_class=PlainBotProcesses, tables=TABLES[:2]
    )
    assert result.kills == 2
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_and_redeploying_two_bots_with_shards_loses_nothing(tmp_path: Path) -> None:
    result = await run(tmp_path, kills=SHARDED_KILLS, seed=SEED + 5, shards=2, deploys=0.5)
    print(result)
    assert result.kills == SHARDED_KILLS
    assert result.deploys > 0
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killed_bots_with_rate_limits_and_missing_permissions_lose_nothing(
    tmp_path: Path,
) -> None:
    real = RateLimits().with_speed(SPEED)
    result = await run(
        tmp_path, kills=MODERATOR_KILLS, seed=SEED + 6, fault_kinds=SERVER_KINDS, fault_rate=1.0, rate_limits=real
    )
    print(result)
    assert result.kills == MODERATOR_KILLS
    assert sum(result.fault_counts[kind] for kind in SERVER_KINDS) == MODERATOR_KILLS
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)


async def test_messages_are_not_duplicated_if_discord_forgets_nonces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.1)
    result = await run(tmp_path, kills=max(5, KILLS // 4), seed=SEED + 3)
    print(result)
    assert result.verdict.collect_faults() == {}
    assert_run_is_clean(result)
