"""What simcord takes and tells is JSON, and it copies all of it twice or more, so that nobody changes what another one
holds. `copy.deepcopy` looks for circles and for things of any kind, which takes four times as long: two milliseconds
for the list of commands, which every bot tells as it starts.
"""

from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from simcord import components, gateway, results
from simcord.http import router

PLAIN = frozenset({str, int, float, bool, type(None)})


def copied(value: Any) -> Any:
    """A copy that shares nothing with the value that could be changed; what is no JSON is copied as ever."""
    kind = type(value)
    if kind is dict:
        return {key: one if type(one) in PLAIN else copied(one) for key, one in value.items()}
    if kind is list:
        return [one if type(one) in PLAIN else copied(one) for one in value]
    return value if kind in PLAIN else deepcopy(value)


def copy_quickly() -> None:
    """Let simcord copy so."""
    for module in (router, gateway):
        module.copy = SimpleNamespace(deepcopy=copied)  # type: ignore[attr-defined]
    for module in (components, results):
        module.deepcopy = copied  # type: ignore[attr-defined]
