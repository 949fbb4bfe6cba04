"""Numbers are written as each language writes them, not as Python does."""

import pytest

from bot.core.formats import GroupedNumber, format_share, format_tenths
from data.words import list_languages, load_words

WRITTEN = {
    "en": ("1,234,567", "42%", "0.3"),
    "de": ("1.234.567", "42\xa0%", "0,3"),
    "es": ("1.234.567", "42\xa0%", "0,3"),
    "nl": ("1.234.567", "42%", "0,3"),
    "pl": ("1\xa0234\xa0567", "42%", "0,3"),
    "pt": ("1.234.567", "42%", "0,3"),
}


@pytest.mark.parametrize("language", WRITTEN)
def test_numbers_percentages_and_tenths_follow_language(language: str) -> None:
    words = load_words(language)
    assert (f"{GroupedNumber(1234567, language)}", format_share(words, 0.429), format_tenths(words, 0.31)) == WRITTEN[
        language
    ]


def test_french_numbers_use_non_breaking_spaces() -> None:
    # CLDR versions use different non-breaking spaces.
    spaces = set(f"{GroupedNumber(1234567, 'fr')}{format_share(load_words('fr'), 0.42)}") - set("1234567%")
    assert spaces <= {"\u202f", "\xa0"}


@pytest.mark.parametrize("language", list_languages())
def test_percentages_in_texts_follow_language(language: str) -> None:
    words = load_words(language)
    written = format_share(words, 0.42)
    found = words("rivals.of_win", n=42)
    assert written in found or written.replace("\u202f", "\xa0") in found
