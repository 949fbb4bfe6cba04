"""What a ratio is held to by the tests: its goal, or what is reached of it, less a quarter."""

from collections.abc import Iterator
from dataclasses import replace
from os import cpu_count, getloadavg
from time import sleep

from tests.bench.measure import Effort
from tests.bench.rows import ROOM, Question, Row

LONGEST = Effort(15, 0.05, least=True)
EFFORTS = (Effort(3, 0.02), Effort(3, 0.02), *(Effort(9, 0.05), LONGEST) * 3)
"""The later runs take longer: they are only needed where the machine was busy, or where a ratio is worse indeed."""
MORE = 6
"""So many of the longest are added as long as the machine is busy."""
BUSY = 2.0
"""Processes that want each processor, from which on it is."""
LATER = 4.0
"""Seconds before each of these: who shares the processor may be done by then."""


def asked(question: Question) -> list[Row]:
    """The rows of short runs, each with what is held as its goal; no more runs than it takes to come near that."""
    goal, tried = question.held or question.goal, []
    for effort in _efforts():
        if effort != EFFORTS[0]:
            sleep(LATER)
        tried.append(replace(question.ask(effort), goal=goal))
        if tried[-1].value is None or tried[-1].within(ROOM):
            break
    return tried


def _efforts() -> Iterator[Effort]:
    yield from EFFORTS
    for _ in range(MORE):
        if getloadavg()[0] < BUSY * (cpu_count() or 1):
            return
        yield LONGEST


def told(rows: list[Row]) -> str:
    """What came out."""
    return f"{rows[0].name}: {[row.value or row.note for row in rows]} where {rows[0].goal} is held"
