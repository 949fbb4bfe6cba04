"""The harness finds what it is there to find: each of five bots that do one thing wrong is caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crash.course import run
from tests.crash.mutants import MUTANTS
from tests.crash.people import BY_HAND, TABLES

SHOWS_AS = {
    "acknowledge_before_commit": ("lost",),
    "no_dedupe": ("twice",),
    "no_compare_and_set": ("broken",),
    # What was said early is not said again when it comes to be, so where nothing is doubled something is missing.
    "send_before_commit": ("doubled", "missing"),
    # It heals while the machine's hour passes, so it is looked for when all trouble is over.
    "trust_the_future": ("silent",),
}
"""The faults that each shows as; the first can be seen while people still play."""
CALM = (2.0, 4.0)
"""Seconds between two kills: most of these faults show best while people play."""
COURSES = {"trust_the_future": {"kills": 4, "befalling": ("clock",), "often": 1.0}}
"""Where people need not play until a fault shows by itself: how many kills, and what befalls the machine."""
TABLES_OF = {"no_dedupe": (BY_HAND,) * 3}
"""Where a fault shows only at some tables, they are the only ones."""


def test_every_mutant_has_a_fault_of_its_own() -> None:
    assert set(SHOWS_AS) == set(MUTANTS)


@pytest.mark.parametrize(("mutant", "faults"), SHOWS_AS.items())
async def test_the_harness_catches(tmp_path: Path, mutant: str, faults: tuple[str, ...]) -> None:
    tables = TABLES_OF.get(mutant, TABLES)
    course: dict[str, Any] = {"kills": 20, "enough": faults[0]} | COURSES.get(mutant, {})
    done = await run(tmp_path, seed=11, pause=CALM, mutant=mutant, tables=tables, **course)
    assert done.caught or not done.verdict.faults().keys().isdisjoint(faults)
