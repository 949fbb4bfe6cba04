"""A review worker with a small search budget. Its numbers are rough."""

import sys
from functools import partial

from bot.computers.thinker import think
from bot.computers.worker_pool import Workers
from bot.reviews.reviewer import reviewed
from bot.reviews.service import apart
from engine.reviews import review_match
from tests.bot.simulated_guild import PATIENCE


def quickly() -> Workers:
    """Return the command of the bot's review worker, with this module in its place."""
    workers = apart()
    workers.program = (sys.executable, "-m", "tests.bot.reviews.quick_reviewer")
    workers.limit, workers.whole = PATIENCE, PATIENCE
    return workers


if __name__ == "__main__":
    review_match.Effort = partial(review_match.Effort, choosing=200, valuing=400, orders=0.05)  # type: ignore[assignment, misc]
    think(reviewed)
