"""The header and the alt text of a board's picture."""

from bot.views.alt_text import board_alt
from bot.views.names import Names
from bot.views.table import captions
from data.rulebook import rules
from data.words import words
from engine.decide import start
from engine.match import replay
from engine.seen import see
from engine.story import story_of
from tests.bot.stacked import dealt, played

LONG = "Bartholomew Montgomery the Third"


def header(*names: str) -> tuple[str, str]:
    log, _ = played(dealt(rules("triominoes"), "135 000", "123 444", by_hand=True), "U0,0=135")
    story = story_of(log)
    told = captions(see(story.match, None), story, Names(names, names), words())
    return told.subtitle, told.turn


def alt(*last: str) -> str:
    log = start(rules("triominoes"), seats=2, computers=(), by_hand=True, secret=bytes(32))
    return board_alt(words(), see(replay(log), None), ("Ada", "Grace"), last)


def test_name_in_undrawable_letters_is_the_seat_number():
    assert header("李小龍 🐉", "東京") == ("#1 opened with 1-3-5: +9 → 9", "#2 to play")


def test_long_name_is_shortened_but_not_the_score():
    assert header(LONG, LONG) == ("Bartholomew Montg… opened with 1-3-5: +9 → 9", "Bartholomew Montg… to play")


def test_alt_text_joins_sentences_without_gap_or_second_full_stop():
    assert "  " not in alt()
    assert "the round. Scores:" in alt()
    assert "Grace resigned. Scores:" in alt("**Grace** resigned.")
