"""The `pytest` and `checks` commands that `uv run` finds start Python in the checks environment."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SETTINGS = ("UV", "UV_PROJECT_ENVIRONMENT", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
FAKE_UV = """#!/bin/sh
echo "environment $UV_PROJECT_ENVIRONMENT"
echo "active ${VIRTUAL_ENV:-none}"
echo "bytecode ${PYTHONDONTWRITEBYTECODE:-written} ${PYTHONPYCACHEPREFIX:-default}"
for word in "$@"; do echo "$word"; done
exit 5
"""
UV_RUN = ["run", "--no-default-groups", "--group", "checks", "python"]


@pytest.fixture
def uv(tmp_path: Path) -> Path:
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(FAKE_UV)
    program.chmod(0o755)
    (tmp_path / "uv.lock").touch()
    return program


def launch(
    folder: Path, *arguments: str, command: str = "main", **environment: str
) -> subprocess.CompletedProcess[str]:
    program = f"import sys, boneyard_checks; sys.argv[0] = 'pytest'; boneyard_checks.{command}()"
    inherited = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(HERE)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("found_by", ["path", "variable"])
def test_pytest_command_passes_arguments_and_status_through(uv: Path, tmp_path: Path, found_by: str) -> None:
    inside = tmp_path / "tests" / "engine"
    inside.mkdir(parents=True)
    way = {"PATH": f"{uv.parent}:{os.environ['PATH']}"} if found_by == "path" else {"UV": str(uv)}
    done = launch(inside, "-x", "-k", "two words", VIRTUAL_ENV="/somewhere", **way)
    assert done.stdout.splitlines() == [
        f"environment {tmp_path / '.venv-checks'}",
        "active none",
        "bytecode written default",
        *UV_RUN,
        *["-m", "pytest", "-x", "-k", "two words"],
    ]
    assert done.returncode == 5


def test_checks_command_runs_module_in_checks_environment(uv: Path, tmp_path: Path) -> None:
    done = launch(tmp_path, "-m", "tests.tools.load", "--tables", "5", command="run_python", UV=str(uv))
    assert done.stdout.splitlines()[0] == f"environment {tmp_path / '.venv-checks'}"
    assert done.stdout.splitlines()[3:] == [*UV_RUN, "-m", "tests.tools.load", "--tables", "5"]


def test_launcher_without_bytecode_in_checkout_keeps_cache_elsewhere(uv: Path, tmp_path: Path) -> None:
    done = launch(tmp_path, UV=str(uv), PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout.splitlines()[2] == f"bytecode written {tmp_path / '.venv-checks' / 'pycache'}"


def test_launcher_without_uv_exits_with_one(tmp_path: Path) -> None:
    done = launch(tmp_path, PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install uv" in done.stderr


def test_environment_for_playing_has_no_test_tools() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["dependency-groups"]["dev"] == ["boneyard-checks"]
    assert tomllib.loads((HERE / "pyproject.toml").read_text())["project"].get("dependencies", []) == []
    needed = " ".join(project["project"]["dependencies"])
    for tool in ("pytest", "playwright", "simcord", "hypothesis", "ruff", "mypy"):
        assert tool not in needed
