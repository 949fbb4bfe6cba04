"""Figures about the structure of the product: `python -m tests.project.structure` prints them."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bot.features import FEATURES
from tests.project.sources import ROOT, parse_packages

FEATURE_NAMES = {name.rpartition(".")[2] for name in FEATURES}
CORE = (
    *("bot.core", "bot.tables", "bot.sending", "bot.computers", "bot.client", "bot.playground"),
    *("engine.board", "engine.match", "engine.table", "engine.record", "engine.players", "engine.families"),
    *("render.canvas", "render.table", "render.faces"),
    *("data.store.connection", "data.store.log", "data.store.outbox", "data.store.users", "data.store.guilds"),
    *("data.store.results", "data.store.operations", "data.store.store"),
)
"""Packages that know no feature."""
LAYERS = ("bot", "data/store", "engine", "render")
ROLE_NAMES = {"__init__", "commands", "views", "service", "posts", "store", "rules", "picture", "tables"}
"""File names that each feature may use for the same role."""


@cache
def read_imports() -> dict[str, set[str]]:
    """Return, for every module, the modules of the product that it imports."""
    modules = {_to_module_name(path): tree for path, tree in parse_packages().items()}
    return {name: set(_iterate_imports(tree, set(modules))) - {name} for name, tree in modules.items()}


def find_imports_between_features() -> list[str]:
    """Return each import from one feature to another, or from the core to a feature, as `importer -> imported`."""
    return sorted(
        f"{importer} -> {imported}"
        for importer, found in read_imports().items()
        for imported in found
        if _find_feature(imported) not in (None, _find_feature(importer))
        and (_find_feature(importer) or importer.startswith(CORE))
    )


def find_cycles() -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in read_imports()[name]:
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            at = stack.index(name)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                cycles.append(sorted(group))

    for name in read_imports():
        if name not in index:
            visit(name)
    return cycles


def count_feature_folders() -> dict[str, dict[str, int]]:
    """Return, for every feature and layer, how many folders have the name of the feature."""
    folders = {path.parent for path in parse_packages()}
    return {
        name: {
            layer: sum(folder.name == name and folder.is_relative_to(layer) for folder in folders) for layer in LAYERS
        }
        for name in sorted(FEATURE_NAMES)
    }


def count_files() -> Counter[Path]:
    """Return how many Python files each folder has."""
    return Counter(path.parent for path in parse_packages() if "versions" not in path.parts)


def count_lines() -> dict[Path, int]:
    """Return how many lines each Python file has."""
    return {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in parse_packages()}


def find_repeated_names() -> dict[str, list[str]]:
    """Return file names that occur more than once and are not the name of a role."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in parse_packages():
        if path.stem not in ROLE_NAMES and "migrations" not in path.parts:
            found[path.stem].append(path.as_posix())
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def count_store_methods() -> Counter[str]:
    """Return how many public methods each class of the store has."""
    return Counter(
        {
            node.name: sum(
                isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_")
                for one in node.body
            )
            for path, tree in parse_packages().items()
            if path.parts[:2] == ("data", "store")
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        }
    )


def _to_module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _iterate_imports(tree: ast.Module, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                name = f"{node.module}.{one.name}"
                if name in modules:
                    yield name
                elif node.module in modules:
                    yield node.module
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in modules)


def _find_feature(module: str) -> str | None:
    return next((part for part in module.split(".") if part in FEATURE_NAMES), None)


if __name__ == "__main__":
    lines = count_lines()
    methods, most = count_store_methods().most_common(1)[0]
    print(f"{sum(lines.values())} lines in {len(lines)} files; longest file: {max(lines.values())} lines")
    print(f"largest folder: {max(count_files().values())} files; largest class of the store: {methods}, {most} methods")
    print(f"repeated file names: {find_repeated_names()}")
    print(f"import cycles: {find_cycles()}")
    print(f"imports of features: {find_imports_between_features()}")
    for feature, homes in count_feature_folders().items():
        print(f"{feature}: folders {homes}")
