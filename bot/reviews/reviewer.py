"""The review worker: `python -m bot.reviews.reviewer`, started by `bot.computers.worker_pool` with low priority."""

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
NICER: Final = 15  # the process priority below the bot's. Move search has a higher one.


def reviewed(log: Sequence[Event], rules: Rules, seed: int) -> Generator[tuple[int, int], None, bytes]:
    """Return the review of a match as JSON, and report the steps that are done and their total."""
    reviewer = Reviewer(weights(rules), lambda name: Random(f"{seed} {name}"))  # noqa: S311 - a game
    for progress in reviewer.progress(log):
        yield progress.done, progress.of
    return json.dumps(as_plain(progress.review)).encode()


if __name__ == "__main__":
    think(reviewed, nicer=NICER)
