"""Short duels in the test process, and external programs written for a test."""

import shlex
import sys
from pathlib import Path

from bot.tools.contest import PROGRAM_PREFIX, Contest
from bot.tools.duel import play_deals
from bot.tools.duel_results import DuelResults

HELLO_LINES = "import json, sys, os, time\nsys.stdin.readline()\nprint('{\"protocol\":1}', flush=True)\n"
"""The first lines of a Python program that has sent its hello."""


def build_contest(
    *players: str, game: str = "triominoes", seats: int = 2, single: bool = True, limit: float = 60
) -> Contest:
    """Return a duel, of single deals by default."""
    return Contest(game=game, players=players, seed=7, seats=seats, single=single, limit=limit)


def play_duel(contest: Contest, deals: int, jobs: int = 1) -> DuelResults:
    results = DuelResults(contest)
    for deal in play_deals(contest, range(deals), jobs):
        results.add(deal)
    return results


def write_player(folder: Path, text: str, name: str = "player.py") -> str:
    """Return an external player that runs this Python program."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return PROGRAM_PREFIX + shlex.join([sys.executable, "-S", str(file)])


REQUEST_LOOP = HELLO_LINES + "for line in sys.stdin:\n    told = json.loads(line)\n    if told['type'] == 'choose':\n"
"""The start of a program, up to its reaction to a request."""
FIRST_ACTION = "        print(json.dumps({'ask': told['ask'], 'action': 0}), flush=True)\n"
"""A program that takes the first legal action."""
FIRST_ACTION_PROGRAM = REQUEST_LOOP + FIRST_ACTION
"""A complete player program."""
