"""A duel: as many deals as are wanted, those in the file not once more; and a file checked by playing some again."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from random import Random
from typing import Final

from bot.tools.contest import Contest, edition
from bot.tools.duel_results import Results
from bot.tools.position_reading import Unreadable
from bot.tools.seating import Arena, DealPlayed
from bot.tools.tally import win_mean


class WorkerFailed(RuntimeError):  # noqa: N818 - the worker is what failed
    """A player did what no player may, or its process died. The message says which deal it was."""


def cores() -> int:
    """How many processes are worth having."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def deals_played(contest: Contest, wanted: Iterable[int], jobs: int) -> Generator[DealPlayed, None, None]:
    """Play these deals, in as many processes; one job is done in this one. They come as they are finished.

    Raises WorkerFailed.
    """
    if jobs > 1:
        yield from _spread(contest, iter(wanted), jobs)
        return
    with Arena(contest) as arena:
        for deal in wanted:
            yield arena.play(deal)


def _spread(contest: Contest, wanted: Iterator[int], jobs: int) -> Generator[DealPlayed, None, None]:
    context = get_context("spawn")
    playing: dict[Connection, int] = {}
    started = []
    try:
        for _, deal in zip(range(jobs), wanted, strict=False):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(contest, theirs), daemon=True)
            process.start()
            theirs.close()
            started.append((process, ours))
            ours.send(deal)
            playing[ours] = deal
        while playing:
            for pipe in wait(list(playing)):
                assert isinstance(pipe, Connection)
                yield _result(pipe, playing.pop(pipe))
                if (following := next(wanted, None)) is not None:
                    pipe.send(following)
                    playing[pipe] = following
    finally:
        for process, pipe in started:
            pipe.close()
            if playing:
                process.terminate()
        for process, _ in started:
            process.join(5)
            process.kill()


def _result(pipe: Connection, deal: int) -> DealPlayed:
    try:
        found = pipe.recv()
    except (EOFError, OSError) as error:
        raise WorkerFailed(f"the process that played deal {deal} has died") from error
    if isinstance(found, DealPlayed):
        return found
    raise WorkerFailed(f"deal {deal}: {found}")


def _end_with_it() -> None:
    """A worker ends when whoever hands out the deals does, also in the middle of one."""
    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _work(contest: Contest, pipe: Connection) -> None:
    # Ctrl-C reaches everybody at the terminal, and whoever hands out the deals sees to us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_end_with_it, daemon=True).start()
    with suppress(EOFError, OSError), Arena(contest) as arena:
        while True:
            deal = pipe.recv()
            try:
                found: DealPlayed | str = arena.play(deal)
            except Exception as error:  # whatever a player does, it is told with the deal at which it did it
                found = f"{type(error).__name__}: {error}"
            pipe.send(found)


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
