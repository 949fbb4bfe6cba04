"""Hostile names are displayed literally on the page."""

from playwright.async_api import Browser, expect

from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, open_tab
from tests.playground.page_user import PageUser

LINKED = "https://e.vil/||**__~~`x"
TURNED = "\u05d0\u05d1\u05d2 <b>*1*"


async def test_hostile_names_are_displayed_literally_on_board(browser: Browser, playground: Playground) -> None:
    async with (
        PageUser(playground.address, LINKED),
        PageUser(playground.address, TURNED),
        open_tab(browser, playground.address, LINKED, size=PHONE) as ada,
        open_tab(browser, playground.address, TURNED, size=PHONE) as grace,
    ):
        await ada.send_command("/tiles new seats:2")
        lobby = grace.find_message("opened a table")
        await expect(lobby).to_contain_text("https: e.vil/||**__~~`x opened a table")
        await grace.click_button(lobby, "Join")
        await expect(grace.board).to_be_visible()
        board = grace.board
        await expect(board).to_contain_text("'s turn")
        text = await board.inner_text()
        assert "https: e.vil/||**__~~`x" in text or "\u2068\u05d0\u05d1\u05d2 <b>*1*\u2069" in text
        for made in ("a", ".spoiler", "s", "u", "em", ".markdown b"):
            await expect(board.locator(f".markdown {made}" if "." not in made else made)).to_have_count(0)
        assert ada.console_errors == grace.console_errors == []
