"""The process in which matches that are over are looked back on: `python -m bot.reviews.reviewer`, begun by
`bot.computers.worker_pool`. It stands behind all others that want the processor.
"""

import json
import sys
from collections.abc import Generator, Sequence
from random import Random
from typing import Final

from bot.computers.thinker import think
from data.weights import weights
from engine.match.events import Event
from engine.match.rules import Rules
from engine.reviews.findings import as_plain
from engine.reviews.review_match import Reviewer

REVIEWER: Final = (sys.executable, "-m", "bot.reviews.reviewer")
NICER: Final = 15
"""So much less than the bot it gets of a processor that both want; whoever thinks about a move gets more."""


def reviewed(log: Sequence[Event], rules: Rules, seed: int) -> Generator[tuple[int, int], None, bytes]:
    """The review of a match as JSON; says how far it is: how much is done, and of how much."""
    reviewer = Reviewer(weights(rules), lambda name: Random(f"{seed} {name}"))  # noqa: S311 - a game
    for progress in reviewer.progress(log):
        yield progress.done, progress.of
    return json.dumps(as_plain(progress.review)).encode()


if __name__ == "__main__":
    think(reviewed, nicer=NICER)
