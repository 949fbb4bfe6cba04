"""`uv run pytest` without test tools in the environment that people play from, and `uv run checks -m MODULE` likewise.

`uv run` installs the default dependency group before it knows which command follows. Were pytest in that group,
`uv run boneyard play` would install a browser driver and a Discord simulator too. So the default group holds this
launcher alone. The checks live in `.venv-checks`; what `boneyard bench` compares with is large, is asked for rarely,
and lives in `.venv-bench`.
"""

import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """The real pytest with the arguments of this one, in the checks environment; `tests/bench` has its own."""
    timed = any(word.startswith("tests/bench") for word in sys.argv[1:])
    hand_over("bench" if timed else "checks", "-m", "pytest", *sys.argv[1:])


def look() -> None:
    """What is for looking: a module of the tests, as `checks -m tests.conformance.walk`, in the checks environment."""
    hand_over("checks", *sys.argv[1:])


def hand_over(group: str, *words: str) -> None:
    """Go on as `python WORDS` in the environment of this dependency group; needs `uv` on the path."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        sys.exit("uv is not on the path. Run: pip install uv")
    root = next((place for place in (Path.cwd(), *Path.cwd().parents) if (place / "uv.lock").exists()), Path.cwd())
    place = root / f".venv-{group}"
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(place)}
    environment.pop("VIRTUAL_ENV", None)
    if environment.pop("PYTHONDONTWRITEBYTECODE", None):
        # Hundreds of processes begin here; compiling everything in each of them is a third of all the work.
        environment.setdefault("PYTHONPYCACHEPREFIX", str(place / "pycache"))
    os.execve(uv, [uv, "run", "--no-default-groups", "--group", group, "python", *words], environment)


if __name__ == "__main__":
    # `boneyard bench` comes this way.
    hand_over("bench", *sys.argv[1:])
