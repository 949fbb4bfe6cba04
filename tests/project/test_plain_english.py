"""Docs, docstrings, comments, test names and English UI text have few odd expressions per 10,000 words.

An expression is odd if a reader who learned English at school must read the sentence twice: archaic words, vague
pronouns, and project slang for concepts with a standard name.
"""

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.project.sources import PACKAGES, ROOT

GOALS: Final = {"docs": 5, "docstrings": 5, "comments": 5, "test names": 5, "ui text": 10}
"""The highest number of odd expressions per 10,000 words, by kind of text."""
MAX_SHOWN_FILES: Final = 12  # files in a failure

# Regular expressions, separated by bars and line ends.
EXPRESSIONS: Final = r"""
who(?:m|so|mso)?ever|somebody|nobody|anybody|everybody|sitters?|villains?
told|tells|is said|was said|are said|said so|as said|say so|says so|said once|what is said|unsaid|speaks? of|spoken of
anew|afresh|hitherto|henceforth|thither|hither|whence|thence|lest|ere|whilst|amid(?:st)?|midst|aught|n[oa]ught
betwixt|thrice
(?:there|where|here)(?:by|in|of|upon|with|to|after)|therefrom|notwithstanding|beforehand|erstwhile|foremost
forthwith
ails?|ailing|dear(?:est)?|bare|scribes?|errands?|chores?|leash|parlours?|figures? for one|play-outs?
waiting room|kept seats?
owe[sd]?|owing|repaid|at leisure|meanwhile|by then|ever since|of late|of old|no sooner|for good|for ever
once for all
put right|set right|laid out|looked over|looked through|looks over|mended|mends?|given back
gives back
stands? (?:beside|below|for itself|in the way)|make(?:s|ing)? (?:way|sure of)|made (?:way|sure of)
comes? (?:of|to nothing)|came (?:of|to nothing)
(?:is|was|are|were) asked (?:for|after)|go(?:es|ing)? on|went on|gone on|held up|holds up|lies in|let(?:s)? go
lets? be
(?:of|by) its(?:elf| own)|of (?:theirs|ours|his own|her own|their own)|by themselves|(?:as|so) it (?:is|was)
be it|such as are
that which|those which|one that|ones that|those that|none such|no such one|no more of
nor (?:is|are|was|does|do|has)
not so|not a word|to be had|in vain|by halves|save for|somewhat|whole of it
(?:is|was|are|were) (?:begun|bidden|borne|beheld|bound to be)|a quicker one|somebody was quicker
beside each other|beside one another
"""
PATTERN: Final = re.compile(rf"\b(?:{'|'.join(EXPRESSIONS.strip().splitlines())})\b", re.IGNORECASE)
CODE: Final = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)\s]*\)", re.DOTALL)
WORD: Final = re.compile(r"[A-Za-z']+")


@dataclass(slots=True)
class Tally:
    """The words of one kind of text, and the odd expressions by file."""

    words: int = 0
    hits_by_file: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, path: Path, text: str) -> None:
        plain = CODE.sub(" ", text)
        self.words += len(WORD.findall(plain))
        if hits := find_odd_expressions(plain):
            self.hits_by_file[path.relative_to(ROOT).as_posix()].update(hits)

    @property
    def rate(self) -> float:
        return 10_000 * sum(hits.total() for hits in self.hits_by_file.values()) / max(self.words, 1)

    def format_worst_files(self) -> str:
        """Return one line per file, with the files that have most odd expressions first."""
        files = sorted(self.hits_by_file.items(), key=lambda one: -one[1].total())[:MAX_SHOWN_FILES]
        return "\n".join(
            f"{hits.total():5} {name}: {', '.join(word for word, _ in hits.most_common(5))}" for name, hits in files
        )


def find_odd_expressions(text: str) -> list[str]:
    """Return the odd expressions of a text in lower case and in order."""
    return [" ".join(found.lower().split()) for found in PATTERN.findall(" ".join(text.split()))]


@cache
def count_all() -> dict[str, Tally]:
    """Return the tally of every kind of text in the repository."""
    tallies = {kind: Tally() for kind in GOALS}
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        tallies["docs"].add(path, path.read_text(encoding="utf-8"))
    for folder in (*PACKAGES, "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for kind, text in _iterate_texts(path.read_text(encoding="utf-8")):
                tallies[kind].add(path, text)
    for path in sorted((ROOT / "data").rglob("en.toml")):
        for text in _iterate_strings(tomllib.loads(path.read_text(encoding="utf-8"))):
            tallies["ui text"].add(path, text)
    return tallies


def _iterate_texts(source: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each docstring, test name and comment; lines of a block comment are joined."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield "docstrings", node.value.value
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield "test names", node.name.replace("_", " ")
    block, last = list[str](), -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield "comments", " ".join(block)
                block = []
            block.append(token.string.lstrip("#! "))
            last = token.start[0]
    yield "comments", " ".join(block)


def _iterate_strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _iterate_strings(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("kind", GOALS)
def test_text_has_few_odd_expressions(kind: str) -> None:
    tally = count_all()[kind]
    assert tally.words > 5_000, "the files were not found"
    assert tally.rate <= GOALS[kind], f"{tally.rate:.1f} per 10,000 words of {kind}\n{tally.format_worst_files()}"


def test_odd_expression_is_found_in_any_case_and_across_lines() -> None:
    assert find_odd_expressions("Whoever plays is told\nanew, and the match goes\non.") == [
        "whoever",
        "told",
        "anew",
        "goes on",
    ]


def test_plain_sentence_has_no_odd_expression() -> None:
    assert find_odd_expressions("The bot posts the reminder once, and the player can ignore it.") == []


def test_odd_word_in_code_is_not_counted() -> None:
    tally = Tally()
    tally.add(ROOT / "README.md", "Call `told()` and read [the page](docs/whoever.md).")
    assert not tally.hits_by_file


def test_comment_of_two_lines_is_one_text() -> None:
    source = "# The match goes\n# on.\nx = 1  # a reason\n"
    assert [text for kind, text in _iterate_texts(source) if text] == ["The match goes on. a reason"]
