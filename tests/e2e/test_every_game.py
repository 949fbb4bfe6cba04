"""Every game against the computer on a phone, with buttons and menus."""

import itertools
import re

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.moves import Course
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, tab

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]

TABLES = {
    "Triominoes": "computers:2 target:50",
    "Quad-Ominos": "computers:2 target:60 options:deal=half theme:picture",
    "Points": "computers:5",
    "Muggins": "computers:5",
    "Star": "computers:5",
    "Trioker": "computers:3",
}


async def first_call(ada: Tab, game: str) -> tuple[Course, tuple[Tab, Locator]]:
    """Start a match and return the mention of Ada. Start another one if computers end it before her first turn."""
    while True:
        before = await ada.messages.filter(has_text=moves.OVER).count()
        await ada.command(f"/tiles new game:{game} {TABLES[game]}")
        await expect(ada.board).to_contain_text(game)
        match = Course([ada], before=before, pause=0.8)
        called = await match.call()
        if called is not None:
            return match, called


@pytest.mark.parametrize("game", TABLES)
async def test_every_game_can_be_played_on_phone(browser: Browser, playground: Playground, game: str) -> None:
    scene = game.lower()
    async with tab(browser, playground.address, "Ada", size=PHONE) as ada:
        await ada.settled()
        match, called = await first_call(ada, game)
        hand = await moves.opened_hand(*called)
        await ada.look(f"{scene}-hand-phone", hand)
        await moves.pressed_through(ada, hand)

        await match.play(itertools.repeat(moves.by_pressing), 3)
        await ada.look(f"{scene}-board-phone", ada.board)
        await match.play(itertools.repeat(moves.by_pressing))

        end = ada.said(moves.OVER)
        await expect(end).to_contain_text(re.compile(rf"{game}: .+ (wins|share the win)"))
        await expect(end).to_contain_text(re.compile(r"Ada · −?\d+ points?"))
        await expect(end.get_by_test_id("picture")).to_be_visible()
        await ada.look(f"{scene}-end-phone", end)

        if game == next(iter(TABLES)):
            await ada.command("/tiles history")
            page = ada.private.last
            await expect(page).to_contain_text(re.compile(r"Your matches.*\d match", re.DOTALL))
            await ada.look("history-phone", page)
            await page.get_by_test_id("select").first.click()
            await ada.page.get_by_test_id("select-option").first.click()
            await expect(ada.private.last.get_by_test_id("picture")).to_be_visible()
            await ada.look("past-phone", ada.private.last)
            await ada.press(ada.private.last, "Back to list")
            await expect(ada.private.last).to_contain_text("Your matches")
