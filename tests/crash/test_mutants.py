"""The harness finds what it is there to find: each of four bots that do one thing wrong is caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.course import run
from tests.crash.mutants import MUTANTS

SHOWS_AS = {
    "acknowledge_before_commit": "lost",
    "no_dedupe": "twice",
    "no_compare_and_set": "broken",
    "send_before_commit": "doubled",
}
CALM = (1.0, 2.5)
"""Seconds between two kills: most of these faults show best while people play."""


def test_every_mutant_has_a_fault_of_its_own() -> None:
    assert set(SHOWS_AS) == set(MUTANTS)


@pytest.mark.parametrize(("mutant", "fault"), SHOWS_AS.items())
async def test_the_harness_catches(tmp_path: Path, mutant: str, fault: str) -> None:
    done = await run(tmp_path, kills=40, seed=11, pause=CALM, mutant=mutant, enough=fault)
    assert fault in done.verdict.faults()
