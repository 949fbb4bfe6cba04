"""`boneyard bench`: runs `tests/tools/bench` in the environment of the checks (docs/performance.md).

The bench uses tools of the tests, which are no dependency of the bot, so it runs from a checkout of the project.
"""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
NO_CHECKOUT = "boneyard: the bench needs a checkout of the project. Run there: uv run boneyard bench"


def bench(words: Sequence[str], checkout: Path = CHECKOUT) -> int:
    """Run the bench with these arguments and return its status: 2 where there is no checkout."""
    launcher = checkout / "tests" / "launcher" / "boneyard_checks.py"
    if not launcher.exists():
        print(NO_CHECKOUT, file=sys.stderr)
        return 2
    # simcord is installed in the environment of the checks only.
    python = [sys.executable] if find_spec("simcord") else [sys.executable, str(launcher)]
    # The arguments come from the command line of the same user and are passed on unchanged.
    with subprocess.Popen([*python, "-m", "tests.tools.bench", *words], cwd=checkout) as running:  # noqa: S603
        while True:
            # Ctrl-C reaches the bench too, which then ends.
            with suppress(KeyboardInterrupt):
                return running.wait()
