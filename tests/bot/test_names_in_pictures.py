"""Names that no font here has: the picture shows a number, and the message beside it says whose it is."""

from __future__ import annotations

import pytest

from tests.bot.house import House
from tests.bot.reading import private, words_of
from tests.render.scripts import bare, furnished
from tests.wording import says

__all__ = ["bare", "furnished"]


@pytest.mark.usefixtures("bare")
async def test_a_number_in_the_picture_is_explained_beside_it(house: House) -> None:
    ada, hanako = house.person("Ada"), house.person("田中*太郎")
    await house.table(ada, hanako)
    assert says(words_of(house.board()), "board.numbered", list="#2 田中\\*太郎")
    hand = private(await ada.click(house.board(), label="My hand"))
    assert says(words_of(hand), "board.numbered", list="#2 田中\\*太郎")


@pytest.mark.usefixtures("furnished")
async def test_where_the_name_is_drawn_there_is_nothing_to_explain(house: House) -> None:
    await house.table(house.person("Ada"), house.person("田中さん"))
    assert "in the picture" not in words_of(house.board())
