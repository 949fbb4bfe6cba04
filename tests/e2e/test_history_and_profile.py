"""Unseen tiles, notes, history and profile cards in Dutch on a phone."""

import re

from playwright.async_api import Browser, expect

from data.words import load_words
from tests.e2e import moves
from tests.e2e.playground import Playground
from tests.e2e.tab import open_phone
from tests.playground.page_user import PageUser


async def test_match_with_note_is_found_in_history_and_compared(browser: Browser, playground: Playground) -> None:
    words = load_words("nl")
    grace_away = PageUser(playground.address, "Grace")
    async with open_phone(browser, playground.address, "Ada", locale="nl-NL") as ada, grace_away as grace:
        channel = await grace.fetch_channel_id("tiles")
        await ada.send_command("/tiles new seats:2")
        lobby = await grace.wait_for_message(channel, lambda one: "Ada" in str(one) and words("lobby.join") in str(one))
        await grace.wait_for_answer(channel, await grace.click(lobby, label=words("lobby.join")))
        board = ada.public_messages.filter(has=ada.page.get_by_role("button", name=words("board.hand"))).first
        hand = await moves.open_hand(ada, board, words("board.hand"))

        await ada.click_button(hand, words("unseen.button"))
        await expect(hand).to_contain_text(re.compile(words("unseen.title", tiles=r"\d+")))
        await ada.click_button(hand, words("hand.back"))
        await ada.click_button(hand, words("note.button"))
        await ada.page.get_by_test_id("field").fill("Grace houdt van vijven.")
        await ada.page.get_by_test_id("modal-submit").click()
        await expect(ada.private_messages.filter(has_text="Grace houdt van vijven.").last).to_be_visible()
        for message in await grace.fetch_messages(channel):
            assert "vijven" not in str(message)
        confirmation = await grace.wait_for_answer(
            channel, await grace.use_command(channel, "tiles", "match", "resign")
        )
        await grace.wait_for_answer(channel, await grace.click(confirmation, label=load_words()("resign.yes")))

        await ada.send_command("/tiles history")
        history = ada.private_messages.last
        await expect(history).to_contain_text(words("history.title"))
        await expect(history).to_contain_text("Grace")
        await ada.send_command("/tiles profile")
        await expect(ada.private_messages.last.get_by_test_id("picture")).to_be_visible()
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
