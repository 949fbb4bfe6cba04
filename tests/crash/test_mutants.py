"""The crash tests detect each bot with a deliberate bug."""

from pathlib import Path
from typing import Any

import pytest

from tests.crash import crash_run
from tests.crash.crash_run import run
from tests.crash.hangs import WEDGES
from tests.crash.mutants import MUTANTS
from tests.crash.simulated_players import BY_HAND, TABLES

pytestmark = pytest.mark.deep

SHOWS_AS = {
    "acknowledge_before_commit": ("lost",),
    "no_dedupe": ("twice",),
    "no_compare_and_set": ("broken",),
    # An early message is not repeated later, so it shows as missing rather than duplicate.
    "send_before_commit": ("doubled", "missing"),
    "trust_the_future": ("silent",),
    "nobody_watches": ("silent",),
}
CALM = (2.0, 4.0)  # Seconds between two kills; most of these faults show best during play
COURSES: dict[str, dict[str, Any]] = {
    "trust_the_future": {"kills": 4, "befalling": ("clock",), "often": 1.0},
    "nobody_watches": {"kills": 1},
}
REST_OF = {"nobody_watches": 30.0}
TABLES_OF = {"no_dedupe": (BY_HAND,) * 3, "nobody_watches": TABLES[:3]}
SEEDS = (11, 12, 13, 14)


def test_every_mutant_has_unique_fault() -> None:
    assert set(SHOWS_AS) == set(MUTANTS)


@pytest.mark.parametrize(("mutant", "faults"), SHOWS_AS.items())
async def test_harness_detects_mutant(
    tmp_path: Path, mutant: str, faults: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash_run, "REST", REST_OF.get(mutant, 120.0))
    tables = TABLES_OF.get(mutant, TABLES)
    way: dict[str, Any] = {"kills": 20, "enough": faults[0]} | COURSES.get(mutant, {})
    found = []
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        done = await run(folder, seed=seed, pause=CALM, mutant=mutant, tables=tables, **way)
        if done.caught or not done.verdict.faults().keys().isdisjoint(faults):
            return
        found.append(str(done))
    pytest.fail("\n".join(found))


@pytest.mark.parametrize("wedge", WEDGES)
async def test_silent_bot_detects_problem_and_recovers(tmp_path: Path, wedge: str) -> None:
    # Both bots stop responding one after the other, and each needs time to detect it.
    done = await run(tmp_path, kills=1, seed=12, pause=CALM, mutant=wedge, tables=TABLES[:3])
    assert done.verdict.faults() == {}
    assert "no post reaches Discord; reconnecting" in done.log
    assert done.token not in done.log
