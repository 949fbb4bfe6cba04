"""The `pytest` that `uv run pytest` finds: it hands over to the real one, in an environment of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
HOUSE = HERE.parents[1]
SETTINGS = ("UV", "UV_PROJECT_ENVIRONMENT", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
SAYS_WHAT_IT_GOT = """#!/bin/sh
echo "environment $UV_PROJECT_ENVIRONMENT"
echo "active ${VIRTUAL_ENV:-none}"
echo "compiled ${PYTHONDONTWRITEBYTECODE:-once} ${PYTHONPYCACHEPREFIX:-beside}"
for one in "$@"; do echo "$one"; done
exit 5
"""


@pytest.fixture
def uv(tmp_path: Path) -> Path:
    """A program in uv's place that says how it was called; the real one would run this very test again."""
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(SAYS_WHAT_IT_GOT)
    program.chmod(0o755)
    return program


def launched(
    folder: Path, *arguments: str, begin: str = "main", **environment: str
) -> subprocess.CompletedProcess[str]:
    start = f"import sys, boneyard_checks; sys.argv[0] = 'pytest'; boneyard_checks.{begin}()"
    around = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.run(
        [sys.executable, "-c", start, *arguments],
        cwd=folder,
        env=around | {"PYTHONPATH": str(HERE)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("found_by", ["path", "variable"])
def test_arguments_and_status_pass_through_to_the_checks_environment(uv: Path, tmp_path: Path, found_by: str) -> None:
    inside = tmp_path / "tests" / "engine"
    inside.mkdir(parents=True)
    (tmp_path / "uv.lock").touch()
    way = {"PATH": f"{uv.parent}:{os.environ['PATH']}"} if found_by == "path" else {"UV": str(uv)}
    done = launched(inside, "-x", "-k", "two words", VIRTUAL_ENV="/somewhere", **way)
    assert done.stdout.splitlines() == [
        f"environment {tmp_path / '.venv-checks'}",
        "active none",
        "compiled once beside",
        *["run", "--no-default-groups", "--group", "checks", "python", "-m", "pytest", "-x", "-k"],
        "two words",
    ]
    assert done.returncode == 5


def test_the_files_that_are_timed_run_in_the_environment_of_the_bench(uv: Path, tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    done = launched(tmp_path, "tests/bench", "--benchmark-only", UV=str(uv))
    assert done.stdout.splitlines()[0] == f"environment {tmp_path / '.venv-bench'}"
    assert done.stdout.splitlines()[3:7] == ["run", "--no-default-groups", "--group", "bench"]
    assert done.stdout.splitlines()[-2:] == ["tests/bench", "--benchmark-only"]


def test_what_python_compiles_is_kept_out_of_the_checkout_where_nothing_is_to_be_written_there(
    uv: Path, tmp_path: Path
) -> None:
    (tmp_path / "uv.lock").touch()
    done = launched(tmp_path, UV=str(uv), PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout.splitlines()[2] == f"compiled once {tmp_path / '.venv-checks' / 'pycache'}"


def test_what_is_for_looking_runs_where_the_checks_do(uv: Path, tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    done = launched(tmp_path, "-m", "tests.conformance.walk", "--only", "turns", begin="look", UV=str(uv))
    assert done.stdout.splitlines()[0] == f"environment {tmp_path / '.venv-checks'}"
    assert done.stdout.splitlines()[3:] == [
        *["run", "--no-default-groups", "--group", "checks", "python"],
        *["-m", "tests.conformance.walk", "--only", "turns"],
    ]


def test_without_uv_it_says_what_to_install(tmp_path: Path) -> None:
    done = launched(tmp_path, PATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "uv is not on the path. Run: pip install uv\n")


def test_what_people_play_with_holds_no_test_tools() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())
    assert project["dependency-groups"]["dev"] == ["boneyard-checks"]
    assert tomllib.loads((HERE / "pyproject.toml").read_text())["project"].get("dependencies", []) == []
    needed = " ".join(project["project"]["dependencies"])
    for tool in ("pytest", "playwright", "simcord", "hypothesis", "ruff", "mypy"):
        assert tool not in needed


def test_the_large_yardsticks_are_not_among_the_checks() -> None:
    groups = tomllib.loads((HOUSE / "pyproject.toml").read_text())["dependency-groups"]
    assert all(isinstance(package, str) for package in groups["checks"]), "no other group is part of it"
    names = {group: {re.split(r"[\[<>=~ ]", package)[0] for package in groups[group]} for group in ("checks", "bench")}
    assert names["checks"] & names["bench"] == {"pytest", "rich", "chess", "asyncpg"}
