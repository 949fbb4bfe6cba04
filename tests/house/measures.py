"""What keeps the house easy to walk through, counted: `uv run python -m tests.house.measures` prints it.

Circles of imports, ways into the store, sizes of files, names defined twice, and the rooms of `bot`.
`test_measures.py` holds the goals.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.house.imports import Arrow, arrows, between_siblings, circles, dotted, floors, in_words, packages
from tests.house.sources import ROOT, trees

LEAST, MOST = 30, 350
"""Lines of a file that is read at one sitting and is worth opening."""

BUILDERS = 1
"""Places in `bot` that build a change of a table."""
WRITERS = 1
"""Places outside `data` that hand one to the store."""
RETRIES = 1
"""Ways to try again when somebody else was quicker."""
TWICE = 20
"""Public names that may be defined in more than one module."""

COMMAND = "a command of `boneyard`, and what it calls"
REASONS: dict[str, str] = {
    "Interaction": "discord.py's, with its type filled in; and the local Discord's own, which answers to it",
    "Person": "what somebody has set; and somebody who sits at the page of the local Discord",
    "Post": "what is to be said; and what stands in a channel of the local Discord",
    "THEMES": "what a host can choose, and what can be drawn: neither room knows the other",
    "backup": COMMAND,
    "bench": COMMAND,
    "decide": "the match decides, and the table around it, in the same shape",
    "doctor": "`boneyard doctor`, and `/tiles-admin doctor`",
    "evolve": "the match folds, and the table around it, in the same shape",
    "mount": "gives `boneyard` its commands: those of the referee, those of the arena",
    "play": COMMAND,
    "recount": COMMAND,
    "replay": "the match's log and the table's, in the same shape; and the command of that name",
    "restore": COMMAND,
    "run": COMMAND,
    "start": "the first events of a match; and the handler of the command of that name",
}
"""Why a name is defined more than once and stays so."""

MIGRATIONS = Path("data/store/migrations")
"""Alembic says how these are named, and each does what its one change needs."""


def import_circles(*, typing: bool) -> list[str]:
    """Modules that import one another, whether directly or round others."""
    return [in_words(circle) for circle in circles(arrows(typing=typing))]


def sibling_circles(*, typing: bool) -> dict[str, list[str]]:
    """By package: members that import one another, each taken with all that is in it."""
    found = {one: circles(between_siblings(one, arrows(typing=typing))) for one in packages()}
    return {package: list(map(in_words, knots)) for package, knots in found.items() if knots}


def calls(room: str, wanted: Callable[[ast.expr], bool]) -> list[str]:
    """Where something is called in a room, as `file:line`."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in trees().items()
        if file.parts[0] == room
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and wanted(node.func)
    ]


def builders() -> list[str]:
    """Where `bot` builds a change of a table."""
    return calls("bot", lambda called: re.search(r"(^|\.)Change$", ast.unparse(called)) is not None)


def writers() -> list[str]:
    """The functions that hand a change to the store from outside of `data`."""

    def wanted(called: ast.expr) -> bool:
        # Much is created; what the store creates is a table.
        return re.search(r"store\.(commit|commit_each|create|prefer)$", ast.unparse(called)) is not None

    return [
        f"{file}:{node.lineno}"
        for file, tree in trees().items()
        if file.parts[0] in ("bot", "engine", "render")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(isinstance(one, ast.Call) and wanted(one.func) for one in ast.walk(node))
    ]


def retries() -> list[str]:
    """Loops that do something again: those around a `Stale`, and those that count how often it was tried."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in trees().items()
        if file.parts[0] == "bot"
        for node in ast.walk(tree)
        if isinstance(node, ast.For | ast.AsyncFor | ast.While) and (_counts_tries(node) or _meets_stale(node))
    ]


def _counts_tries(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    return not isinstance(loop, ast.While) and "TRIES" in ast.unparse(loop.iter)


def _meets_stale(loop: ast.AST) -> bool:
    handlers = [node.type for node in ast.walk(loop) if isinstance(node, ast.ExceptHandler) and node.type]
    held = [item.context_expr for node in ast.walk(loop) if isinstance(node, ast.With) for item in node.items]
    return any(re.search(r"\bStale\b", ast.unparse(one)) for one in [*handlers, *held])


def lobby_events() -> list[str]:
    """Files that name the untyped event of a table."""
    return [str(file) for file in trees() if "LobbyEvent" in (ROOT / file).read_text(encoding="utf-8")]


def untyped_facts() -> list[str]:
    """Fields and parameters called `facts` in the log of a table, where every event has fields of its own."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in trees().items()
        if (file.parts[:2] == ("engine", "table") and file.name != "refusals.py")
        or file == Path("data/store/values.py")
        for node in ast.walk(tree)
        if (isinstance(node, ast.arg) and node.arg == "facts")
        or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "facts")
    ]


def sizes() -> dict[str, int]:
    """The files that are shorter or longer than one sitting, with their lines."""
    lines = {
        str(file): len((ROOT / file).read_text(encoding="utf-8").splitlines())
        for file in trees()
        if file.name not in ("__init__.py", "__main__.py") and MIGRATIONS / "versions" not in file.parents
    }
    return {file: count for file, count in sorted(lines.items()) if not LEAST <= count <= MOST}


def names() -> dict[str, list[str]]:
    """Every public name with the modules that define it at their top.

    Functions and classes are public; a constant is when another module takes it. Those that only their own module
    reads are found where they are read, and may be called `GAP` in two pictures.
    """
    homes: dict[str, list[str]] = defaultdict(list)
    taken = set(_taken())
    for file, tree in trees().items():
        if MIGRATIONS not in file.parents:
            module, own = dotted(file), _defined(tree.body)
            for name in sorted({name for name, constant in own if not constant or (module, name) in taken}):
                if not name.startswith("_"):
                    homes[name].append(str(file))
    return homes


def _defined(body: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """The names of a module's top, and whether each is a constant (or an alias of a type)."""
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, False
            case ast.Assign(targets=targets):
                found = (one for target in targets for one in ast.walk(target))
                yield from ((one.id, True) for one in found if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, True
            case ast.If(body=inner, orelse=other):
                yield from _defined([*inner, *other])


def _taken() -> Iterator[tuple[str, str]]:
    """What modules take from one another: `from room.thing import NAME`, or `thing.NAME` of an imported module."""
    for tree in trees().values():
        nodes = list(ast.walk(tree))
        imported = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
        known = {one.asname or one.name: f"{node.module}.{one.name}" for node in imported for one in node.names}
        yield from ((str(node.module), one.name) for node in imported for one in node.names)
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
                yield known[node.value.id], node.attr


def twice() -> dict[str, list[str]]:
    """The public names that two or more modules define."""
    return {name: homes for name, homes in sorted(names().items()) if len(homes) > 1}


def flat() -> list[str]:
    """Modules that lie in `bot` itself instead of in one of its rooms."""
    beside = (str(file) for file in trees() if file.parent == Path("bot"))
    return sorted(set(beside) - {"bot/__init__.py", "bot/__main__.py"})


def rooms() -> frozenset[Arrow]:
    """The imports between the rooms of `bot`; what still lies flat in it counts as a room of one file."""
    return between_siblings("bot", arrows(typing=True))


def report() -> Iterator[str]:
    """The measures as lines of text."""
    for typing in (False, True):
        also = ", those for types included" if typing else ""
        yield from _listed(f"circles among modules{also}", import_circles(typing=typing))
        among = [f"{package}: {circle}" for package, all_ in sibling_circles(typing=typing).items() for circle in all_]
        yield from _listed(f"circles between members of a package{also}", among)
    yield from _listed(f"places in bot that build a change (goal {BUILDERS})", builders())
    yield from _listed(f"places outside data that write one (goal {WRITERS})", writers())
    yield from _listed(f"loops that try again (goal {RETRIES})", retries())
    yield from _listed("files that name LobbyEvent", lobby_events())
    yield from _listed("fields and parameters called facts in the log of a table", untyped_facts())
    outside = [f"{file}: {count}" for file, count in sizes().items()]
    yield from _listed(f"files outside of {LEAST} to {MOST} lines", outside)
    found = twice()
    shown = [f"{name}: {', '.join(homes)}; {REASONS.get(name, 'no reason yet')}" for name, homes in found.items()]
    yield from _listed(f"of {len(names())} public names defined twice or more (at most {TWICE})", shown)
    yield from _listed("modules that lie flat in bot", flat())
    members = {name for arrow in rooms() for name in arrow}
    yield f"rooms of bot: {len(members)} on {floors(rooms())} floors, {len(rooms())} arrows between them"
    for package in packages():
        between = between_siblings(package, arrows(typing=True))
        yield f"  {package}: {floors(between)} floors, {len(between)} arrows"


def _listed(title: str, found: list[str]) -> list[str]:
    return [f"{title}: {len(found)}", *(f"  {one}" for one in found)]


if __name__ == "__main__":
    print("\n".join(report()))
