"""Scale the number of examples, matches, races or kills of a test by `BONEYARD_DEPTH`, which is 1 by default."""

import os
from collections.abc import Collection, Sequence
from typing import TypeVar

DEPTH = float(os.environ.get("BONEYARD_DEPTH") or 1)

Case = TypeVar("Case")


def scale_count(usual: int, least: int = 1) -> int:
    """Return a number of repetitions scaled by the depth, and at least `least`."""
    return max(least, round(usual * DEPTH))


def list_required_cases(kinds: Collection[Case]) -> set[Case]:
    """Return the cases that must occur in a run: all at depth 1 or more, none in a shallower run."""
    return set(kinds) if DEPTH >= 1 else set()


def sample_cases(cases: Sequence[Case]) -> Sequence[Case]:
    """Return all cases at depth 1 or more, every tenth at a depth of 0.1."""
    return cases[:: max(1, round(1 / DEPTH))]
