"""A whole match without pictures, from the text that a screen reader reads."""

import asyncio
import re

from playwright.async_api import Browser, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import STEP_TIMEOUT, Playground
from tests.e2e.tab import Tab, open_tab


async def test_match_can_be_played_by_screen_reader_text(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Grace") as grace:
        await grace.page.route("**/attachments/**", lambda route: route.abort())
        await grace.page.get_by_test_id("channel-games-night").click()
        await grace.send_command("/tiles help guided:true")
        match, turns = MatchDriver([grace]), 0
        while await match.wait_for_turn() is not None:
            tile, place = find_legal_move(await read_response(grace, "/tiles board text:true"))
            text = await read_response(grace, f"/tiles play tile:{tile} place:{place}")
            assert re.search(rf"You (played|opened with) {tile}", text), text
            turns += 1
        assert turns > 3
        text = await grace.find_message(moves.FINAL_TEXT).aria_snapshot()
        assert re.search(r"(Grace|Computer) wins|share the win", text)
        assert grace.console_errors == []


async def read_response(one: Tab, line: str) -> str:
    ids = "all => all.map(one => one.dataset.messageId)"
    known_ids = set(await one.private_messages.evaluate_all(ids))
    await one.send_command(line)
    async with asyncio.timeout(STEP_TIMEOUT):
        while not (new_ids := [it for it in await one.private_messages.evaluate_all(ids) if it not in known_ids]):  # noqa: ASYNC110 - the page is another process
            await asyncio.sleep(0.05)
    answer = one.find_message_by_id(new_ids[-1])
    await expect(answer).not_to_have_attribute("data-loading", "true")
    return await answer.aria_snapshot()


def find_legal_move(text: str) -> tuple[str, str]:
    plain_text = re.sub(r"\s*- (strong|text): ", " ", text).replace('"', "")
    found = re.search(r"(\d-\d-\d) : ([A-Z]{1,2}) ", plain_text.partition("Your tiles")[2])
    assert found is not None, text
    return found[1], found[2]
