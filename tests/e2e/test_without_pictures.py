"""A whole match without pictures, from the text that a screen reader reads."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, expect

from tests.e2e import moves
from tests.e2e.moves import Course
from tests.e2e.playground import PATIENCE, Playground
from tests.e2e.tab import Tab, tab

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_match_can_be_played_by_screen_reader_text(browser: Browser, playground: Playground) -> None:
    async with tab(browser, playground.address, "Grace") as grace:
        await grace.page.route("**/attachments/**", lambda route: route.abort())
        await grace.page.get_by_test_id("channel-games-night").click()
        await grace.command("/tiles help guided:true")
        match, turns = Course([grace]), 0
        while await match.call() is not None:
            tile, place = fitting(await heard(grace, "/tiles board text:true"))
            told = await heard(grace, f"/tiles play tile:{tile} place:{place}")
            assert re.search(rf"You (played|opened with) {tile}", told), told
            turns += 1
        assert turns > 3
        told = await grace.said(moves.OVER).aria_snapshot()
        assert re.search(r"(Grace|Computer) wins|share the win", told)
        assert grace.troubles == []


async def heard(one: Tab, line: str) -> str:
    ids = "all => all.map(one => one.dataset.messageId)"
    known = set(await one.private.evaluate_all(ids))
    await one.command(line)
    async with asyncio.timeout(PATIENCE):
        while not (fresh := [it for it in await one.private.evaluate_all(ids) if it not in known]):  # noqa: ASYNC110 - the page is another process
            await asyncio.sleep(0.05)
    answer = one.fixed(fresh[-1])
    await expect(answer).not_to_have_attribute("data-loading", "true")
    return await answer.aria_snapshot()


def fitting(told: str) -> tuple[str, str]:
    read = re.sub(r"\s*- (strong|text): ", " ", told).replace('"', "")
    found = re.search(r"(\d-\d-\d) : ([A-Z]{1,2}) ", read.partition("Your tiles")[2])
    assert found is not None, told
    return found[1], found[2]
