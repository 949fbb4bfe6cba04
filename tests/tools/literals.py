"""Count English sentences in assertions, and check what test modules import and patch.

    python -m tests.tools.literals [FOLDER ...]

A literal counts if it has four or more words and stands in an `assert` or in a `match=` of a test. Compare a wording
key or a value instead.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

WORD = re.compile(r"[\"'(*_“‘`]*[A-Za-z][A-Za-z'’\-]*[\"')*_.,:;!?”’`]*")
MIN_WORDS = 4
OWN_PACKAGES = ("bot", "data", "engine", "render", "tests")
"""Packages of this repository. All other packages are third-party or belong to Python."""


class Location(NamedTuple):
    """Where something stands in the tests."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def is_sentence(text: str) -> bool:
    return sum(WORD.fullmatch(word) is not None for word in text.split()) >= MIN_WORDS


def find_literals(folders: Sequence[Path]) -> Iterator[Location]:
    """Yield the sentences in the assertions of all tests."""
    for file, tree in parse_files(folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for constant in _iterate_asserted_texts(node):
                    if is_sentence(str(constant.value)):
                        yield Location(file, constant.lineno, repr(constant.value))


def _iterate_asserted_texts(test: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(test):
        asserted = None
        if isinstance(node, ast.Assert):
            asserted = node.test
        elif isinstance(node, ast.keyword) and node.arg == "match":
            asserted = node.value
        if asserted is not None:
            for part in ast.walk(asserted):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part


def find_imports_of_tests(folders: Sequence[Path]) -> Iterator[Location]:
    """Yield the imports of test modules by other modules. Shared code belongs into a helper module."""
    for file, tree in parse_files(folders):
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                is_test_module = any(part.startswith("test_") for part in name.split(".")[:-1])
                if name.startswith("tests.") and (is_test_module or _is_test_file(name)):
                    yield Location(file, node.lineno, name)


def _is_test_file(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last.startswith("test_") and Path(*name.split(".")).with_suffix(".py").exists()


def find_private_patches(folders: Sequence[Path]) -> Iterator[Location]:
    """Yield assignments to private members of third-party packages, also by `setattr` and `patch`."""
    for file, tree in parse_files(folders):
        foreign = set(_iterate_foreign_names(tree))
        for node in ast.walk(tree):
            for target in _iterate_patched_names(node):
                root, *members = target.split(".")
                if root in foreign and any(one.startswith("_") and not one.startswith("__") for one in members):
                    yield Location(file, node.lineno, target)


def _iterate_foreign_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names by which a module knows third-party packages and their members."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] not in OWN_PACKAGES:
                    yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] not in OWN_PACKAGES:
            yield from (alias.asname or alias.name for alias in node.names)


def _iterate_patched_names(node: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a statement assigns to or replaces."""
    match node:
        case ast.Assign(targets=targets):
            yield from (ast.unparse(target) for target in targets if isinstance(target, ast.Attribute))
        case ast.AugAssign(target=ast.Attribute() as target) | ast.AnnAssign(target=ast.Attribute() as target):
            yield ast.unparse(target)
        case ast.Call(func=function, args=[ast.Constant(value=str(target)), *_]) if _is_patch_call(function):
            yield target
        case ast.Call(func=function, args=[owner, ast.Constant(value=str(name)), *_]) if _is_patch_call(function):
            yield f"{ast.unparse(owner)}.{name}"
        case _:
            pass


def _is_patch_call(function: ast.expr) -> bool:
    """Whether a function replaces a member: `setattr`, `monkeypatch.setattr`, `patch`, `patch.object`."""
    name = ast.unparse(function)
    return name.rpartition(".")[2] in ("setattr", "delattr", "patch") or name.endswith("patch.object")


def parse_files(folders: Sequence[Path]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield all Python files in these folders, sorted, with their syntax trees."""
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            yield file, ast.parse(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    print(*find_literals([Path(folder) for folder in sys.argv[1:] or ["tests"]]), sep="\n")
