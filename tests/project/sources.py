"""Strings that stand in the source code, for tests that compare them with the wording files."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "data", "engine", "render")


@cache
def parse_packages() -> dict[Path, ast.Module]:
    """Return the syntax tree of every module of the product."""
    files = (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
    return {file.relative_to(ROOT): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def find_strings() -> tuple[frozenset[str], frozenset[str]]:
    """Return the plain strings in the code, and the f-strings as patterns: `no.{why}` is `no\\..+`."""
    strings, patterns, parts = set(), set(), set()
    for tree in parse_packages().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts |= {id(part) for part in node.values}
                pieces = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".+" for one in node.values]
                patterns.add("".join(pieces))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                strings.add(node.value)
    return frozenset(strings), frozenset(patterns)


def find_page_words() -> set[str]:
    """Return every word that is a string in the scripts of the local page, and the keys in its HTML."""
    scripts, html = _read_page()
    return {*re.findall(r'"(\w+)"', scripts), *_find_keys(html)}


def find_page_keys() -> set[str]:
    """Return the keys that the local page certainly uses: in `say("...")`, and in its HTML."""
    scripts, html = _read_page()
    return {*re.findall(r'\bsay(?:With)?\("(\w+)"', scripts), *_find_keys(html)}


def _read_page() -> tuple[str, str]:
    page = ROOT / "bot" / "playground" / "page"
    scripts, html = (
        "".join(file.read_text(encoding="utf-8") for file in sorted(page.glob(kind))) for kind in ("*.js", "*.html")
    )
    return scripts, html


def _find_keys(html: str) -> Iterator[str]:
    return iter(re.findall(r'data-say(?:-label)?="(\w+)"', html))
