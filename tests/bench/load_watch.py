"""What people at many tables notice: how long the bot takes, and where it fails them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, Literal

from bot.playground.interactions import Interaction

Sight = Literal["acknowledged", "choices", "answered", "board"]
"""What is waited for: the first sign after a press or a command, the suggestions while one types, the private answer
with its picture, the public board after a move."""

LATE: Final = 3.0
"""Seconds after which Discord gives up."""


@dataclass
class Watch:
    """Latencies in seconds since the last `begin`, and what went wrong."""

    began: float = field(default_factory=perf_counter)
    sights: dict[Sight, list[float]] = field(default_factory=dict)
    troubles: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    matches: int = 0
    _started: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def begin(self) -> None:
        """From now on."""
        self.began, self.moves, self.matches = perf_counter(), 0, 0
        self.sights, self.troubles = {}, Counter()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return perf_counter() - self.began

    def asked(self, one: Interaction, *, typing: bool) -> float:
        """Somebody did something; when."""
        now = perf_counter()
        self._started[one.id] = now, typing
        return now

    def done(self, interaction_id: str) -> None:
        """The bot gave its first response."""
        started = self._started.pop(interaction_id, None)
        if started is not None:
            self.saw("choices" if started[1] else "acknowledged", started[0])

    def failed(self, interaction_id: str) -> None:
        """The bot gave none in time."""
        if self._started.pop(interaction_id, None) is not None:
            self.troubles["not acknowledged in time"] += 1

    def saw(self, sight: Sight, since: float) -> None:
        """Something came that somebody waited for since then."""
        if since >= self.began:
            self.sights.setdefault(sight, []).append(perf_counter() - since)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed; nan of none."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
