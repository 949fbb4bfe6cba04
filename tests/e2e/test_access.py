"""Accessibility of the page: phones, keyboard, and screen readers."""

import re

from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, open_phone, open_tab

NAMELESS_ELEMENT = re.compile(
    r"^\s*- (?:button|link|combobox|textbox|option|listbox|img|dialog)(?! \").*$", re.MULTILINE
)
MIN_TOUCH_SIZE = 40  # CSS pixels


async def test_phone_page_fits_screen_and_controls_are_reachable(browser: Browser, playground: Playground) -> None:
    phone = open_phone(browser, playground.address, "Grace")
    async with phone as grace:
        page = grace.page
        await expect(page.get_by_test_id("channel-games-night")).not_to_be_in_viewport()
        await page.get_by_role("button", name="Players", exact=True).tap()
        await expect(page.get_by_test_id("person-Linus")).to_be_in_viewport()
        await page.get_by_role("button", name="Close the player list").tap()
        await page.get_by_role("button", name="Channels", exact=True).tap()
        await expect(page.get_by_test_id("channel-games-night")).to_be_in_viewport()
        await page.get_by_test_id("channel-games-night").tap()
        await expect(page.locator("#channel-name")).to_have_text("games-night")
        await expect(page.get_by_test_id("channel-tiles")).not_to_be_in_viewport()

        await page.get_by_test_id("commands").tap()
        await page.get_by_test_id("suggestion").filter(has_text="/tiles new").tap()
        await page.get_by_test_id("suggestion").filter(has_text=re.compile("^computers")).tap()
        await grace.page.keyboard.type("1")
        await page.get_by_test_id("send").tap()

        turn = await MatchDriver([grace]).wait_for_turn()
        await turn[1].get_by_role("button", name="My hand").tap()
        hand = grace.private_messages.filter(has_text="Your turn").last
        await expect(hand).to_be_visible()
        await hand.get_by_test_id("select").tap()
        for control in (grace.page.get_by_test_id("select-option").first, *await hand.get_by_role("button").all()):
            await assert_reachable(control)
        await page.get_by_test_id("select-option").first.tap()
        await hand.get_by_role("button", name=moves.PLAY).tap()
        await expect(hand).to_contain_text(moves.PLAYED)
        assert await page.evaluate("document.scrollingElement.scrollWidth") == PHONE["width"]
        assert await page.evaluate("document.scrollingElement.scrollHeight") == PHONE["height"]


async def assert_reachable(control: Locator) -> None:
    await control.scroll_into_view_if_needed()
    box = await control.bounding_box()
    small_controls = {"Dismiss message"}  # a link inside a line of text that is tall enough
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] >= MIN_TOUCH_SIZE or await control.inner_text() in small_controls


async def test_every_element_has_accessible_name_and_landmark(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Linus") as linus:
        page = linus.page
        await linus.send_command("/tiles new seats:2 computers:1 thread:true")
        await page.get_by_role("button", name=re.compile("^Go to")).last.click()
        turn = await MatchDriver([linus]).wait_for_turn()
        hand = await moves.open_hand(linus, turn[1])
        await linus.send_command("/tiles leaderboard ")
        await expect(linus.find_message("Leaderboard")).to_be_visible()
        await hand.get_by_test_id("select").click()
        await assert_accessible_names(linus)
        await linus.press_keys("Escape")
        await linus.type_text("/tiles play ")
        await expect(linus.suggestions.first).to_contain_text(moves.POINTS)
        await assert_accessible_names(linus)
        await linus.board.get_by_test_id("picture").click()
        await expect(page.get_by_test_id("alt-text")).to_contain_text("Scores: ")
        await assert_accessible_names(linus)

        assert await page.get_by_role("heading", level=1).count() <= 1
        assert await page.evaluate("document.querySelectorAll('h1').length") == 1
        for landmark in ("main", "nav", "aside"):
            assert await page.locator(f"body {landmark}").count() == 1
        assert await page.evaluate("document.documentElement.lang") == "en"


async def assert_accessible_names(one: Tab) -> None:
    tree = await one.page.locator("body").aria_snapshot()
    assert "- button" in tree
    assert NAMELESS_ELEMENT.findall(tree) == []
    ids = await one.page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
    pictures = (
        "(all) => all.filter((one) => !one.hasAttribute('alt') || (!one.alt && !one.src.endsWith('.svg'))).length"
    )
    assert await one.page.locator("img").evaluate_all(pictures) == 0
