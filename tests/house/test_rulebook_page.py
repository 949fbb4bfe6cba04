"""The rulebook page names every game, every option and every value that can be chosen."""

import pytest

from data.rulebook import games, rules
from engine.errors import Why
from tests.house.sources import ROOT

PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", games())
def test_every_option_of_a_game_stands_in_the_rulebook(game: str) -> None:
    table = rules(game)
    for name in table.options():
        assert f"`{name}`" in PAGE, name
    for name, values in table.readings().items():
        missing = [value for value in values if f"`{value}`" not in PAGE]
        assert not missing, name


def test_the_rulebook_names_the_reasons_that_a_placement_can_be_refused_for() -> None:
    placing = [why for why in Why if why.name in PAGE]
    assert len(placing) >= 12
