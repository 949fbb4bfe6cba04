"""`uv run pytest` without test tools in the environment that people play from.

`uv run` installs the default dependency group before it knows which command follows. Were pytest in that group,
`uv run boneyard play` would install a browser driver and a Discord simulator too. So the default group holds this
launcher alone, and the checks live in `.venv-checks`.
"""

import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """The real pytest in the checks environment, with the arguments of this one."""
    hand_over("-m", "pytest", *sys.argv[1:])


def hand_over(*words: str) -> None:
    """Go on as `python WORDS` in the checks environment; needs `uv` on the path."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        sys.exit("uv is not on the path. Run: pip install uv")
    root = next((place for place in (Path.cwd(), *Path.cwd().parents) if (place / "uv.lock").exists()), Path.cwd())
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": str(root / ".venv-checks")}
    environment.pop("VIRTUAL_ENV", None)
    os.execve(uv, [uv, "run", "--no-default-groups", "--group", "checks", "python", *words], environment)


if __name__ == "__main__":
    # `boneyard bench` comes this way.
    hand_over(*sys.argv[1:])
