"""How the small values are made that say what is asked and what happened: every move makes some."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def fact(kind: type[T]) -> type[T]:
    """Make a class a dataclass whose values nobody changes, with a hash and without a dict.

    The type checker sees to it that they are frozen. Python is not asked to: each field would be set through
    `object.__setattr__`, and a `Placed` with its 14 fields would take twice as long to make.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)
