"""Every game is complete: numbers, words, a row in the README."""

import pytest

from data.rulebook import games, rules
from data.words import FALLBACK, languages, words
from tests.project.sources import ROOT


@pytest.mark.parametrize("game", games())
def test_game_has_rules_translated_name_and_row_in_readme(game: str) -> None:
    assert rules(game).game == game
    assert all(words(language)(f"game.{game}") for language in languages())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| **{words(FALLBACK)(f'game.{game}')}** |" in readme


def test_every_game_with_name_has_rules() -> None:
    named = {key.removeprefix("game.") for key in words().texts if key.startswith("game.")}
    assert named == set(games())
