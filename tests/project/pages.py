"""Count the words of the documents and check the form of decisions."""

import re
from pathlib import Path

from tests.project.sources import ROOT

DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"
SECTIONS = ("Status", "Date", "Context", "Decision", "Consequences")
"""What every decision record has, as a heading or at the start of a line."""


def count_words(page: Path) -> int:
    """Return the number of words of a page. Signs without a letter or digit, such as table borders, do not count."""
    return sum(bool(re.search(r"\w", word)) for word in page.read_text(encoding="utf-8").split())


def list_docs() -> list[Path]:
    """Return all pages in `docs`, decisions included."""
    return sorted(DOCS.rglob("*.md"))


def list_decisions() -> list[Path]:
    return sorted(DECISIONS.glob("[0-9]*.md"))


def list_missing_sections(decision: Path) -> list[str]:
    """Return the sections that a decision record lacks."""
    text = decision.read_text(encoding="utf-8")
    return [name for name in SECTIONS if not re.search(rf"^(?:#+ |[-*] |\*\*)*{name}\b", text, re.MULTILINE)]
