"""A guided game by keyboard alone."""

import asyncio
import re

from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.playground import STEP_TIMEOUT, Playground
from tests.e2e.tab import Tab, focus_button, open_tab

MAX_CHOICES = 60  # Maximum number of key presses in a guided game, which has six tiles


async def test_guided_game_can_be_finished_by_keyboard(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Ada") as ada:
        await focus_button(ada, "Play now")
        await ada.press_keys("Enter")
        await expect(ada.private_messages.last.get_by_test_id("select")).to_be_visible()
        hand = await ada.find_last_private()
        choice, choices = "", 0
        while (choice := await wait_for_choice(ada, hand, choice)) and choices < MAX_CHOICES:
            if choice.startswith("menu"):
                await focus_button(ada, re.compile("^Choose "))
                await ada.press_keys("Enter", "Enter")
            else:
                await focus_button(ada, re.compile(r"^Play( [+−]?\d+)?$"))
                await ada.press_keys("Enter")
            choices += 1
        await expect(ada.find_message(moves.FINAL_TEXT)).to_contain_text("Ada")
        assert 6 < choices < MAX_CHOICES


READ_CHOICE = """hand => {
  const free = (what) => hand.querySelector(`${what}:not([aria-busy]):not(:disabled)`);
  const kind = free("[data-testid=select]") ? "menu" : free(".press-success") ? "play" : "";
  return kind && `${kind} ${hand.querySelector("[data-testid=picture] img")?.src}`;
}"""


async def wait_for_choice(one: Tab, hand: Locator, before: str) -> str:
    async with asyncio.timeout(STEP_TIMEOUT):
        while not await one.messages.filter(has_text=moves.FINAL_TEXT).count():
            choice = str(await hand.evaluate(READ_CHOICE))
            if choice and choice != before:
                return choice
            await asyncio.sleep(0.2)
    return ""
