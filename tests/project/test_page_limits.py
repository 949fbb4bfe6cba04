"""Documents stay short, and every page and decision is in its index."""

import re

import pytest

from tests.project.pages import DECISIONS, DOCS, count_words, list_decisions, list_docs, list_missing_sections
from tests.project.sources import ROOT

MAX_PAGE_WORDS = {
    "reference/commands.md": 3500,
    "reference/rules.md": 2500,
    "explanation/performance.md": 1500,
    "explanation/reliability.md": 1500,
}


def test_docs_have_at_most_40_000_words() -> None:
    assert sum(map(count_words, list_docs())) <= 40_000


def test_readme_has_at_most_600_words() -> None:
    assert count_words(ROOT / "README.md") <= 600


@pytest.mark.parametrize(("page", "most"), MAX_PAGE_WORDS.items())
def test_page_is_not_too_long(page: str, most: int) -> None:
    assert count_words(DOCS / page) <= most


def test_guides_and_tutorials_have_at_most_1000_words() -> None:
    pages = [page for folder in ("tutorials", "how-to") for page in (DOCS / folder).glob("*.md")]
    assert len(pages) > 10
    assert {page.name for page in pages if count_words(page) > 1000} == set()


def test_there_are_at_most_50_decisions() -> None:
    assert 0 < len(list_decisions()) <= 50


def test_every_decision_has_all_sections() -> None:
    assert {page.name: missing for page in list_decisions() if (missing := list_missing_sections(page))} == {}


def test_index_lists_every_decision_once() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([0-9][^)#]*\.md)\)", index)
    assert sorted(listed) == [page.name for page in list_decisions()]


def test_index_lists_every_page() -> None:
    pages = {page for page in list_docs() if page.parent != DECISIONS} | {DECISIONS / "README.md"}
    targets = re.findall(r"\]\(([^)#\s]+\.md)", (DOCS / "README.md").read_text(encoding="utf-8"))
    assert {(DOCS / target).resolve() for target in targets} == pages - {DOCS / "README.md"}
