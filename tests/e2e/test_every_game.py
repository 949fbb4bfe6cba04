"""Every game against the computer on a phone, with buttons and menus."""

import itertools
import re

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, open_tab

TABLES = {
    "Triominoes": "computers:2 target:50",
    "Quad-Ominos": "computers:2 target:60 options:deal=half theme:picture",
    "Points": "computers:5",
    "Muggins": "computers:5",
    "Star": "computers:5",
    "Trioker": "computers:3",
}

MAX_PRESSES = {"Quad-Ominos": 2.0, "Star": 1.6}


async def start_match(ada: Tab, game: str) -> tuple[MatchDriver, tuple[Tab, Locator]]:
    """Start a match and return the mention of Ada. Start another one if computers end it before her first turn."""
    while True:
        before = await ada.public_messages.filter(has_text=moves.FINAL_TEXT).count()
        await ada.send_command(f"/tiles new game:{game} {TABLES[game]}")
        await expect(ada.board).to_contain_text(game)
        match = MatchDriver([ada], ended_matches=before, pause=0.8)
        turn = await match.wait_for_turn()
        if turn is not None:
            return match, turn


@pytest.mark.parametrize("game", TABLES)
async def test_every_game_can_be_played_on_phone(browser: Browser, playground: Playground, game: str) -> None:
    async with open_tab(browser, playground.address, "Ada", size=PHONE) as ada:
        await ada.wait_until_ready()
        match, turn = await start_match(ada, game)
        assert await moves.play_best_moves(await moves.open_hand(*turn)) <= MAX_PRESSES.get(game, 1.3)
        await match.play(itertools.repeat(moves.move_by_clicking))

        end = ada.public_messages.filter(has_text=moves.FINAL_TEXT).last
        await expect(ada.private_messages.last).to_contain_text(await end.get_by_role("heading").inner_text())
        await expect(end).to_contain_text(re.compile(rf"{game}: .+ (wins|share the win)"))
        await expect(end).to_contain_text(re.compile(r"Ada · −?\d+ points?"))
        await expect(end.get_by_test_id("picture")).to_be_visible()

        if game == next(iter(TABLES)):
            await ada.send_command("/tiles history")
            page = ada.private_messages.last
            await expect(page).to_contain_text(re.compile(r"Your matches.*\d match", re.DOTALL))
            await page.get_by_test_id("select").first.click()
            await ada.page.get_by_test_id("select-option").first.click()
            await expect(ada.private_messages.last.get_by_test_id("picture")).to_be_visible()
            await ada.click_button(ada.private_messages.last, "Back to list")
            await expect(ada.private_messages.last).to_contain_text("Your matches")
