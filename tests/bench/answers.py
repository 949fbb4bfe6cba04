"""Questions answered in a process of their own, so that one that fails, hangs or crashes does not lose the others."""

import os
import signal
import sys
import traceback
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final, Self

from tests.bench.measure import Effort
from tests.bench.rows import QUESTIONS, Question, Row

LIMIT: Final = 900.0
"""Seconds that a row may take. The dearest, with a database of a million results, takes two minutes by itself."""


def answered(asked: Sequence[Question], effort: Effort, limit: float = LIMIT) -> Generator[Row]:
    """A row for every question, in order. What goes wrong is told in the row, and the next question is asked.

    All are asked in one process, as rows may share what was dear to make; it begins anew only where it has ended or
    was given up after `limit` seconds.
    """
    left = list(asked)
    while left:
        with _Asked.about(left, effort) as running:
            while left and running.alive:
                yield running.row(left.pop(0), limit)


@dataclass
class _Asked:
    """A process that answers, and leads a group: bots and servers that a row has started end with it."""

    process: SpawnProcess
    rows: Connection
    alive: bool = True

    @classmethod
    def about(cls, asked: Sequence[Question], effort: Effort) -> Self:
        """Begin to ask."""
        # A fresh interpreter: one that is forked would have threads' locks and no threads.
        context = get_context("spawn")
        rows, answers = context.Pipe(duplex=False)
        names = [(question.measure.__module__, question.name) for question in asked]
        process = context.Process(target=_answer, args=(answers, names, effort))
        process.start()
        # The end is noticed only if nobody else could still write.
        answers.close()
        return cls(process, rows)

    def row(self, question: Question, limit: float) -> Row:
        """The next answer, which is the one to this question."""
        if not self.rows.poll(limit):
            self.alive = False
            return question.failed(f"it was not done after {limit:,.0f} s")
        try:
            row: Row = self.rows.recv()
        except EOFError:
            self.alive = False
            self.process.join()
            return question.failed(f"its process ended with status {self.process.exitcode}")
        return row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.ident or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.rows.close()


def _answer(rows: Connection, names: Sequence[tuple[str, str]], effort: Effort) -> None:
    """What the process does: it imports the modules of the questions, which registers them, and asks."""
    os.setsid()
    for module, _ in names:
        import_module(module)
    known = {question.name: question for question in QUESTIONS}
    for question in (known[name] for _, name in names):
        try:
            row = question.ask(effort)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            row = question.failed(f"{type(error).__name__}: {error}")
        rows.send(row)
