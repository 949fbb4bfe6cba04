"""A feature can be removed: without its folders and its line the tests of the core pass."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.features import FEATURES
from tests.project.guides import INSIDE_A_COPY, RepositoryCopy
from tests.project.sources import PACKAGES

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(3000),
    pytest.mark.skipif(INSIDE_A_COPY in os.environ, reason="this is the copy"),
]

FEATURE_NAMES = [package.rpartition(".")[2] for package in FEATURES]
CORE_TESTS = [
    "tests/bot/tables/test_lobby.py",
    "tests/bot/tables/test_undo.py",
    "tests/bot/core/test_privacy.py",
    "tests/data/store/test_matches.py",
]
"""Tests of the core that run without each feature."""
CORE_FOLDERS = ["tests/engine", "tests/golden", "tests/render", "--ignore=tests/engine/test_perft.py"]
"""Folders with tests of the core that run without all features as well. The command-line tools need reviews."""


def find_imports(file: Path) -> set[str]:
    """Return the modules that a Python file imports, and the names it imports from them as if they were modules."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return found


def delete_features(root: Path, names: list[str]) -> None:
    """Delete the folders of features, their lines, their own tests, and the tests that import any of their modules."""
    for package in PACKAGES:
        for folder in [one for one in (root / package).rglob("*") if one.is_dir() and one.name in names]:
            if folder.parent.name != "data":  # `data/puzzles` are data files
                shutil.rmtree(folder)
    listed = root / "bot" / "features.py"
    lines = [
        line for line in listed.read_text("utf-8").splitlines() if line.strip('", ').rpartition(".")[2] not in names
    ]
    listed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tests = {".".join(file.relative_to(root).with_suffix("").parts): file for file in (root / "tests").rglob("*.py")}
    imports = {name: find_imports(file) for name, file in tests.items()}
    deleted = {name for name in tests if set(name.split(".")) & set(names)}

    def is_of(module: str) -> bool:
        return module.split(".")[0] in PACKAGES and bool(set(module.split(".")) & set(names))

    def has_lost(name: str) -> bool:
        return name not in deleted and any(one in deleted or is_of(one) for one in imports[name])

    while more := set(filter(has_lost, imports)):
        deleted |= more
    for name in deleted:
        tests[name].unlink()


def run_tests(copy: RepositoryCopy, paths: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider", *paths],
        cwd=copy.root,
        env=copy.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]


@pytest.mark.parametrize("name", FEATURE_NAMES)
def test_core_passes_without_feature(name: str, tmp_path: Path) -> None:
    copy = RepositoryCopy(tmp_path)
    delete_features(copy.root, [name])
    run_tests(copy, CORE_TESTS)


def test_core_passes_without_all_features(tmp_path: Path) -> None:
    copy = RepositoryCopy(tmp_path)
    delete_features(copy.root, FEATURE_NAMES)
    run_tests(copy, [*CORE_TESTS, *CORE_FOLDERS])
