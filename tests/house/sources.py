"""The source code of the house, read as text that the tests look through."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("bot", "data", "engine", "render")


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of the four rooms."""
    files = (file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py")))
    return {file.relative_to(ROOT): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def texts() -> frozenset[str]:
    """Every string that stands in the code as it is."""
    return frozenset(_texts())


def _texts() -> Iterator[str]:
    for tree in trees().values():
        nodes = list(ast.walk(tree))
        pieces = {id(piece) for node in nodes if isinstance(node, ast.JoinedStr) for piece in node.values}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
                yield node.value


@cache
def patterns() -> frozenset[re.Pattern[str]]:
    """Every string that is put together in the code, as a pattern of what may come out: `no.{why}` is `no\\..+`."""
    return frozenset(re.compile(pattern) for pattern in set(_patterns()))


def _patterns() -> Iterator[str]:
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".+" for one in node.values]
                yield "".join(parts)


def page_texts() -> set[str]:
    """Every word that stands as a string in the scripts of the local page, and what its files want said."""
    scripts, files = _page()
    return {*re.findall(r'"(\w+)"', scripts), *_said_by(files)}


def page_asks() -> set[str]:
    """Those that are surely said: the keys of `say("...")`, and what its files want said."""
    scripts, files = _page()
    return {*re.findall(r'\bsay(?:With)?\("(\w+)"', scripts), *_said_by(files)}


def _page() -> tuple[str, str]:
    """The scripts and the files of the local page."""
    page = ROOT / "bot" / "playground" / "page"
    kinds = ("*.js", "*.html")
    scripts, files = ("".join(file.read_text(encoding="utf-8") for file in sorted(page.glob(kind))) for kind in kinds)
    return scripts, files


def _said_by(files: str) -> list[str]:
    return re.findall(r'data-say(?:-label)?="(\w+)"', files)
