"""In a menu no two moves read the same: each says where the tile goes, and how it lies where that is a choice."""

from __future__ import annotations

import random

import pytest

from bot.views.hand import move_options
from data.rulebook import games, rules
from data.words import languages, words
from engine.decide import decide, start
from engine.seen import see
from engine.story import story_of
from tests.bot.house import secret
from tests.bot.stacked import some_action


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", games())
def test_no_two_moves_of_a_menu_read_the_same(game: str, language: str) -> None:
    said, rng, deal = words(language), random.Random(11), secret(11)
    story = story_of(start(rules(game), seats=2, computers=[], by_hand=True, secret=deal))
    read = 0
    for _ in range(40):
        if story.match.ended:
            break
        seen = see(story.match, story.match.turn)
        options = move_options(said, seen, seen.moves[:60], rng.choice(["classic", "picture"]))
        # A letter tells places apart on the board of now alone, and nobody hears a picture: the words do it too.
        told = [(one.label.split(" → ")[0], one.description) for one in options]
        assert len(set(told)) == len(told)
        assert all(len(one.label) <= 100 and len(one.description or "") <= 100 for one in options)
        read += len(options)
        for event in decide(story.match, some_action(story.match, rng), deal):
            story.tell(event)
    assert read > 40
