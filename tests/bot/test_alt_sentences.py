"""The sentences of an alt text, where there is little to tell."""

from __future__ import annotations

from bot.views.alt_text import board_alt
from data.rulebook import rules
from data.words import words
from engine.decide import start
from engine.match import replay
from engine.seen import see

NAMES = ("Ada", "Grace")


def alt(*last: str) -> str:
    log = start(rules("triominoes"), seats=2, computers=(), by_hand=True, secret=bytes(32))
    return board_alt(words(), see(replay(log), None), NAMES, last)


def test_where_nothing_has_happened_yet_no_gap_is_left() -> None:
    assert "  " not in alt()
    assert "opens the round. Scores: Ada 0" in alt()


def test_a_sentence_that_has_its_full_stop_gets_no_second_one() -> None:
    assert "Grace resigned. Scores:" in alt("**Grace** resigned.")
