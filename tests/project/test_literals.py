"""The assertions of the tests compare values and wording keys, and test modules use public interfaces."""

from pathlib import Path

import pytest

from tests.project.sources import ROOT
from tests.tools.literals import find_imports_of_tests, find_literals, find_private_patches, is_sentence
from tests.wording import build_sentence_pattern, en

TESTS = [ROOT / "tests"]
LITERALS = 150


def test_assertions_have_few_english_sentences() -> None:
    assert len(list(find_literals(TESTS))) < LITERALS


def test_no_module_imports_test_module() -> None:
    assert list(map(str, find_imports_of_tests(TESTS))) == []


def test_no_test_patches_private_members_of_libraries() -> None:
    assert list(map(str, find_private_patches(TESTS))) == []


@pytest.mark.parametrize(
    ("text", "expected"), [("one two three", False), ("One, two: three four.", True), ("a = b * c", False)]
)
def test_sentence_is_four_words(text: str, expected: bool) -> None:
    assert is_sentence(text) is expected


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import discord\ndiscord.http._x = 1", ["discord.http._x"]),
        ("import discord\nmonkeypatch.setattr(discord.http, '_x', 1)", ["discord.http._x"]),
        ("from discord import http as web\npatch.object(web, '_x', 1)", ["web._x"]),
        ("import discord\nmonkeypatch.setattr('discord.http._x', 1)", ["discord.http._x"]),
        ("from bot.core import logs\nmonkeypatch.setattr(logs, '_x', 1)", []),
        ("import discord\ndiscord.http.x = 1", []),
    ],
)
def test_private_patch_of_library_is_found(tmp_path: Path, code: str, found: list[str]) -> None:
    (tmp_path / "test_x.py").write_text(code)
    assert [place.text for place in find_private_patches([tmp_path])] == found


def test_literal_is_found_in_assertion_and_match(tmp_path: Path) -> None:
    code = "def test_a():\n    assert x == 'one two three four'\n    raises(E, match='one two three four')\n"
    (tmp_path / "test_x.py").write_text(code)
    assert [place.line for place in find_literals([tmp_path])] == [2, 3]


def test_fact_that_sentence_does_not_have_is_refused() -> None:
    assert build_sentence_pattern("lobby.joined", host="Ada").search(en("lobby.joined", host="Ada", link="here"))
    with pytest.raises(KeyError, match="person"):
        build_sentence_pattern("lobby.joined", person="Ada")
