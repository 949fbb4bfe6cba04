"""How deep the checks go: a short way in every run, and as far as somebody wants in a long one.

What may be more or less of - examples, deals, matches, races, kills, days - is written as `deep(40)`: forty, times
`BONEYARD_DEPTH` (1 where nothing is said). `BONEYARD_DEPTH=10 uv run pytest tests/engine` tries ten times as much; the
figures of the documents come from such runs (CONTRIBUTING.md).
"""

import os
from collections.abc import Collection, Sequence
from typing import TypeVar

DEPTH = float(os.environ.get("BONEYARD_DEPTH") or 1)


Case = TypeVar("Case")


def deep(usual: int, least: int = 1) -> int:
    """So many in a usual run, more or fewer in a deeper or shallower one, but never fewer than `least`."""
    return max(least, round(usual * DEPTH))


def comes_up(kinds: Collection[Case]) -> set[Case]:
    """What must have come up: all of these in a usual run or a deeper one, and nothing in a shallow one, where chance
    may leave out any of it. Whatever does come up is looked at all the same.
    """
    return set(kinds) if DEPTH >= 1 else set()


def part(cases: Sequence[Case]) -> Sequence[Case]:
    """All of these cases in a usual run or a deeper one, every tenth at a tenth of the depth."""
    return cases[:: max(1, round(1 / DEPTH))]
