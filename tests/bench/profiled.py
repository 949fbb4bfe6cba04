"""Where the CPU time of a piece of work goes: `python -m tests.bench.profiled "engine: simulated rounds, a ply"`.

Of the thread that asks for it: what the store and the drawing do meanwhile, in threads of theirs, is not in it.
"""

import gc
import sys
from cProfile import Profile
from pstats import Stats
from time import thread_time

from tests.bench import table
from tests.bench.rows import WORKS

TIMES, LINES = 10, 14


def profiled(name: str) -> None:
    """Print the functions that cost most, after a first time that warms up."""
    work, profile = WORKS[name](), Profile(thread_time)
    gc.disable()
    for time in range(1 + TIMES):
        if work.before is not None:
            work.before()
        if time:
            profile.enable()
        work.do()
        profile.disable()
    gc.enable()
    Stats(profile).strip_dirs().sort_stats("tottime").print_stats(LINES)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in WORKS:
        known = "\n  ".join(sorted(name for name in WORKS if name.partition(":")[0] in table.SUBJECTS))
        sys.exit(f"one of these:\n  {known}")
    profiled(sys.argv[1])
