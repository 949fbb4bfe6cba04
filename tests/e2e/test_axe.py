"""Accessibility checks by axe in every state of the page, in wide and narrow windows and both color schemes."""

import re
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Browser, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import DESKTOP, PHONE, Tab, open_tab

AXE = AXE_FILE_PATH.read_text(encoding="utf-8")
RUN = "() => axe.run(document, { resultTypes: ['violations'] })"


async def list_violations(one: Tab, scene: str) -> list[str]:
    if not await one.page.evaluate("'axe' in window"):
        await one.page.evaluate(AXE)
    found: dict[str, Any] = await one.page.evaluate(RUN)
    assert len(found["passes"]) > 10
    return [f"{scene}: {it['impact']} {it['id']} {it['nodes'][0]['html'][:200]}" for it in found["violations"]]


@pytest.mark.parametrize(("screen", "scheme"), [("desktop", "dark"), ("phone", "light")])
async def test_axe_finds_nothing_in_any_state(
    browser: Browser, playground: Playground, screen: str, scheme: str
) -> None:
    size, name = (DESKTOP, "Grace") if screen == "desktop" else (PHONE, "Linus")
    found: list[str] = []
    async with open_tab(browser, playground.address, name, size=size, color_scheme=scheme) as one:
        page = one.page

        async def check_scene(scene: str) -> None:
            found.extend(await list_violations(one, f"{scene} {screen} {scheme}"))

        if screen == "phone":
            for drawer in ("Players", "Channels"):
                await page.get_by_role("button", name=drawer, exact=True).click()
                await check_scene(drawer)
                await one.press_keys("Escape")
        await check_scene("the first sight")
        await one.send_command("/tiles new computers:1 target:50 thread:true")
        await page.get_by_role("button", name=re.compile("^Go to")).last.click()
        turn = await MatchDriver([one]).wait_for_turn()
        hand = await moves.open_hand(*turn)
        await check_scene("a board and a hand")
        await hand.get_by_test_id("button").first.evaluate("button => button.setAttribute('aria-busy', 'true')")
        await check_scene("a button that waits for the bot")
        await hand.get_by_test_id("select").first.click()
        await check_scene("an open menu")
        await page.get_by_test_id("select-option").first.click()
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_be_visible()
        await check_scene("a move to confirm")
        await one.type_text("/tiles play ")
        await expect(one.suggestions.first).to_contain_text(moves.POINTS)
        await check_scene("suggestions")
        await one.press_keys("Escape", "Escape", "Escape")
        await hand.get_by_test_id("picture").click(position={"x": 8, "y": 8})
        await expect(page.get_by_test_id("alt-text")).to_be_visible()
        await check_scene("a large picture")
        await one.press_keys("Escape")
        await one.send_command("/tiles help ")
        await one.send_command("/tiles leaderboard ")
        await expect(one.find_message("Leaderboard")).to_be_visible()
        await check_scene("help and a leaderboard")
        await one.send_command("/tiles board text:True")
        await expect(one.private_messages.last).to_contain_text("Your tiles:")
        await check_scene("a board in words")
    assert found == []


async def test_axe_finds_nothing_while_bot_is_disconnected(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Ada") as ada:
        bots = await playground.kill_bot()
        await expect(ada.page.locator("#banner")).not_to_be_empty()
        assert await list_violations(ada, "starting") == []
        await playground.wait_for_bot(bots)
        await ada.wait_until_ready()
