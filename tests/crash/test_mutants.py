"""The crash tests detect each bot with a deliberate bug."""

from pathlib import Path
from typing import Any

import pytest

from tests.crash import crash_run
from tests.crash.crash_run import run
from tests.crash.hangs import HANGS
from tests.crash.mutants import MUTANTS
from tests.crash.simulated_players import MANUAL_TABLE, TABLES

pytestmark = pytest.mark.deep

FAULTS_BY_MUTANT = {
    "acknowledge_before_commit": ("lost",),
    "no_dedupe": ("twice",),
    "no_compare_and_set": ("broken",),
    # An early message is not repeated later, so it shows as missing rather than duplicate.
    "send_before_commit": ("doubled", "missing"),
    "trust_the_future": ("silent",),
    "nobody_watches": ("silent",),
}
KILL_PAUSE = (2.0, 4.0)  # Seconds between two kills; most of these faults show best during play
RUN_OPTIONS: dict[str, dict[str, Any]] = {
    "trust_the_future": {"kills": 4, "fault_kinds": ("clock",), "fault_rate": 1.0},
    "nobody_watches": {"kills": 1},
}
IDLE_TIMEOUTS = {"nobody_watches": 30.0}
TABLES_BY_MUTANT = {"no_dedupe": (MANUAL_TABLE,) * 3, "nobody_watches": TABLES[:3]}
SEEDS = (11, 12, 13, 14)


def test_every_mutant_has_unique_fault() -> None:
    assert set(FAULTS_BY_MUTANT) == set(MUTANTS)


@pytest.mark.parametrize(("mutant", "faults"), FAULTS_BY_MUTANT.items())
async def test_harness_detects_mutant(
    tmp_path: Path, mutant: str, faults: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash_run, "IDLE_TIMEOUT", IDLE_TIMEOUTS.get(mutant, 120.0))
    tables = TABLES_BY_MUTANT.get(mutant, TABLES)
    options: dict[str, Any] = {"kills": 20, "stop_at_fault": faults[0]} | RUN_OPTIONS.get(mutant, {})
    found = []
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        result = await run(folder, seed=seed, pause=KILL_PAUSE, mutant=mutant, tables=tables, **options)
        if result.is_detected or not result.verdict.collect_faults().keys().isdisjoint(faults):
            return
        found.append(str(result.verdict))
    pytest.fail("\n".join(found))


@pytest.mark.parametrize("wedge", HANGS)
async def test_silent_bot_detects_problem_and_recovers(tmp_path: Path, wedge: str) -> None:
    # Both bots stop responding one after the other, and each needs time to detect it.
    result = await run(tmp_path, kills=1, seed=12, pause=KILL_PAUSE, mutant=wedge, tables=TABLES[:3])
    assert result.verdict.collect_faults() == {}
    assert "no post reaches Discord; reconnecting" in result.log
    assert result.token not in result.log
