"""Sentences with a count use the plural form of their language."""

import subprocess
import sys
from pathlib import Path

import pytest
from discord import Locale

from data.plurals import format_forms, list_forms
from data.words import WordingError, Words, load_words, read_wording

POLISH = """
[count]
tiles = {one = "{n} kostka", few = "{n} kostki", many = "{n} kostek"}
"""


def write_file(folder: Path, text: str) -> Path:
    file = folder / "pl.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_count_uses_every_plural_form_of_language(tmp_path: Path) -> None:
    polish = Words("pl", read_wording(write_file(tmp_path, POLISH), "pl"))
    words = {n: polish("count.tiles", n=n).split()[1] for n in (0, 1, 2, 4, 5, 12, 21, 22, 104, 112, 1002)}
    few, many = dict.fromkeys((2, 4, 22, 104, 1002), "kostki"), dict.fromkeys((0, 5, 12, 21, 112), "kostek")
    assert words == {1: "kostka"} | few | many


@pytest.mark.parametrize(("n", "text"), [(0, "0 tiles"), (1, "1 tile"), (2, "2 tiles"), (21, "21 tiles")])
def test_english_has_singular_and_plural_form(n: int, text: str) -> None:
    assert load_words("en")("count.tiles", n=n) == text


@pytest.mark.parametrize(
    ("language", "needs"),
    [
        ("en", '{one = "1", other = "0, 2, 3, 4, 5, 6, …"}'),
        ("fr", '{one = "0, 1", many = "1000000, 2000000", other = "2, 3, 4, 5, 6, 7, …"}'),
        ("ru", '{one = "1, 21, 31, 41, 51, 61, …", few = "2, 3, 4, 22, 23, 24, …", many = "0, 5, 6, 7, 8, 9, …"}'),
        ("ja", '{other = "0, 1, 2, 3, 4, 5, …"}'),
    ],
)
def test_translator_hint_lists_plural_forms(language: str, needs: str) -> None:
    assert format_forms(language) == needs


def test_every_discord_language_has_plural_rules() -> None:
    assert all(list_forms(locale.value.split("-")[0]) for locale in Locale)


def test_unknown_language_is_reported_in_one_line() -> None:
    asked = subprocess.run([sys.executable, "-m", "data.plurals", "xx"], capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stderr.count("\n"), "'xx'" in asked.stderr) == (1, 1, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[count]\ntiles = ["{n} tile", "{n} tiles"]',
            "pl.toml: count.tiles must be a text, or a table of its forms like "
            """{one = "{n} tile", other = "{n} tiles"}; not ['{n} tile', '{n} tiles']""",
        ),
        ("[count]\ntiles = {one = 1}", "pl.toml: count.tiles must be a text, or a table of its forms like "),
        ('tiles = "x"', "pl.toml: tiles stands above the first section, like [game]"),
        ("[count", "pl.toml: cannot be read: "),
    ],
)
def test_invalid_text_is_refused_with_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WordingError) as refused:
        read_wording(write_file(tmp_path, text), "en")
    assert str(refused.value).startswith(message)


def test_feature_wording_file_has_one_section_per_language(tmp_path: Path) -> None:
    file = tmp_path / "coins.toml"
    file.write_text('[en.coins]\nheads = "Heads"\n[de.coins]\nheads = "Kopf"\n', encoding="utf-8")
    found = {language: read_wording(file, language, in_file_of_feature=True) for language in ("en", "de", "fr")}
    assert found == {"en": {"coins.heads": "Heads"}, "de": {"coins.heads": "Kopf"}, "fr": {}}
