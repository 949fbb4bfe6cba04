"""Build the documentation site: `python -m tests.tools.site [FOLDER]`. The default folder is `site`."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "site").resolve()
    done = run_mkdocs("build", "--strict", "--site-dir", str(folder))
    print(done.stdout, done.stderr, sep="", end="")
    sys.exit(done.returncode)


def run_mkdocs(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs WORDS` in a separate environment with the dependency group `docs`. Raises OSError without uv."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise FileNotFoundError("uv is not on the path. Run: pip install uv")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    packages = [word for package in groups["docs"] for word in ("--with", package)]
    # The theme prints an advertisement of its successor unless this variable is set.
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    environment.pop("VIRTUAL_ENV", None)
    command = [uv, "run", "--quiet", "--isolated", "--no-project", *packages, "mkdocs", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
