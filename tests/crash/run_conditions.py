"""The number of kills in a run, and a run that must meet all conditions."""

import os
import re
import signal
from pathlib import Path
from typing import Any

from tests.crash.crash_run import RunResult, run
from tests.depth import scale_count

SEED = int(os.environ.get("BONEYARD_SEED", "1"))


def count_kills(count: int, *, least: int = 1) -> int:
    return int(os.environ.get("BONEYARD_KILLS") or scale_count(count, least))


KILLS = count_kills(6)


async def run_without_faults(
    folder: Path, database: str | None = None, *, kills: int, seed: int, **options: Any
) -> RunResult:
    result = await run(folder, database, kills=kills, seed=SEED + seed, **options)
    print(result.verdict)
    assert result.kills == kills
    assert result.verdict.collect_faults() == {}
    assert result.verdict.action_count > 0, "people got on with their matches"
    assert result.confirmation_count > 0
    assert result.crash_statuses == []
    assert set(result.stop_statuses) <= {0, -signal.SIGTERM}
    assert result.discord_errors == []
    assert re.findall(r".*(?:never retrieved|Ignoring exception|Unhandled).*", result.log) == []
    assert re.findall(r"\b[0-5](?:-[0-5]){2,3}\b|Person \d", result.log) == []
    assert result.token not in result.log
    return result
