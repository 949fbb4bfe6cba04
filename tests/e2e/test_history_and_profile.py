"""Unseen tiles, notes, history and profile cards in Dutch on a phone."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from bot.playground.person import PageUser
from data.words import load_words
from tests.e2e import moves
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, tab

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_match_with_note_is_found_in_history_and_compared(browser: Browser, playground: Playground) -> None:
    said = load_words("nl")
    phone: dict[str, Any] = {"size": PHONE, "has_touch": True, "is_mobile": True}
    grace_away = PageUser(playground.address, "Grace")
    async with tab(browser, playground.address, "Ada", locale="nl-NL", **phone) as ada, grace_away as grace:
        channel = await grace.fetch_channel_id("tiles")
        await ada.command("/tiles new seats:2")
        lobby = await grace.wait_for_message(channel, lambda one: "Ada" in str(one) and said("lobby.join") in str(one))
        await grace.wait_for_answer(channel, await grace.click(lobby, label=said("lobby.join")))
        board = ada.public.filter(has=ada.page.get_by_role("button", name=said("board.hand"))).first
        hand = await moves.opened_hand(ada, board, said("board.hand"))

        await ada.press(hand, said("unseen.button"))
        await expect(hand).to_contain_text(re.compile(said("unseen.title", tiles=r"\d+")))
        await ada.look("unseen-phone", hand)
        await ada.press(hand, said("hand.back"))
        await ada.press(hand, said("note.button"))
        await ada.page.get_by_test_id("field").fill("Grace houdt van vijven.")
        await ada.page.get_by_test_id("modal-submit").click()
        await expect(ada.private.filter(has_text="Grace houdt van vijven.").last).to_be_visible()
        await ada.look("note-phone", ada.private.last)
        for message in await grace.fetch_messages(channel):
            assert "vijven" not in str(message)
        asked = await grace.wait_for_answer(channel, await grace.use_command(channel, "tiles", "match", "resign"))
        await grace.wait_for_answer(channel, await grace.click(asked, label=load_words()("resign.yes")))

        await ada.command("/tiles history")
        history = ada.private.last
        await expect(history).to_contain_text(said("history.title"))
        await expect(history).to_contain_text("Grace")
        await ada.look("history-phone", history)
        await ada.command("/tiles profile")
        await expect(ada.private.last.get_by_test_id("picture")).to_be_visible()
        await ada.look("profile-phone", ada.private.last)
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
