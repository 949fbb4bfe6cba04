"""A match on a phone and its review in two languages."""

import itertools
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from data.words import Words, load_words
from tests.bot.local_bot import run_local_bot
from tests.bot.reviews.quick_reviewer import quickly
from tests.bot.simulated_guild import LIVELY
from tests.e2e import moves
from tests.e2e.moves import Course
from tests.e2e.tab import PHONE, Tab, tab

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

LISTEN = """log => {
    window.heard = [];
    new MutationObserver(() => window.heard.push(log.innerText))
        .observe(log, { childList: true, subtree: true, characterData: true });
}"""


async def test_review_on_phone_works_in_two_languages_and_is_shared(browser: Browser, tmp_path: Path) -> None:
    async with run_local_bot(f"sqlite:///{tmp_path}/boneyard.db", looking_back=quickly()) as at:
        at.deals.wanted = [LIVELY]
        async with tab(browser, at.discord.address, "Ada", size=PHONE) as ada:
            await ada.command("/tiles new computers:1 target:10")
            await Course([ada]).play(itertools.repeat(moves.by_pressing))
            end = ada.said(moves.OVER)
            number = await end.get_attribute("data-message-id")
            await ada.page.locator("#log").evaluate(LISTEN)
            await ada.press(end, "Review")
            review = ada.private.last
            await expect(review).to_contain_text("Each choice is compared with the best move found")
            assert any("Review in progress" in text for text in await ada.page.evaluate("window.heard"))
            await _leafed_through(ada, review, load_words("en"), "en")
            before = await ada.public.count()
            await ada.press(review, "Show to all")
            await expect(ada.public).to_have_count(before + 1)
            await expect(ada.public.last).to_contain_text("Review · Triominoes")
            await expect(ada.public.last.get_by_role("button", name="Show to all")).to_have_count(0)
            await ada.look("review-for-all-phone", ada.public.last)

        async with tab(browser, at.discord.address, "Ada", size=PHONE, locale="de-DE", color_scheme="light") as ada:
            await ada.press(ada.fixed(number), "Review")
            review = ada.private.last
            await expect(review).to_contain_text("Genauigkeit")
            await _leafed_through(ada, review, load_words("de"), "de", most=2)


async def _leafed_through(ada: Tab, review: Locator, said: Words, language: str, *, most: int = 99) -> None:
    await expect(review).to_contain_text(re.compile(rf"Ada · {said('review.accuracy')} \d+ ", re.IGNORECASE))
    await expect(review.get_by_test_id("picture")).to_be_visible()
    await ada.look(f"review-{language}-phone", review)
    heading, titles = review.get_by_role("heading").first, list[str]()
    overview = await heading.inner_text()
    await ada.press(review, said("review.moments"))
    forward = review.get_by_role("button", name=said("replay.forward"))
    while True:
        before = titles[-1] if titles else overview
        await expect(heading).not_to_have_text(before)
        titles.append(await heading.inner_text())
        await ada.look(f"review-{language}-page-{len(titles)}-phone", review)
        box, screen = await review.get_by_test_id("picture").bounding_box(), ada.page.viewport_size
        assert 0 <= box["x"] < box["x"] + box["width"] <= screen["width"], "nothing is cut off"
        if len(titles) == most or await forward.is_disabled():
            break
        await forward.click()
    assert len({*titles}) == len(titles) > 1
    await expect(review.get_by_test_id("select")).to_be_visible()
    await ada.press(review, said("review.overview"))
    await expect(heading).to_have_text(overview)
