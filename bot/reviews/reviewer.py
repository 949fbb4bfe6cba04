"""The review worker: `python -m bot.reviews.reviewer`, started by `bot.computers.worker_pool` with low priority."""

import json
import sys
from collections.abc import Generator, Sequence
from random import Random
from typing import Final

from bot.computers.thinker import serve_requests
from data.weights import load_weights
from engine.match.events import Event
from engine.match.rules import Rules
from engine.reviews.findings import to_plain
from engine.reviews.review_match import Reviewer

REVIEWER_COMMAND: Final = (sys.executable, "-m", "bot.reviews.reviewer")
NICENESS: Final = 15  # the process priority below the bot's. Move search has a higher one.


def run_review(log: Sequence[Event], rules: Rules, seed: int) -> Generator[tuple[int, int], None, bytes]:
    """Return the review of a match as JSON, and report the steps that are done and their total."""
    reviewer = Reviewer(load_weights(rules), lambda name: Random(f"{seed} {name}"))  # noqa: S311 - a game
    for progress in reviewer.iterate_progress(log):
        yield progress.done, progress.total
    return json.dumps(to_plain(progress.review)).encode()


if __name__ == "__main__":
    serve_requests(run_review, niceness=NICENESS)
