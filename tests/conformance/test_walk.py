"""What is said to people on a walk is there in every language, is said in that language, and has no code in it."""

from __future__ import annotations

import re

from data.words import languages
from tests.conformance.walk import beside, walk_all

CODE = re.compile(r"(?<![`“„\w/=:|])[a-z]+_[a-z_]+(?!`)")
"""A name of the program's own, such as `hexagon_scale`, where it does not stand as something to type."""


def test_everything_on_a_walk_is_said_in_every_language_and_in_words() -> None:
    walks = walk_all(languages(), ["refusals", "with_shapes"])
    texts = [found for _, found in beside(walks)]
    assert len(texts) > 120
    assert [found for found in texts if len(found) < len(walks)] == []
    worded = [found for found in texts if len(re.findall(r"[^\W\d_]{3,}", found["en"])) > 3]
    assert len(worded) > 50
    assert [found for found in worded if len(set(found.values())) < len(found)] == [], "one language speaks another"
    assert [text for found in texts for text in found.values() if CODE.search(text.partition("://")[0])] == []
