"""Duels that tests play: short ones, in this process, and programs that are written on the spot."""

import shlex
import sys
from pathlib import Path

from bot.tools.contest import FOREIGN, Contest
from bot.tools.duel import deals_played
from bot.tools.duel_results import Results

HELLO = "import json, sys, os, time\nsys.stdin.readline()\nprint('{\"protocol\":1}', flush=True)\n"
"""How a program in Python begins that has said hello."""


def contest(*players: str, game: str = "triominoes", seats: int = 2, single: bool = True, limit: float = 60) -> Contest:
    """A duel of single deals, unless something else is said."""
    return Contest(game=game, players=players, seed=7, seats=seats, single=single, limit=limit)


def fought(asked: Contest, deals: int, jobs: int = 1) -> Results:
    found = Results(asked)
    for played in deals_played(asked, range(deals), jobs):
        found.add(played)
    return found


def program(folder: Path, text: str, name: str = "player.py") -> str:
    """A foreign player, from a program in Python."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return FOREIGN + shlex.join([sys.executable, "-S", str(file)])


ANSWERING = HELLO + "for line in sys.stdin:\n    told = json.loads(line)\n    if told['type'] == 'choose':\n"
"""The same, up to what it does when it is asked."""
FIRST_ACTION = "        print(json.dumps({'ask': told['ask'], 'action': 0}), flush=True)\n"
"""It takes the first action there is."""
FIRST_LINES = ANSWERING + FIRST_ACTION
"""A whole player."""
