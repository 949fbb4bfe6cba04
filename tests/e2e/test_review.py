"""A match on a phone and its review in two languages."""

import itertools
import re
from pathlib import Path

from playwright.async_api import Browser, Locator, expect

from data.words import Words, load_words
from tests.bot.local_bot import run_local_bot
from tests.bot.reviews.quick_reviewer import create_quick_workers
from tests.bot.simulated_guild import MIXED_HAND_DEAL
from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.tab import PHONE, Tab, open_tab

RECORD_TEXTS = """log => {
    window.heard = [];
    new MutationObserver(() => window.heard.push(log.innerText))
        .observe(log, { childList: true, subtree: true, characterData: true });
}"""


async def test_review_on_phone_works_in_two_languages_and_is_shared(browser: Browser, tmp_path: Path) -> None:
    async with run_local_bot(f"sqlite:///{tmp_path}/boneyard.db", review_workers=create_quick_workers()) as local_bot:
        local_bot.deals.next_numbers = [MIXED_HAND_DEAL]
        async with open_tab(browser, local_bot.discord.address, "Ada", size=PHONE) as ada:
            await ada.send_command("/tiles new computers:1 target:10")
            await MatchDriver([ada]).play(itertools.repeat(moves.move_by_clicking))
            end = ada.find_message(moves.FINAL_TEXT)
            number = await end.get_attribute("data-message-id")
            await ada.page.locator("#log").evaluate(RECORD_TEXTS)
            await ada.click_button(end, "Review")
            review = ada.private_messages.last
            await expect(review).to_contain_text("Each choice is compared with the best move found")
            assert any("Review in progress" in text for text in await ada.page.evaluate("window.heard"))
            await step_through_review(ada, review, load_words("en"), "en")
            before = await ada.public_messages.count()
            await ada.click_button(review, "Show to all")
            await expect(ada.public_messages).to_have_count(before + 1)
            await expect(ada.public_messages.last).to_contain_text("Review · Triominoes")
            await expect(ada.public_messages.last.get_by_role("button", name="Show to all")).to_have_count(0)

        async with open_tab(
            browser, local_bot.discord.address, "Ada", size=PHONE, locale="de-DE", color_scheme="light"
        ) as ada:
            await ada.click_button(ada.find_message_by_id(number), "Review")
            review = ada.private_messages.last
            await expect(review).to_contain_text("Genauigkeit")
            await step_through_review(ada, review, load_words("de"), "de", max_pages=2)


async def step_through_review(ada: Tab, review: Locator, words: Words, language: str, *, max_pages: int = 99) -> None:
    await expect(review).to_contain_text(re.compile(rf"Ada · {words('review.accuracy')} \d+ ", re.IGNORECASE))
    await expect(review.get_by_test_id("picture")).to_be_visible()
    heading, titles = review.get_by_role("heading").first, list[str]()
    overview = await heading.inner_text()
    await ada.click_button(review, words("review.moments"))
    forward = review.get_by_role("button", name=words("replay.forward"))
    while True:
        before = titles[-1] if titles else overview
        await expect(heading).not_to_have_text(before)
        titles.append(await heading.inner_text())
        box, screen = await review.get_by_test_id("picture").bounding_box(), ada.page.viewport_size
        assert 0 <= box["x"] < box["x"] + box["width"] <= screen["width"], "nothing is cut off"
        if len(titles) == max_pages or await forward.is_disabled():
            break
        await forward.click()
    assert len({*titles}) == len(titles) > 1
    await expect(review.get_by_test_id("select")).to_be_visible()
    await ada.click_button(review, words("review.overview"))
    await expect(heading).to_have_text(overview)
