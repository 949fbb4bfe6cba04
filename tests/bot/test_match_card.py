"""The words of the picture at the end of a match, and its alt text."""

from dataclasses import replace

import pytest

from bot.views.match_card import MatchCard
from bot.views.names import Names
from data.rulebook import rules
from data.words import words
from engine.board import Placement
from engine.decide import start
from engine.events import MatchEnded, Placed
from engine.lattice import TRIANGLES
from engine.seen import see
from engine.story import Story, Told, story_of

NAMES = Names(("Ada *the* Great", "Björn"), ("Ada", "Björn"))


def story(*points: int, totals: tuple[int, int], places: tuple[int, int]) -> Story:
    """A match of two in which Ada's placements brought these points."""
    told = story_of(start(rules("triominoes"), seats=2, computers=(), by_hand=False, secret=bytes(32)))
    total = 0
    for made in points:
        total += made
        event = Placed(0, (0, 2, 5), TRIANGLES.first, 0, made, int(made > 50), False, 0, 0, made)
        told.told.append(Told(event, 1, (total, 0), False))
    told.match.board.place(Placement((0, 2, 5), TRIANGLES.first, 0))
    told.match.ended = MatchEnded(totals, places, "")
    for seat, total in zip(told.match.seats, totals, strict=True):
        seat.total = total
    return told


@pytest.mark.parametrize(
    ("language", "title", "move"),
    [
        ("en-US", "Ada *the* Great wins", "The decisive move: 0-2-5 closes a hexagon, +57, from 340 to 397"),
        ("de", "Ada *the* Great gewinnt", "Der entscheidende Zug: 0-2-5 schließt ein Sechseck, +57, von 340 auf 397"),
    ],
)
def test_the_alt_text_says_who_won_and_by_which_move(language: str, title: str, move: str) -> None:
    told = story(340, 57, totals=(397, 375), places=(1, 2))
    told.told[0] = replace(told.told[0], event=replace(told.told[0].event, points=9))  # type: ignore[call-overload]
    alt = MatchCard(see(told.match, None), told, NAMES, words(language)).alt()
    assert alt.startswith(title)
    assert move in alt
    assert "1. Ada *the* Great" in alt
    assert "2. Björn" in alt


def test_a_shared_win_is_nobodys_lead_and_its_picture_is_drawn() -> None:
    told = story(20, totals=(20, 20), places=(1, 1))
    card = MatchCard(see(told.match, None), told, NAMES, words())
    assert "share the win" in card.alt()
    assert "ahead" not in card.alt()
    assert card.picture(theme="classic", scheme="dark").width == 1200
