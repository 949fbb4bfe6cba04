"""Accessibility checks by axe in every state of the page, in wide and narrow windows and both color schemes."""

import re
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Browser, expect

from tests.e2e import moves
from tests.e2e.moves import Course
from tests.e2e.playground import Playground
from tests.e2e.tab import DESKTOP, PHONE, Tab, tab

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]

AXE = AXE_FILE_PATH.read_text(encoding="utf-8")
RUN = "() => axe.run(document, { resultTypes: ['violations'] })"


async def finds(one: Tab, scene: str) -> list[str]:
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
    async with tab(browser, playground.address, name, size=size, color_scheme=scheme) as one:
        page = one.page

        async def look(scene: str) -> None:
            found.extend(await finds(one, f"{scene} {screen} {scheme}"))

        if screen == "phone":
            for drawer in ("Players", "Channels"):
                await page.get_by_role("button", name=drawer, exact=True).click()
                await look(drawer)
                await one.key("Escape")
        await look("the first sight")
        await one.command("/tiles new computers:1 target:50 thread:true")
        await page.get_by_role("button", name=re.compile("^Go to")).last.click()
        called = await Course([one]).call()
        hand = await moves.opened_hand(*called)
        await look("a board and a hand")
        await hand.get_by_test_id("select").first.click()
        await look("an open menu")
        await page.get_by_test_id("select-option").first.click()
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_be_visible()
        await look("a move to confirm")
        await one.type("/tiles play ")
        await expect(one.suggestions.first).to_contain_text(moves.POINTS)
        await look("suggestions")
        await one.key("Escape", "Escape", "Escape")
        await hand.get_by_test_id("picture").click(position={"x": 8, "y": 8})
        await expect(page.get_by_test_id("alt-text")).to_be_visible()
        await look("a large picture")
        await one.key("Escape")
        await one.command("/tiles help ")
        await one.command("/tiles leaderboard ")
        await expect(one.said("Leaderboard")).to_be_visible()
        await look("help and a leaderboard")
        await one.command("/tiles board text:True")
        await expect(one.private.last).to_contain_text("Your tiles:")
        await look("a board in words")
    assert found == []


async def test_axe_finds_nothing_while_bot_is_disconnected(browser: Browser, playground: Playground) -> None:
    async with tab(browser, playground.address, "Ada") as ada:
        bots = await playground.kill_bot()
        await expect(ada.page.locator("#banner")).not_to_be_empty()
        assert await finds(ada, "starting") == []
        await playground.bot_started(bots)
        await ada.settled()
