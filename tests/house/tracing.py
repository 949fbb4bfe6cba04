"""Which functions of the house run, one after the other, while something is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from tests.house.sources import ROOMS, ROOT

STANDARD = "engine/changed.py"
"""What stands for a function of Python's own library, whose functions are none of the house either."""
BESIDE = "/simcord/"
"""What the simulated Discord does within a request of the bot, Discord does elsewhere: no call of the bot's."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the house."""

    file: str
    """Such as `engine/decide.py`."""
    name: str
    """Such as `Match.legal`."""

    @property
    def module(self) -> str:
        """Such as `engine.decide`."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        """Such as `engine`."""
        return str(Path(self.file).parent)

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


@dataclass(frozen=True, slots=True)
class Step:
    """A function begins, or goes on after it had waited."""

    function: Function
    under: tuple[Function, ...]
    """Whoever called it, the nearest first, libraries in between left out."""
    again: bool
    """Whether it goes on."""


@dataclass
class Trace:
    """Every step in this thread, in order. Comprehensions and lambdas belong to the function they stand in: later
    versions of Python do not call comprehensions at all.
    """

    steps: list[Step] = field(default_factory=list)
    _begun: set[FrameType] = field(default_factory=set)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Note what happens meanwhile."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._begun.clear()

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        function = named(frame.f_code) if event == "call" else None
        if function is None:
            return
        self.steps.append(Step(function, tuple(_callers(frame)), frame in self._begun))
        # Kept until the end, so that no other frame gets its place in memory.
        self._begun.add(frame)


def _callers(frame: FrameType) -> Iterator[Function]:
    caller = frame.f_back
    while caller is not None and BESIDE not in caller.f_code.co_filename:
        function = named(caller.f_code)
        if function is not None:
            yield function
        caller = caller.f_back


@cache
def named(code: CodeType) -> Function | None:
    """The function that code is, None for comprehensions, lambdas and whatever is not of the house."""
    path = Path(code.co_filename)
    if code.co_name.startswith("<") or not path.is_relative_to(ROOT):
        return None
    inside = path.relative_to(ROOT)
    if inside.parts[0] not in ROOMS or inside.as_posix() == STANDARD:
        return None
    return Function(inside.as_posix(), code.co_qualname)
