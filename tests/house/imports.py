"""Who imports whom in the four rooms, read from the source: arrows, circles and floors.

An arrow is `(importer, imported)` by dotted names. What stands under `if TYPE_CHECKING` is an arrow as well: it holds
nothing up when the program starts, but a reader has to know both files at once all the same.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.house.sources import trees

Arrow = tuple[str, str]


def dotted(file: Path) -> str:
    """`engine/record/text.py` as `engine.record.text`; a package's `__init__.py` is the package."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> frozenset[str]:
    """Every module and package, those without an `__init__.py` too."""
    names = {dotted(file) for file in trees()}
    return frozenset(names | {".".join(parts) for name in names for parts in _ancestry(name)})


def _ancestry(name: str) -> Iterator[list[str]]:
    parts = name.split(".")
    return (parts[:length] for length in range(1, len(parts)))


@cache
def arrows(*, typing: bool = True) -> frozenset[Arrow]:
    """Every import between modules of the rooms, in functions too; without those that only the type checker follows
    unless `typing`.
    """
    found = set()
    for file, tree in trees().items():
        home = dotted(file)
        package = home if file.name == "__init__.py" else home.rpartition(".")[0]
        found |= {(home, name) for name in _imported(tree, package, typing=typing) if name != home}
    return frozenset(found)


def _imported(node: ast.AST, package: str, *, typing: bool) -> Iterator[str]:
    known = modules()
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(test=test, orelse=otherwise) if not typing and "TYPE_CHECKING" in ast.unparse(test):
                for one in otherwise:
                    yield from _imported(one, package, typing=typing)
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in known)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                base = ".".join([*above, *([module] if module else [])])
                yield from (name for alias in names if (name := _nearest(base, alias.name, known)) is not None)
            case _:
                yield from _imported(child, package, typing=typing)


def _nearest(base: str, name: str, known: Collection[str]) -> str | None:
    inside = f"{base}.{name}"
    return inside if inside in known else base if base in known else None


def between_siblings(package: str, found: Iterable[Arrow]) -> frozenset[Arrow]:
    """The arrows between the direct members of a package, each with all that is in it."""
    depth = package.count(".") + 2
    inside = (pair for pair in found if all(name.startswith(f"{package}.") for name in pair))
    short = ((".".join(a.split(".")[:depth]), ".".join(b.split(".")[:depth])) for a, b in inside)
    return frozenset((a, b) for a, b in short if a != b)


def packages() -> list[str]:
    """Everything that has members: the rooms and the packages in them."""
    return sorted({name.rpartition(".")[0] for name in modules()} - {""})


def circles(found: Iterable[Arrow]) -> list[list[str]]:
    """One shortest way round for each knot of modules that reach one another; none where imports point down only."""
    down = _targets(found)
    below = {name: _reached(name, down) for name in down}
    knots = {frozenset({name, *(other for other in below[name] if name in below.get(other, ()))}) for name in below}
    return sorted(_shortest(knot, down) for knot in knots if len(knot) > 1)


def _targets(found: Iterable[Arrow]) -> dict[str, set[str]]:
    down: dict[str, set[str]] = {}
    for importer, imported in found:
        down.setdefault(importer, set()).add(imported)
    return down


def _reached(start: str, down: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = down.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def _shortest(knot: frozenset[str], down: dict[str, set[str]]) -> list[str]:
    """The shortest circle in a knot, from the name that comes first in the alphabet."""
    best: list[str] = []
    for start in sorted(knot):
        ways, seen = [[start]], {start}
        while ways:
            way = ways.pop(0)
            if start in down[way[-1]]:
                if not best or len(way) < len(best):
                    best = way
                break
            for name in sorted((down[way[-1]] & knot) - seen):
                seen.add(name)
                ways.append([*way, name])
    return [*best, best[0]]


def floors(found: Collection[Arrow]) -> int:
    """How many floors the members have when each stands above what it imports; those of a knot share one."""
    down = _targets(found)
    below = {name: _reached(name, down) for pair in found for name in pair}
    knot = {name: frozenset({name, *(o for o in below[name] if name in below[o])}) for name in below}

    @cache
    def height(name: str) -> int:
        lower = {other for member in knot[name] for other in down.get(member, ())} - knot[name]
        return 1 + max(map(height, lower), default=0)

    return max(map(height, below), default=1)


def in_words(circle: list[str]) -> str:
    """`engine.board > engine.places > engine.board`."""
    assert all(a != b for a, b in pairwise(circle))
    return " > ".join(circle)
