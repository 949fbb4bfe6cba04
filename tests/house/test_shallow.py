"""The quick tier stays green: what counts cases by the depth alone is run at its depth, where one case may be left."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator

from tests.conftest import QUICK, SHALLOW
from tests.house.sources import ROOT

TIERS = [ROOT / "tests" / room for room in QUICK if room != "bot"]


def falls_to_one(node: ast.AST) -> bool:
    """Whether `deep(40)` stands in it, with no `least`; of hypothesis' examples, one is enough for any test."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "settings":
            return False
        if node.func.id == "deep":
            return len(node.args) + len(node.keywords) == 1
    return any(map(falls_to_one, ast.iter_child_nodes(node)))


def shallow(tree: ast.Module) -> Iterator[str]:
    """The tests of a module that count so, themselves or by a number of the module."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and falls_to_one(node.value)]
    counts = {name.id for node in assigned for name in node.targets if isinstance(name, ast.Name)}
    for test in tree.body:
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            inside = ast.Module(test.body, [])
            if falls_to_one(inside) or any(isinstance(n, ast.Name) and n.id in counts for n in ast.walk(inside)):
                yield test.name


def test_what_counts_by_the_depth_alone_asks_only_for_what_a_shallow_run_can_meet() -> None:
    files = [file for tier in TIERS for file in sorted(tier.rglob("test_*.py"))]
    found = [
        f"{file.relative_to(ROOT).as_posix()}::{name}"
        for file in files
        for name in shallow(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert len(found) > 8, found
    around = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "BONEYARD"))}
    # Said before a conftest of a room is read, which has depths of its own.
    around["BONEYARD_DEPTH"] = SHALLOW
    told = [sys.executable, "-m", "pytest", "--quick", "-n", "0", "-p", "no:cacheprovider", *found]
    done = subprocess.run(told, cwd=ROOT, env=around, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
