"""A guided game by keyboard alone."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.playground import PATIENCE, Playground
from tests.e2e.tab import Tab, tab, walk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]

MOST = 60  # Maximum number of key presses in a guided game, which has six tiles


async def test_guided_game_can_be_finished_by_keyboard(browser: Browser, playground: Playground) -> None:
    async with tab(browser, playground.address, "Ada") as ada:
        await walk(ada, "Play now")
        await ada.key("Enter")
        await expect(ada.private.last.get_by_test_id("select")).to_be_visible()
        hand = ada.fixed(await ada.private.last.get_attribute("data-message-id"))
        asks, choices = "", 0
        while (asks := await asked(ada, hand, asks)) and choices < MOST:
            if asks.startswith("menu"):
                await walk(ada, re.compile("^Choose "))
                await ada.key("Enter", "Enter")
            else:
                await walk(ada, re.compile(r"^Play( [+−]?\d+)?$"))
                await ada.key("Enter")
            choices += 1
        await expect(ada.said(moves.OVER)).to_contain_text("Ada")
        assert 6 < choices < MOST


ASKS = """hand => {
  const free = (what) => hand.querySelector(`${what}:not([aria-busy]):not(:disabled)`);
  const kind = free("[data-testid=select]") ? "menu" : free(".press-success") ? "play" : "";
  return kind && `${kind} ${hand.querySelector("[data-testid=picture] img")?.src}`;
}"""


async def asked(one: Tab, hand: Locator, before: str) -> str:
    async with asyncio.timeout(PATIENCE):
        while not await one.messages.filter(has_text=moves.OVER).count():
            asks = str(await hand.evaluate(ASKS))
            if asks and asks != before:
                return asks
            await asyncio.sleep(0.2)
    return ""
