"""How long the levels think, how many worlds they try in a second, and what looking back on a match takes.

`python -m tests.bench.levels` prints the table of docs/strength.md: CPU time, so that it does not matter what else the
machine does.
"""

import asyncio
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from statistics import median
from time import thread_time, thread_time_ns
from typing import Final

from bot.arena.playing import play_match
from bot.arena.times import bucket, quantile
from bot.service.workers import Workers
from data.rulebook import rules
from data.weights import weights
from engine.actions import Action
from engine.events import Event
from engine.players import greedy
from engine.players.levels import LEVELS, player
from engine.players.playouts import Playouts
from engine.players.worlds import Belief
from engine.review.reviewer import Reviewer
from engine.seen import Seen
from engine.simulation import Simulation
from tests.bench.measure import Effort
from tests.bench.rows import row

GAME: Final = "triominoes"
CHOICES: Final = 150
"""Positions with a choice that each level is asked about."""
TURNS: Final = 8
"""Turns that a world is played on: as the prototype did, and as the levels do."""
READINGS: Final = 5
"""The rate of worlds is the median of so many readings."""


class Noted:
    """A greedy player who notes what it saw."""

    def __init__(self, seed: int, seen: list[Seen]) -> None:
        self._rng, self._seen = Random(seed), seen

    def choose(self, seen: Seen) -> Action:
        """What greedy does."""
        self._seen.append(seen)
        return greedy.choose(seen, self._rng)


@cache
def played(seed: int = 1) -> tuple[tuple[Seen, ...], tuple[Event, ...]]:
    """A match of two greedy players: what they saw where they had a choice, and its log."""
    seen = list[Seen]()
    told = play_match(rules(GAME), [Noted(seed, seen), Noted(seed + 1, seen)], bytes([seed] * 32), single=False)
    return tuple(one for one in seen if len(one.moves) > 1), told.log


def positions(most: int) -> list[Seen]:
    """So many of those choices, over as many matches as it takes."""
    found = list[Seen]()
    for seed in range(1, 99):
        found += played(seed)[0]
        if len(found) >= most:
            break
    return found[:most]


def worlds_a_second(seconds: float) -> float:
    """Worlds in which one move is tried, a second of a processor: each is imagined, dealt and played on."""
    found, rng = weights(rules(GAME)), Random(1)
    tried, spent = 0, 0.0
    for seen in positions(CHOICES):
        one, belief = Simulation.seen(seen), Belief(seen, found.doubts)
        choices = one.tableau.table.hand(seen.choices)
        one.deal(*belief.world(rng), choices)
        playouts, moves = Playouts(one, found.leaf, TURNS), [move for move in one.moves() if move[1] >= 0]
        began = thread_time()
        for _ in range(20):
            for move in moves:
                playouts.worth(move, one.turn)
            tried += len(moves)
            one.deal(*belief.world(rng), choices)
        spent += thread_time() - began
        if spent >= seconds:
            break
    return tried / spent


@row("levels: worlds tried in a second, played on for 8 turns", unit="/s")
def worlds(effort: Effort) -> float:
    """Stated for information: docs/strength.md has it beside a prototype's."""
    return median(worlds_a_second(effort.seconds) for _ in range(effort.pairs))


@row("levels: a review of a whole match of two, CPU", goal=30, better="less", unit="s")
def review(_: Effort) -> float:
    """The same match each time, as thoroughly as the bot does it."""
    log, began = played()[1], thread_time()
    Reviewer(weights(rules(GAME)), lambda name: Random(f"bench {name}")).review(log)
    return thread_time() - began


async def memory(level: str, seen: Seen) -> float:
    """The MB that a process has had resident, at most, once it has thought about a move."""
    workers = Workers(most=1, limit=600.0)
    try:
        await workers.ask(1, (level, seen, 1, 600.0))
        status = Path(f"/proc/{workers.pids[0]}/status").read_text(encoding="ascii")  # noqa: ASYNC240 - it is no disk
        return int(status.split("VmHWM:")[1].split()[0]) / 1000
    finally:
        await workers.end()


def table() -> str:
    """The table of docs/strength.md."""
    found, lines = weights(rules(GAME)), ["| level | CPU ms a choice, p50 / p99 | MB of its process |", "|---|--:|--:|"]
    for level in LEVELS:
        chooser, rng, times = player(level, rules(GAME), found), Random(1), Counter[int]()
        for seen in positions(CHOICES):
            began = thread_time_ns()
            chooser.choose(seen, rng)
            times[bucket(thread_time_ns() - began)] += 1
        thinks = level in found.thinking or level in found.trees
        held = f"{asyncio.run(memory(level, positions(1)[0])):.0f}" if thinks else "–"
        lines.append(f"| {level} | {quantile(times, 0.5):.2g} / {quantile(times, 0.99):.2g} | {held} |")
    rate = median(worlds_a_second(1.0) for _ in range(READINGS))
    return "\n".join([*lines, "", f"{rate:,.0f} worlds of {TURNS} turns a second."])


if __name__ == "__main__":
    print(table())
