"""Where simcord and the local Discord are known to differ, and why that is right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    """One place where the two show something else."""

    path: str
    key: str  # The name of the field
    simcord: Any
    local: Any

    def __str__(self) -> str:
        return f"{self.path}: simcord {self.simcord!r:.300}, local {self.local!r:.300}"


@dataclass(frozen=True)
class Known:
    """A difference that may be, in exactly this form."""

    keys: frozenset[str]
    form: Callable[[Any, Any], bool]
    why: str


RINGS = Known(
    frozenset({"mentions"}),
    lambda simcord, local: set(local) < set(simcord),
    "Discord lists whom a message really rings (discord-api-docs #979); simcord lists all whom it names.",
)

LOOKS = (
    Known(
        frozenset({"answer edited"}),
        lambda simcord, local: (simcord, local) == (True, False),
        "Discord shows no (edited) when a bot fills its own 'is thinking'; simcord counts that as an edit.",
    ),
    Known(
        frozenset({"width", "height"}),
        lambda simcord, local: simcord is None and isinstance(local, int) and local > 0,
        "Discord measures the pictures it is sent; simcord does not look into files.",
    ),
    Known(
        frozenset({"id"}),
        lambda simcord, local: simcord == 0 and isinstance(local, int) and local > 0,
        "Discord numbers the components of every message; simcord leaves 0 where there is no Components V2 flag.",
    ),
)
"""Differences that occur in every match."""

KNOWN = (*LOOKS, RINGS)  # Tests list the differences of each scene, so a missing one fails.


def known(difference: Difference) -> Known | None:
    for row in KNOWN:
        if difference.key in row.keys and row.form(difference.simcord, difference.local):
            return row
    return None
