"""A duel: plays missing deals in parallel, and checks a file by playing some again."""

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

from bot.tools.contest import Contest, compute_edition
from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.seating import Arena, PlayedDeal
from bot.tools.tally import compute_win_mean


class WorkerError(RuntimeError):
    """A player failed, or its process died. The message names the deal."""


def count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_deals(contest: Contest, wanted: Iterable[int], jobs: int) -> Generator[PlayedDeal, None, None]:
    """Play deals in parallel processes, and yield them as they finish. Raises WorkerError."""
    if jobs > 1:
        yield from _play_parallel(contest, iter(wanted), jobs)
        return
    with Arena(contest) as arena:
        for deal in wanted:
            yield arena.play(deal)


def _play_parallel(contest: Contest, wanted: Iterator[int], jobs: int) -> Generator[PlayedDeal, None, None]:
    context = get_context("spawn")
    playing: dict[Connection, int] = {}
    started = []
    try:
        for _, deal in zip(range(jobs), wanted, strict=False):
            ours, theirs = context.Pipe()
            process = context.Process(target=_run_worker, args=(contest, theirs), daemon=True)
            process.start()
            theirs.close()
            started.append((process, ours))
            ours.send(deal)
            playing[ours] = deal
        while playing:
            for pipe in wait(list(playing)):
                assert isinstance(pipe, Connection)
                yield _receive_result(pipe, playing.pop(pipe))
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


def _receive_result(pipe: Connection, deal: int) -> PlayedDeal:
    try:
        found = pipe.recv()
    except (EOFError, OSError) as error:
        raise WorkerError(f"the process that played deal {deal} has died") from error
    if isinstance(found, PlayedDeal):
        return found
    raise WorkerError(f"deal {deal}: {found}")


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _run_worker(contest: Contest, pipe: Connection) -> None:
    # Ctrl-C reaches all processes; the parent ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError), Arena(contest) as arena:
        while True:
            deal = pipe.recv()
            try:
                found: PlayedDeal | str = arena.play(deal)
            except Exception as error:  # report any failure with its deal
                found = f"{type(error).__name__}: {error}"
            pipe.send(found)


TERMINAL_INTERVAL: Final = 0.5  # seconds between progress updates on a terminal
LOG_INTERVAL: Final = 30.0  # the same without one
CHECKED_DEALS: Final = 5  # deals that must match before a file of another edition is continued
Progress = Callable[[Callable[[], str]], None]  # Called with a function that returns the progress text.


def play_duel(results: DuelResults, deals: int, jobs: int, progress: Progress) -> None:
    """Play and keep missing deals. Raises WorkerError, UnreadableError if a changed edition plays differently."""
    wanted = results.list_missing(deals)
    if wanted and results.deals and results.edition != compute_edition():
        _require_same_results(results, jobs, progress)
    began = time.monotonic()
    try:
        with closing(play_deals(results.contest, wanted, min(jobs, len(wanted)))) as playing:
            for done, played in enumerate(playing, 1):
                results.add(played)
                progress(partial(_format_progress, results, deals, done, len(wanted), began))
    finally:
        results.write_summary()


def _require_same_results(results: DuelResults, jobs: int, progress: Progress) -> None:
    if recheck(results, CHECKED_DEALS, len(results.deals), jobs, progress).differing:
        raise UnreadableError(
            f"the file was begun with players or rules as they were then ({results.edition}), and these play otherwise "
            f"({compute_edition()}); begin another file"
        )


def _format_progress(results: DuelResults, deals: int, done: int, wanted: int, began: float) -> str:
    seconds = time.monotonic() - began
    left = seconds / done * (wanted - done)
    return (
        f"{len(results.deals):,} of {max(deals, len(results.deals)):,} deals, {compute_win_mean(results)} %, "
        f"{done / max(seconds, 1e-9):.3g} deals/s, {_format_duration(left)} left"
    )


def _format_duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes >= 90:
        return f"{minutes / 60:.1f} h"
    return f"{minutes} min" if minutes >= 2 else f"{round(seconds)} s"


@dataclass(frozen=True, slots=True)
class RecheckResult:
    sample: tuple[int, ...]
    differing: tuple[int, ...]  # deals with another result
    total: int  # deals in the file
    other_edition: bool  # whether players or rules have changed


def recheck(results: DuelResults, sample: int, seed: int, jobs: int, progress: Progress) -> RecheckResult:
    known = sorted(results.deals)
    chosen = sorted(Random(seed).sample(known, min(sample, len(known))))  # noqa: S311 - repeatable on purpose
    differ = []
    with closing(play_deals(results.contest, chosen, min(jobs, len(chosen)))) as playing:
        for done, played in enumerate(playing, 1):
            if played != results.deals[played.deal]:
                differ.append(played.deal)
            progress(partial("{} of {} deals, {} different".format, done, len(chosen), len(differ)))
    return RecheckResult(tuple(chosen), tuple(sorted(differ)), len(known), results.edition != compute_edition())


def create_progress_printer() -> Progress:
    """Return a progress display on standard error: one changing line on a terminal, else occasional lines."""
    terminal = sys.stderr.isatty()
    last_printed = [time.monotonic() - (TERMINAL_INTERVAL if terminal else 0.0)]

    def print_progress(format_text: Callable[[], str]) -> None:
        now = time.monotonic()
        if now - last_printed[0] >= (TERMINAL_INTERVAL if terminal else LOG_INTERVAL):
            last_printed[0] = now
            before, after = ("\r\x1b[K", "") if terminal else ("", "\n")
            print(f"{before}{format_text()}", end=after, file=sys.stderr, flush=True)

    return print_progress


def clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
