"""Every game is complete: numbers, words, a row in the README."""

import pytest

from data.rulebook import list_games, load_rules
from data.words import DEFAULT_LANGUAGE, list_languages, load_words
from tests.project.sources import ROOT


@pytest.mark.parametrize("game", list_games())
def test_game_has_rules_translated_name_and_row_in_readme(game: str) -> None:
    assert load_rules(game).game == game
    assert all(load_words(language)(f"game.{game}") for language in list_languages())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| **{load_words(DEFAULT_LANGUAGE)(f'game.{game}')}** |" in readme


def test_every_game_with_name_has_rules() -> None:
    named = {key.removeprefix("game.") for key in load_words().texts if key.startswith("game.")}
    assert named == set(list_games())
