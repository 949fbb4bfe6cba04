"""Lint, format, types and import rules, in the same run as the tests."""

import subprocess
import sys

import pytest

from tests.project.sources import ROOT

CHECKS = {
    "lint": ["-m", "ruff", "check", "--no-cache", "."],
    "format": ["-m", "ruff", "format", "--no-cache", "--check", "."],
    "types": ["-m", "mypy"],
    "imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"],
}


@pytest.mark.parametrize("check", CHECKS)
def test_project_passes(check: str) -> None:
    done = subprocess.run([sys.executable, *CHECKS[check]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
