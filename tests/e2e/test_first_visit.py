"""The page on a first visit: contents, language, colors and time to the first game."""

import re

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from data.rulebook import list_games
from data.words import load_words
from tests.e2e.playground import Playground
from tests.e2e.tab import DESKTOP, PHONE, open_tab

PAINTED = "image => image.decode().then(() => image.naturalWidth)"
CUT = """menu => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = getComputedStyle(menu).font;
  const arrow = 24;  // of the browser's own
  return pen.measureText(menu.selectedOptions[0].text).width + arrow > menu.clientWidth;
}"""
SCREENS = {"desktop": DESKTOP, "phone": PHONE}


@pytest.mark.parametrize("screen", SCREENS)
async def test_first_screen_shows_picture_text_and_start_button(
    browser: Browser, playground: Playground, screen: str
) -> None:
    size: ViewportSize = SCREENS[screen]
    for scheme in ("dark", "light"):
        async with open_tab(browser, playground.address, "Grace", size=size, color_scheme=scheme) as grace:
            opening = grace.page.get_by_test_id("opening")
            await expect(opening.get_by_role("heading")).to_have_text(load_words("en")("opening.sentence"))
            assert await opening.get_by_role("img").evaluate(PAINTED) > 600
            for game in list_games():
                await expect(opening.get_by_role("button", name=load_words("en")(f"game.{game}"))).to_be_in_viewport(
                    ratio=1
                )
            await expect(opening.get_by_role("img")).to_be_in_viewport(ratio=1)
            await expect(opening.get_by_role("button", name="Play now")).to_be_in_viewport(ratio=1)
            ground = await grace.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", ground))) > 3 * 128) == (scheme == "light")


async def test_german_browser_gets_german_page_and_bot(browser: Browser, playground: Playground) -> None:
    words = load_words("de")
    async with open_tab(browser, playground.address, "Ada", locale="de-AT") as ada:
        page = ada.page
        assert await page.evaluate("document.documentElement.lang") == "de"
        await expect(page.get_by_test_id("opening").get_by_role("heading")).to_have_text(words("opening.sentence"))
        await expect(page.locator("#guild-name")).to_have_text(words("page.first_guild"))
        await expect(page.locator("#channel-topic")).to_have_text(words("page.first_topic_tiles"))
        await page.get_by_role("button", name=words("opening.play")).click()
        await expect(ada.private_messages.last).to_contain_text("Du bist am Zug")
        await expect(ada.public_messages.filter(has_text="ist am Zug").last).to_be_visible()
        await expect(ada.private_messages.last).to_contain_text("Nur du kannst das sehen")
        await ada.type_text("/tiles leaderb")
        await expect(ada.suggestions.first).to_contain_text(str(words.texts["command.leaderboard"]))
        await ada.press_keys("Control+A", "Delete")
        assert not await page.get_by_test_id("language").evaluate(CUT)
        # the language menu takes precedence and keeps its value
        await page.get_by_test_id("language").select_option("en")
        await expect(page.get_by_role("log", name="Messages")).to_be_visible()
        await ada.wait_until_ready()
        assert await page.evaluate("document.documentElement.lang") == "en"
        await ada.send_command("/tiles help ")
        await expect(ada.private_messages.last).to_contain_text("Play tile games with Boneyard")


async def test_click_before_bot_connects_is_queued(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Linus") as linus:
        page = linus.page
        await page.get_by_test_id("channel-games-night").click()
        await page.get_by_test_id("channel-tiles").click()
        bots = await playground.kill_bot()
        await expect(page.locator("#banner")).to_contain_text("is restarting")
        await expect(page.locator("#banner")).to_contain_text(
            re.compile(r"Step \d of 4 · (Starting|Loading|Logging|Connecting) .+")
        )
        await page.get_by_test_id("play-now").click()
        await expect(page.get_by_test_id("play-now")).to_have_attribute("aria-busy", "true")
        await playground.wait_for_bot(bots)
        await expect(linus.private_messages.last).to_contain_text("A guided game")
        await expect(linus.private_messages.last.get_by_test_id("select")).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS)
async def test_question_board_and_menu_stay_visible_together(
    browser: Browser, playground: Playground, screen: str
) -> None:
    async with open_tab(browser, playground.address, "Grace", size=SCREENS[screen]) as grace:
        page = grace.page
        await page.get_by_test_id(re.compile("^play-(now|again)$")).first.click()
        hand = await grace.find_last_private()
        await expect(hand.get_by_test_id("pointing")).to_be_visible()
        # the public board and its mention follow the private hand and must not scroll anything out of view
        await expect(grace.public_messages.last).to_be_visible()
        await expect(hand.get_by_test_id("picture")).to_be_in_viewport(ratio=0.98)
        await expect(hand.locator('button[data-custom-id^="by:play:"]').first).to_be_in_viewport(ratio=1)
        await hand.get_by_test_id("dismiss").click()
