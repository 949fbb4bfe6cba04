"""Bots are killed during play with Discord faults; the final state matches what users saw."""

from pathlib import Path

import pytest

from bot.playground import rest_channels
from tests.crash.bot_processes import PlainBotProcesses
from tests.crash.fast_clock import SPEED, build_fast_limits
from tests.crash.machine_faults import MACHINE_KINDS, SERVER_KINDS
from tests.crash.run_conditions import KILLS, count_kills, run_without_faults
from tests.crash.simulated_players import MANUAL_TABLE, TABLES
from tests.crash.tournaments_and_deals import TOURNAMENT, WEEKLY_DEAL
from tests.depth import scale_count

pytestmark = pytest.mark.deep

MODERATOR_KILLS = count_kills(5)  # Kills of two bots while moderators intervene


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_two_bots_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    await run_without_faults(tmp_path, kills=KILLS, seed=0, fault_kinds=MACHINE_KINDS)


async def test_repeatedly_killed_single_bot_loses_nothing(tmp_path: Path) -> None:
    await run_without_faults(tmp_path, kills=scale_count(4, least=2), seed=1, size=1, pause=(1.0, 2.0))


async def test_tournament_and_weekly_deal_finish_once_despite_kills(tmp_path: Path) -> None:
    tables = (MANUAL_TABLE, TOURNAMENT, WEEKLY_DEAL)
    kills = count_kills(4, least=2)
    result = await run_without_faults(tmp_path, kills=kills, seed=4, size=1, pause=(1.0, 4.0), tables=tables)
    assert result.verdict.matches >= 1 + 3, "a table by hand, two matches of the tournament, and its last one"


async def test_killed_bots_with_default_start_lose_nothing(tmp_path: Path) -> None:
    await run_without_faults(
        tmp_path, kills=2, seed=2, pause=(2.0, 4.0), bots_class=PlainBotProcesses, tables=TABLES[:2]
    )


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killing_and_redeploying_two_bots_with_shards_loses_nothing(tmp_path: Path) -> None:
    result = await run_without_faults(tmp_path, kills=count_kills(3), seed=5, shards=2, deploys=0.5)
    assert result.deploys > 0


@pytest.mark.timeout(900 + 6 * KILLS)
async def test_killed_bots_with_rate_limits_and_missing_permissions_lose_nothing(tmp_path: Path) -> None:
    limits = build_fast_limits(SPEED)
    result = await run_without_faults(
        tmp_path, kills=MODERATOR_KILLS, seed=6, fault_kinds=SERVER_KINDS, fault_rate=1.0, rate_limits=limits
    )
    assert sum(result.fault_counts[kind] for kind in SERVER_KINDS) == MODERATOR_KILLS


async def test_messages_are_not_duplicated_if_discord_forgets_nonces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.1)
    await run_without_faults(tmp_path, kills=max(5, KILLS // 4), seed=3)
