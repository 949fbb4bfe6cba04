"""A review worker with a small search budget. Its numbers are rough."""

import sys
from functools import partial

from bot.computers.thinker import serve_requests
from bot.computers.worker_pool import WorkerPool
from bot.reviews.reviewer import run_review
from bot.reviews.service import create_workers
from engine.reviews import review_match
from tests.bot.simulated_guild import TIMEOUT_SECONDS


def create_quick_workers() -> WorkerPool:
    """Return the command of the bot's review worker, with this module in its place."""
    workers = create_workers()
    workers.command = (sys.executable, "-m", "tests.bot.reviews.quick_reviewer")
    workers.silence_timeout, workers.answer_timeout = TIMEOUT_SECONDS, TIMEOUT_SECONDS
    return workers


if __name__ == "__main__":
    review_match.Effort = partial(review_match.Effort, search_moves=200, valuation_moves=400, orders=0.05)
    serve_requests(run_review)
