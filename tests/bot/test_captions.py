"""The header of a picture: who is to move and what was played, whatever people are called."""

from bot.views.names import Names
from bot.views.table import captions
from data.rulebook import rules
from data.words import words
from engine.seen import see
from engine.story import story_of
from tests.bot.stacked import dealt, played

LONG = "Bartholomew Montgomery the Third"


def header(*names: str) -> tuple[str, str]:
    """What was played, and who is to move."""
    log, _ = played(dealt(rules("triominoes"), "135 000", "123 444", by_hand=True), "U0,0=135")
    story = story_of(log)
    told = captions(see(story.match, None), story, Names(names, names), words())
    return told.subtitle, told.turn


def test_a_name_in_letters_that_cannot_be_drawn_is_the_number_of_the_seat():
    assert header("李小龍 🐉", "東京") == ("#1 opened with 1-3-5: +9 → 9", "#2 to play")


def test_a_long_name_is_shortened_and_never_what_was_scored():
    played_, turn = header(LONG, LONG)
    assert (played_, turn) == ("Bartholomew Montg… opened with 1-3-5: +9 → 9", "Bartholomew Montg… to play")
