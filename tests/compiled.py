"""What is read by six workers is compiled by one of them: in a new checkout that is a good part of all that they read.

Python compiles a file when somebody reads it first, and six that begin together are all the first. So the rooms and
what the tests share are compiled before any worker begins; and of the tests themselves, which pytest compiles in a way
of its own, every worker begins to read somewhere else, so that most are there already when it comes to them.
"""

import compileall
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

ROOMS = ("engine", "data", "render", "bot", "tests")
LEFT_OUT = re.compile(r"(^|/)(test_\w+|conftest)\.py$|/yardsticks/")
"""Pytest compiles its own; what only the bench compares with, nobody reads here."""

Child = TypeVar("Child")


def compile_ahead(root: Path) -> None:
    """Compile what is not compiled yet, or has changed since, where Python keeps what it compiles at all."""
    if not sys.dont_write_bytecode:
        for room in ROOMS:
            compileall.compile_dir(root / room, rx=LEFT_OUT, quiet=2)


def turned(children: Sequence[Child], config: pytest.Config) -> list[Child]:
    """The same, but for each worker it begins at a place of its own."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return list(children)
    begin = len(children) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    return [*children[begin:], *children[:begin]]
