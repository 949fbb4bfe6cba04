"""Accepted differences between simcord and the local Discord, with their reasons."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    path: str
    key: str  # name of the field
    simcord: Any
    local: Any

    def __str__(self) -> str:
        return f"{self.path}: simcord {self.simcord!r:.300}, local {self.local!r:.300}"


@dataclass(frozen=True)
class KnownDifference:
    keys: frozenset[str]
    is_match: Callable[[Any, Any], bool]
    reason: str


MENTION_DIFFERENCE = KnownDifference(
    frozenset({"mentions"}),
    lambda simcord, local: set(local) < set(simcord),
    "Discord lists whom a message really rings (discord-api-docs #979); simcord lists all whom it names.",
)

COMMON_DIFFERENCES = (
    KnownDifference(
        frozenset({"answer edited"}),
        lambda simcord, local: (simcord, local) == (True, False),
        "Discord shows no (edited) when a bot fills its own 'is thinking'; simcord counts that as an edit.",
    ),
    KnownDifference(
        frozenset({"width", "height"}),
        lambda simcord, local: simcord is None and isinstance(local, int) and local > 0,
        "Discord measures the pictures it is sent; simcord does not look into files.",
    ),
    KnownDifference(
        frozenset({"id"}),
        lambda simcord, local: simcord == 0 and isinstance(local, int) and local > 0,
        "Discord numbers the components of every message; simcord leaves 0 where there is no Components V2 flag.",
    ),
)
"""Differences that occur in every match."""

KNOWN_DIFFERENCES = (
    *COMMON_DIFFERENCES,
    MENTION_DIFFERENCE,
)  # Tests list the differences of each scene, so a missing one fails.


def find_known_difference(difference: Difference) -> KnownDifference | None:
    for row in KNOWN_DIFFERENCES:
        if difference.key in row.keys and row.is_match(difference.simcord, difference.local):
            return row
    return None
