"""The rows of the table: what is measured, the goal beside it, and what came out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from tests.bench.measure import Effort, Work

Better = Literal["more", "less"]

ROOM: Final = 0.25
"""How much worse than its goal a ratio may be before the ordinary run fails."""


class Missing(Exception):  # noqa: N818 - what is missing is a yardstick; nothing went wrong
    """Something to compare with is not installed. The message is a sentence that says what."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    name: str
    value: float | None
    """What was measured; None where it could not be."""
    goal: float | None
    """None for a figure that is stated for information."""
    better: Better
    unit: str
    note: str = ""
    """Why there is no value."""
    failed: bool = False
    """Measuring it went wrong."""

    @property
    def met(self) -> bool:
        """Whether the goal is reached. A figure without a goal misses none; a goal that was not measured is missed."""
        return self.within(0) and not self.failed

    def within(self, room: float) -> bool:
        """Whether the goal is reached or missed by no more than this part of it."""
        if self.goal is None:
            return True
        if self.value is None:
            return False
        return self.value >= self.goal * (1 - room) if self.better == "more" else self.value <= self.goal * (1 + room)


@dataclass(frozen=True, slots=True)
class Question:
    """Something to measure."""

    name: str
    subject: str
    """The module that asks: `engine`, `pictures`, ..."""
    measure: Callable[[Effort], float]
    goal: float | None
    better: Better
    unit: str
    cheap: bool
    held: float | None
    """What the ordinary run holds instead of the goal, where the goal is out of reach."""

    def ask(self, effort: Effort) -> Row:
        """Measure it."""
        try:
            value, note = self.measure(effort), ""
        except Missing as missing:
            value, note = None, str(missing)
        return Row(self.name, value, self.goal, self.better, self.unit, note)

    def failed(self, why: str) -> Row:
        """The row where measuring it went wrong."""
        return Row(self.name, None, self.goal, self.better, self.unit, why, failed=True)


QUESTIONS: Final[list[Question]] = []
"""Everything that is measured, in the order of the table."""

WORKS: Final[dict[str, Callable[[], Work]]] = {}
"""Pieces of work by name, for `pytest tests/bench --benchmark-only`: their times instead of their ratios."""


def row(
    name: str,
    *,
    goal: float | None = None,
    better: Better = "more",
    unit: str = "x",
    cheap: bool = False,
    held: float | None = None,
) -> Callable[[Callable[[Effort], float]], Callable[[Effort], float]]:
    """Make a function a row of the table. It answers with the value and raises Missing where it cannot measure.

    `unit` stands behind the value: "x" for a ratio, else "nodes/s", "kB", "ms". `cheap` rows, of at most a second of
    CPU under a short effort, are guarded in every ordinary run of the tests; only ratios can be. `held` is what they
    are held to where the goal is out of reach, as docs/performance.md tells.
    """

    def register(measure: Callable[[Effort], float]) -> Callable[[Effort], float]:
        QUESTIONS.append(Question(name, _subject(measure), measure, goal, better, unit, cheap, held))
        return measure

    return register


def work(name: str) -> Callable[[Callable[[], Work]], Callable[[], Work]]:
    """Make a function that answers with a piece of work one of those whose times pytest-benchmark tells."""

    def register(make: Callable[[], Work]) -> Callable[[], Work]:
        WORKS[f"{_subject(make)}: {name}"] = make
        return make

    return register


def _subject(function: Callable[..., object]) -> str:
    return function.__module__.rpartition(".")[2]
