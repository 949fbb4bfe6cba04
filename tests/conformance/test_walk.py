"""Texts of a walk exist in every language, are in that language, and contain no identifier."""

import re

from data.words import list_languages
from tests.conformance import chapters, refusing
from tests.conformance.walk import CHAPTERS, beside, walk_all
from tests.depth import scaled

CODE = re.compile(r"(?<!«\xa0)(?<![`“„«\w/=:|])[a-z]+_[a-z_]+(?!`)")


WALKED = ["en", "de", *(one for one in list_languages() if one not in ("en", "de"))][: scaled(2)]


def test_every_text_of_walk_is_translated_without_identifiers() -> None:
    walks = walk_all(WALKED, ["refusals", "with_shapes"])
    texts = [found for _, found in beside(walks)]
    assert len(texts) > 120
    assert [found for found in texts if len(found) < len(walks)] == []
    worded = [found for found in texts if len(re.findall(r"[^\W\d_]{3,}", found["en"])) > 3]
    assert len(worded) > 50
    foreign = [(one, text["en"]) for text in worded for one in WALKED if one != "en" and text[one] == text["en"]]
    assert foreign == [], "one language speaks another"
    assert [text for found in texts for text in found.values() if CODE.search(text.partition("://")[0])] == []


def test_chapters_that_leave_other_settings_come_last() -> None:
    assert tuple(CHAPTERS.values()) == (*chapters.CHAPTERS, *refusing.CHAPTERS, *chapters.LAST)
