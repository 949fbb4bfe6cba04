"""A guided game by keyboard alone."""

import asyncio

from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.playground import STEP_TIMEOUT, Playground
from tests.e2e.tab import Tab, focus_button, open_tab

MAX_PRESSES = 12  # from the page's first button to the win; the guided game has six tiles


async def test_guided_game_can_be_finished_by_keyboard(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Ada") as ada:
        await focus_button(ada, "Play now")
        await ada.press_keys("Enter")
        await expect(ada.private_messages.last.get_by_test_id("select")).to_be_visible()
        hand = await ada.find_last_private()
        choice, presses = "", 1
        while (choice := await wait_for_choice(ada, hand, choice)) and presses < MAX_PRESSES:
            await focus_button(ada, choice.partition("\n")[2])
            await ada.press_keys("Enter")
            presses += 1
        await expect(ada.find_message(moves.FINAL_TEXT)).to_contain_text("Ada")
        assert 6 < presses <= MAX_PRESSES


READ_CHOICE = """hand => {
  const best = hand.querySelector('button[data-custom-id^="by:play:"]');
  return best?.matches(":not([aria-busy]):not(:disabled)") ? `${best.dataset.customId}\\n${best.innerText}` : "";
}"""


async def wait_for_choice(one: Tab, hand: Locator, before: str) -> str:
    async with asyncio.timeout(STEP_TIMEOUT):
        while not await one.messages.filter(has_text=moves.FINAL_TEXT).count():
            choice = str(await hand.evaluate(READ_CHOICE))
            if choice and choice != before:
                return choice
            await asyncio.sleep(0.2)
    return ""
