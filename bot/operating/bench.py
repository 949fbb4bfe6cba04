"""`boneyard bench`: hands over to `tests/bench`, which compares this house with others (docs/performance.md).

The generators that are compared with are kept with the tests, and the yardsticks of others are no dependency of the
bot: so it runs from a checkout, in an environment of its own (docs/decisions/0005).
"""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
ELSEWHERE = (
    "boneyard: the bench compares with what is kept in tests/, so it runs from a checkout of the project: "
    "there, write `uv run boneyard bench`"
)


def bench(words: Sequence[str], checkout: Path = CHECKOUT) -> int:
    """The status of the bench with these arguments: 1 where a goal is missed, 2 where it cannot run.

    `checkout` is the folder of the project, which an installed package is not.
    """
    launcher = checkout / "tests" / "launcher" / "boneyard_checks.py"
    if not launcher.exists():
        print(ELSEWHERE, file=sys.stderr)
        return 2
    program = [sys.executable] if find_spec("pytest_benchmark") else [sys.executable, str(launcher)]
    # The words are those that somebody typed, and go to a program of this checkout as they are.
    with subprocess.Popen([*program, "-m", "tests.bench", *words], cwd=checkout) as running:  # noqa: S603
        while True:
            # Ctrl-C reaches the bench too, which prints what it has measured and ends.
            with suppress(KeyboardInterrupt):
                return running.wait()
