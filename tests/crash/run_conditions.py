"""The number of kills in a run, and the conditions that every run must meet."""

import os
import re
import signal

from tests.crash.crash_run import RunResult
from tests.depth import scale_count

KILLS = int(os.environ.get("BONEYARD_KILLS") or scale_count(6))
SEED = int(os.environ.get("BONEYARD_SEED", "1"))


def assert_run_is_clean(result: RunResult) -> None:
    assert result.verdict.action_count > 0, "people got on with their matches"
    assert result.confirmation_count > 0
    assert result.crash_statuses == []
    assert set(result.stop_statuses) <= {0, -signal.SIGTERM}
    assert result.discord_errors == []
    assert re.findall(r".*(?:never retrieved|Ignoring exception|Unhandled).*", result.log) == []
    assert re.findall(r"\b[0-5](?:-[0-5]){2,3}\b|Person \d", result.log) == []
    assert result.token not in result.log
