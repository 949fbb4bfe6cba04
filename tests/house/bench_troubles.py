"""Rows of a bench that fail, hang and crash; `python -m tests.house.bench_troubles [--json]` asks a good one first."""

import errno
import os
import signal
import sys
import time

from tests.bench.measure import SHORT, Effort
from tests.bench.report import report
from tests.bench.rows import QUESTIONS, row


@row("good", goal=6)
def good(_: Effort) -> float:
    return 7


@row("fails")
def fails(_: Effort) -> float:
    raise OSError(errno.EADDRINUSE, "Address already in use")


@row("hangs", goal=6)
def hangs(_: Effort) -> float:
    print("hangs", file=sys.stderr, flush=True)
    time.sleep(3600)
    return 7


@row("crashes", goal=6)
def crashes(_: Effort) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 7


GOOD, FAILS, HANGS, CRASHES = QUESTIONS[-4:]

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report([GOOD, HANGS], SHORT, limit=600, as_json="--json" in sys.argv)
