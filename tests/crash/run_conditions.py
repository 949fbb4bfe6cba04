"""The number of kills in a run, and the conditions that every run must meet."""

import os
import re
import signal

from tests.crash.crash_run import Run
from tests.depth import scaled

KILLS = int(os.environ.get("BONEYARD_KILLS") or scaled(6))
SEED = int(os.environ.get("BONEYARD_SEED", "1"))


def ended_well(done: Run) -> None:
    assert done.verdict.acts > 0, "people got on with their matches"
    assert done.told > 0
    assert done.deaths == []
    assert set(done.stopped) <= {0, -signal.SIGTERM}
    assert done.faults == []
    assert re.findall(r".*(?:never retrieved|Ignoring exception|Unhandled).*", done.log) == []
    assert re.findall(r"\b[0-5](?:-[0-5]){2,3}\b|Person \d", done.log) == []
    assert done.token not in done.log
