"""A match step by step, as somebody looks back on it: a step is a numbered line of its record.

Step 0 is the table as the first round was dealt. The end of a round, and of the match, belong to the step before them;
the next deal belongs to none, so the hands that lie open can be looked at.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.events import Dealt, MatchEnded, RoundEnded
from engine.record.reading import Plain


@dataclass(frozen=True, slots=True)
class Step:
    """One of them."""

    events: int
    """How many events of the log have happened by then."""
    round: int


def steps(log: Iterable[object]) -> tuple[Step, ...]:
    """The steps of a log, which may hold other events beside those of its match. Where they end, `rerun` of the record
    stops at that line of play.
    """
    found: list[Step] = []
    rounds = 0
    for count, event in enumerate(log, 1):
        if isinstance(event, Dealt):
            rounds += 1
            if not found:
                found.append(Step(count, rounds))
        elif isinstance(event, Plain):
            found.append(Step(count, rounds))
        elif isinstance(event, RoundEnded | MatchEnded):
            found[-1] = Step(count, rounds)
    return tuple(found)
