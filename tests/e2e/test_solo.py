"""A figure is filled alone in the page, at the width of a phone."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, tab

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("e2e-page"), pytest.mark.timeout(600)]


async def test_somebody_follows_a_hint_lays_a_tile_asks_how_many_ways_and_takes_it_back(
    browser: Browser, playground: Playground
) -> None:
    async with tab(browser, playground.address, "Ada", size=PHONE) as ada:
        await ada.command("/tiles solo figure:bar")
        figure = ada.private.last
        await expect(figure).to_contain_text("0 of 24 tiles lie")
        await ada.press(figure, "Hint")
        await expect(figure).to_contain_text("is part of a solution")
        await ada.look("solo", figure)
        await ada.press(figure, re.compile("^Lay "))
        await expect(figure).to_contain_text("1 of 24 tiles lie")
        await expect(figure).to_contain_text("1 hint")

        for asked in ("Which tile?", "Where does"):
            await expect(figure).to_contain_text(asked)
            await figure.get_by_role("button", name=asked).first.click()
            await ada.page.get_by_test_id("select-option").first.click()
        await ada.press(figure, re.compile("^Lay "))
        await expect(figure).to_contain_text("2 of 24 tiles lie")
        await ada.press(figure, "How many ways?")
        await expect(figure).to_contain_text(re.compile("from here"))
        await ada.press(figure, "Undo")
        await expect(figure).to_contain_text("1 of 24 tiles lie")
