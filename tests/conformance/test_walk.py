"""The texts of all scenes exist in every language, are in that language, and contain no identifier."""

import re

from data.words import list_languages
from tests.conformance import chapters, refusing
from tests.conformance.walk import CHAPTERS, iterate_translations, record_languages
from tests.depth import scale_count

IDENTIFIER = re.compile(r"(?<!«\xa0)(?<![`“„«\w/=:|])[a-z]+_[a-z_]+(?!`)")


LANGUAGES = ["en", "de", *(one for one in list_languages() if one not in ("en", "de"))][: scale_count(2)]


def test_every_text_of_walk_is_translated_without_identifiers() -> None:
    recordings = record_languages(LANGUAGES, ["refusals", "with_shapes"])
    texts = [found for _, found in iterate_translations(recordings)]
    assert len(texts) > 120
    assert [found for found in texts if len(found) < len(recordings)] == []
    sentences = [found for found in texts if len(re.findall(r"[^\W\d_]{3,}", found["en"])) > 3]
    assert len(sentences) > 50
    foreign = [(one, text["en"]) for text in sentences for one in LANGUAGES if one != "en" and text[one] == text["en"]]
    assert foreign == [], "one language speaks another"
    assert [text for found in texts for text in found.values() if IDENTIFIER.search(text.partition("://")[0])] == []


def test_chapters_that_change_settings_come_last() -> None:
    assert tuple(CHAPTERS.values()) == (*chapters.CHAPTERS, *refusing.CHAPTERS, *chapters.LAST_CHAPTERS)
