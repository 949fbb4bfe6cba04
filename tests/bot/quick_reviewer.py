"""A process that looks back on matches as the bot's own does, but tries little: its numbers are rough."""

import sys
from functools import partial

from bot.service.reviewer import reviewed
from bot.service.reviews import apart
from bot.service.thinker import think
from bot.service.workers import Workers
from engine.review import reviewer
from tests.bot.house import PATIENCE


def quickly() -> Workers:
    """The bot's own way to have such a process, with this one."""
    workers = apart()
    workers.program = (sys.executable, "-m", "tests.bot.quick_reviewer")
    workers.limit, workers.whole = PATIENCE, PATIENCE
    return workers


if __name__ == "__main__":
    reviewer.Effort = partial(reviewer.Effort, choosing=200, valuing=400, orders=0.05)  # type: ignore[assignment, misc]
    think(reviewed)
