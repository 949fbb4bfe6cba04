"""Words of options that meant something else once: `blocked_bonus: none` was what is `lose_own` today."""

from pathlib import Path

import pytest

from data.rulebook import rules
from engine.events import Started
from engine.record import RecordDamaged, read, rerun, write
from tests.engine.readings import reading
from tests.engine.test_record import deal_of

APP = (Path(__file__).parents[1] / "golden" / "triominoes-app.txt").read_text(encoding="utf-8")
"""A match under a preset in which everybody loses what they hold when a round is blocked."""
OF_OLD = APP.replace("blocked_bonus: lose_own", "blocked_bonus: none")
"""The same, as it was written when this was called otherwise."""
TOLD = "boneyard record 1\ngame: triominoes\nblocked_bonus: none\n{}seats: 2\n" + "\n".join(deal_of(reading()))


def test_a_record_from_before_keeps_its_meaning_and_is_written_in_the_words_of_today():
    record = read(OF_OLD, rules)

    assert OF_OLD != APP
    assert record.header.rules == reading(preset="app")
    assert rerun(record).faults == []
    assert record.events == read(APP, rules).events
    assert "blocked_bonus: lose_own" in write(record.events, rules("triominoes"))


@pytest.mark.parametrize(
    ("edition", "meant"), [("", "lose_own"), ("edition: 1\n", "lose_own"), ("edition: 2\n", "none")]
)
def test_the_edition_says_what_a_word_means(edition: str, meant: str):
    assert read(TOLD.format(edition), rules).header.rules == reading(f"blocked_bonus={meant}")


def test_a_record_says_its_edition_where_a_word_means_something_else_than_it_did():
    started = Started(reading("blocked_bonus=none"), 2, (), False, "")

    assert "\nblocked_bonus: none\nedition: 2\n" in write([started], rules("triominoes"))
    for value in ("differences", "others_minus_own", "lose_own"):
        assert "edition" not in write(
            [Started(reading(f"blocked_bonus={value}"), 2, (), False, "")], rules("triominoes")
        )


def test_an_edition_that_is_not_known_is_refused_with_its_line():
    with pytest.raises(RecordDamaged) as damaged:
        read(TOLD.format("edition: 3\n"), rules)

    assert (damaged.value.line, damaged.value.reason) == (4, "edition is 1 or 2, not '3'")
