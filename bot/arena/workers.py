"""Deals played in several processes at once, one for each core: a result comes as soon as it is there.

A worker ends when we do, so none is left behind whatever becomes of us.
"""

import os
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait

from bot.arena.contest import Contest
from bot.arena.seating import Arena, DealPlayed


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
