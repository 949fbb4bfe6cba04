"""Run pytest and the project's tools in `.venv-checks`, an environment of their own.

`uv run` installs the default dependency group before it knows the command. If that group contained pytest,
`uv run boneyard play` would install a browser driver and a Discord simulator too. So the default group contains only
this launcher.
"""

import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """Run pytest with the arguments of this process: `uv run pytest`."""
    run_in_checks("-m", "pytest", *sys.argv[1:])


def run_python() -> None:
    """Run Python with the arguments of this process: `uv run checks -m tests.tools.load`."""
    run_in_checks(*sys.argv[1:])


def run_in_checks(*words: str) -> None:
    """Replace this process by `python WORDS` in the checks environment. `uv` must be on the path."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        sys.exit("uv is not on the path. Run: pip install uv")
    root = next((folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "uv.lock").exists()), Path.cwd())
    place = root / ".venv-checks"
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(place)}
    environment.pop("VIRTUAL_ENV", None)
    if environment.pop("PYTHONDONTWRITEBYTECODE", None):
        # The tests start hundreds of processes. Without a cache, compilation takes a third of the time.
        environment.setdefault("PYTHONPYCACHEPREFIX", str(place / "pycache"))
    os.execve(uv, [uv, "run", "--no-default-groups", "--group", "checks", "python", *words], environment)


if __name__ == "__main__":
    run_python()
