"""A duel: as many deals as are wanted, those in the file not once more; and a file checked by playing some again."""

import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from bot.arena.contest import edition
from bot.arena.results import Results
from bot.arena.tally import win_mean
from bot.arena.workers import deals_played
from bot.referee.reading import Unreadable

OFTEN: Final = 0.5
"""Seconds between two looks at how far it is, at a terminal."""
SELDOM: Final = 30.0
"""The same where lines are kept."""
ALIKE: Final = 5
"""Deals that must end as they did before a file is gone on with that another edition has begun."""

Progress = Callable[[Callable[[], str]], None]
"""Is told how far it is, where that is wanted just then."""


def fight(results: Results, deals: int, jobs: int, progress: Progress) -> None:
    """Play the deals that are missing below this number. However it ends, what was played is kept.

    Raises Unreadable where others would go on with what these players have begun; WorkerFailed.
    """
    wanted = results.missing(deals)
    if wanted and results.deals and results.edition != edition():
        _require_alike(results, jobs, progress)
    began = time.monotonic()
    try:
        with closing(deals_played(results.contest, wanted, min(jobs, len(wanted)))) as playing:
            for done, played in enumerate(playing, 1):
                results.add(played)
                progress(partial(_how_far, results, deals, done, len(wanted), began))
    finally:
        results.sum_up()


def _require_alike(results: Results, jobs: int, progress: Progress) -> None:
    """The code has changed since the file was begun: some deals show whether that has changed how anybody plays."""
    if recheck(results, ALIKE, len(results.deals), jobs, progress).differ:
        raise Unreadable(
            f"the file was begun with players or rules as they were then ({results.edition}), and these play otherwise "
            f"({edition()}); begin another file"
        )


def _how_far(results: Results, deals: int, done: int, wanted: int, began: float) -> str:
    seconds = time.monotonic() - began
    left = seconds / done * (wanted - done)
    return (
        f"{len(results.deals):,} of {max(deals, len(results.deals)):,} deals, {win_mean(results)} %, "
        f"{done / max(seconds, 1e-9):.3g} deals/s, {_while(left)} left"
    )


def _while(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes >= 90:
        return f"{minutes / 60:.1f} h"
    return f"{minutes} min" if minutes >= 2 else f"{round(seconds)} s"


@dataclass(frozen=True, slots=True)
class Recheck:
    """What came of playing some deals of a file again."""

    sample: tuple[int, ...]
    differ: tuple[int, ...]
    """Those that ended otherwise."""
    kept: int
    """The deals of the file."""
    other_edition: bool
    """Whether players or rules have changed since it was made."""


def recheck(results: Results, sample: int, luck: int, jobs: int, progress: Progress) -> Recheck:
    """Play some of the deals again from their numbers, and compare them with the file. Nothing is written."""
    known = sorted(results.deals)
    chosen = sorted(Random(luck).sample(known, min(sample, len(known))))  # noqa: S311 - to be had again is the point
    differ = []
    with closing(deals_played(results.contest, chosen, min(jobs, len(chosen)))) as playing:
        for done, played in enumerate(playing, 1):
            if played != results.deals[played.deal]:
                differ.append(played.deal)
            progress(partial("{} of {} deals, {} different".format, done, len(chosen), len(differ)))
    return Recheck(tuple(chosen), tuple(sorted(differ)), len(known), results.edition != edition())


def on_errors() -> Progress:
    """Tells how far it is on standard error: in one line that changes at a terminal, else now and then in a new one."""
    terminal = sys.stderr.isatty()
    said = [time.monotonic() - (OFTEN if terminal else 0.0)]

    def tell(how_far: Callable[[], str]) -> None:
        now = time.monotonic()
        if now - said[0] >= (OFTEN if terminal else SELDOM):
            said[0] = now
            before, after = ("\r\x1b[K", "") if terminal else ("", "\n")
            print(f"{before}{how_far()}", end=after, file=sys.stderr, flush=True)

    return tell


def leave_line() -> None:
    """Leave the line that changes."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
