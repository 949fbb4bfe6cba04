"""Worker programs that misbehave, and helpers for tests of computers that search."""

import sys
from contextlib import suppress
from pathlib import Path
from random import Random

from bot.core.metrics import REGISTRY
from bot.tables.service import Table
from data.rulebook import load_rules
from engine.match.decide import start
from engine.match.player_view import PlayerView, view_for
from engine.match.state import replay
from engine.players import greedy
from engine.table.commands import TakeAction
from tests.bot.simulated_guild import derive_secret
from tests.bot.use_cases import ADA, UseCases

SILENT_WORKER = (sys.executable, "-c", "import time; time.sleep(600)")
"""A worker that never answers."""


DYING_WORKER = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(4)")
"""A worker that dies at its first request."""


INVALID_ANSWER_WORKER = (
    sys.executable,
    "-c",
    "import sys, time; sys.stdin.buffer.read(4); print('0' * 99, flush=True); time.sleep(600)",
)
"""A worker that sends an invalid answer."""


MISSING_PROGRAM = ("/nonexistent/python",)


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    return False


def build_view() -> PlayerView:
    match = replay(start(load_rules("triominoes"), seats=2, computers=(0, 1), by_hand=False, secret=derive_secret(3)))
    return view_for(match, match.turn)


def count_thoughts(how: str, level: str = "master") -> float:
    return REGISTRY.get_sample_value("boneyard_thoughts_total", {"level": level, "how": how}) or 0.0


async def play_to_computer_turn(use_cases: UseCases, table: Table) -> Table:
    while table.find_turn_user() == ADA:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.interact(table, TakeAction(ADA, lambda _, action=action: action))
    return table
