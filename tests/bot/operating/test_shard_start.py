"""The shard option and the start order of shards."""

import itertools
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from bot.__main__ import app
from bot.operating import sharding
from bot.operating.sharding import AUTOMATIC, IDENTIFY_GAP, IdentifyLimiter, ShardAssignment, parse_shards
from bot.playground.discord_limits import RateLimits
from data.store.operations.store import OperationsStore
from data.store.store import Store
from tests.bot.operating.two_processes import ShardPair, wait_until


@pytest.mark.parametrize(
    ("count", "numbers", "meant"),
    [
        (None, "", AUTOMATIC),
        (4, "", ShardAssignment(4)),
        (16, "0-3, 8", ShardAssignment(16, frozenset({0, 1, 2, 3, 8}))),
        (2, "1", ShardAssignment(2, frozenset({1}))),
    ],
)
def test_shard_option_accepts_numbers_and_ranges(count: int | None, numbers: str, meant: ShardAssignment) -> None:
    assert parse_shards(count, numbers) == meant


@pytest.mark.parametrize(
    ("count", "numbers"),
    [(0, ""), (10**22, ""), (None, "0"), (4, "4"), (4, "3-1"), (4, "a"), (4, "1-"), (4, "-1"), (4, ","), (4, "²")],
)
def test_invalid_shard_option_is_refused(count: int | None, numbers: str) -> None:
    with pytest.raises(ValueError, match=r"shard"):
        parse_shards(count, numbers)


def test_invalid_shards_report_expected_format() -> None:
    ended = CliRunner().invoke(app, ["run", "--shards", "2", "--shard-ids", "2"])
    assert ended.exit_code == 1
    assert ended.stderr == "boneyard: --shard-ids go from 0 to 1 with --shards 2, and ranges go up.\n"


async def test_shards_of_two_processes_start_one_after_another(two: ShardPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharding, "IDENTIFY_GAP", 300)
    allowed_at, reserve_identify = [], OperationsStore.reserve_identify

    async def reserve_noted(store: Store, bucket: int, *, gap: int, now: int) -> int:
        wait = await reserve_identify(store, bucket, gap=gap, now=now)
        allowed_at.extend([now] if wait == 0 else [])
        return wait

    monkeypatch.setattr(OperationsStore, "reserve_identify", reserve_noted)
    async with (
        two.run_process(0, 1, count=4, ready=False) as left,
        two.run_process(2, 3, count=4, ready=False) as right,
    ):
        await wait_until(lambda: two.has_connected_shards(left, 0, 1), left)
        await wait_until(lambda: two.has_connected_shards(right, 2, 3), right)
    assert len(allowed_at) == 4
    assert all(after - before >= 300 for before, after in itertools.pairwise(sorted(allowed_at)))


def test_shards_wait_longer_than_discord_requires() -> None:
    assert RateLimits().pause * 1000 < IDENTIFY_GAP


async def test_shard_groups_start_concurrently_if_discord_allows(
    two: ShardPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    throttle = two.discord.gateway._throttle
    monkeypatch.setattr(throttle, "rates", replace(throttle.rates, pause=100.0, max_concurrency=4))
    monkeypatch.setattr(sharding, "IDENTIFY_GAP", 100_000)
    async with two.run_process(count=4) as whole:
        assert whole.client.services.presence.connected_shards.is_complete


async def test_shards_start_when_discord_does_not_name_start_limit(
    two: ShardPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharding, "IDENTIFY_GAP", 100)
    two.discord.faults.inject_status("GET /api/v10/gateway/bot", 404, times=1000)
    async with two.run_process(count=2) as whole:
        assert whole.client.services.presence.connected_shards.is_complete
    assert two.discord.faults._statuses[0].remaining < 1000, "the bot asked for the limit"


async def test_start_is_allowed_when_connection_to_discord_is_lost(store: Store) -> None:
    class Gateway:
        async def get_bot_gateway(self) -> object:
            raise ConnectionResetError

    assert await IdentifyLimiter(Gateway(), store, lambda: 0).count_groups() == 1


async def test_start_without_remaining_starts_waits_until_limit_is_reset(
    store: Store, logged_errors: list[str]
) -> None:
    remaining, slept = [0, 0, 5], []

    class Gateway:
        async def get_bot_gateway(self) -> tuple[int, str, dict[str, int]]:
            limits = {"total": 1000, "remaining": remaining.pop(0), "reset_after": 3_600_000, "max_concurrency": 1}
            return 1, "", limits

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await IdentifyLimiter(Gateway(), store, lambda: 0, sleep).wait_for_daily_limit()
    assert slept == [3600.0, 3600.0]
    assert ["no more starts" in line for line in logged_errors] == [True, True]
    logged_errors.clear()
