"""A person's card."""

import pytest

from render import profile_card
from render.theme import DARK
from tests.render.pixels import count, ivory, rgb

FACTS = [("Rating", "1532 ± 61"), *((f"Label {number}", str(number)) for number in range(20))]


@pytest.mark.parametrize("facts", [0, 1, 2, 4, 5, 7, 9, 13])
def test_a_card_is_as_high_as_its_facts_need(facts: int) -> None:
    picture = profile_card("Ada", "Three servers", FACTS[:facts])
    image = rgb(picture)
    small = max(0, facts - 1)
    assert picture.height == 342 + 132 * -(-small // 4)
    assert (count(image, DARK.slot) > 50_000) == (small > 0)
    assert (count(image, DARK.accent) > 1000) == (facts > 0)


@pytest.mark.parametrize("text", ["", "🦊", "W" * 300, "田中", "\u202eAda"])
def test_any_text_can_be_drawn(text: str) -> None:
    image = rgb(profile_card(text, text, [(text, text)] * 7))
    # The emblem at the right is never written over.
    assert ivory(image, (850, 30, 1160, 310)) > 10_000
