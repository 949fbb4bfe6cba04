"""A match in German with the mouse in the picture: click or drag a tile, then its place."""

import re

from playwright.async_api import Browser, ViewportSize, expect
from yarl import URL

from data.words import load_words
from tests.e2e import moves, pointing
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import open_tab
from tests.playground.page_user import PageUser

FINAL_TEXT = re.compile(r"Star: .+ (gewinnt|teilen sich den Sieg)")
TURN = "Du bist am Zug"
MEASURE_GAP = """picture => {
  const way = picture.querySelector(".ghost > g").transform.baseVal.consolidate().matrix;
  const lies = [...picture.querySelector(".area-tile.picked").points].map((corner) => corner.matrixTransform(way));
  const place = [...picture.querySelector(".area-place.open").points];
  const apart = (one) => Math.min(...place.map((other) => Math.hypot(one.x - other.x, one.y - other.y)));
  return Math.max(...lies.map(apart));
}"""


async def test_german_match_is_played_by_clicking_in_picture(browser: Browser, playground: Playground) -> None:
    words = load_words("de")
    async with open_tab(browser, playground.address, "Ada", locale="de-DE") as ada:
        await ada.page.get_by_test_id("play-Star").click()
        match = MatchDriver([ada], pause=0.8, final_text=FINAL_TEXT)
        points = hands = 0
        while (turn := await match.wait_for_turn()) is not None:
            await moves.dismiss_all(ada)
            try:
                hand = await moves.open_hand(*turn, words("board.hand"))
            except moves.MatchOver:
                continue
            points += await pointing.point_through_turn(ada, hand, TURN)
            hands += 1  # a premove may be valid for several turns, because the computer can be faster than the observer
        await expect(ada.find_message(FINAL_TEXT)).to_contain_text(re.compile(r"Ada · −?\d+ Punkte?"))
        assert points > max(hands, 2)


async def test_dragged_tile_is_previewed_at_its_place(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Grace") as grace, PageUser(playground.address, "Linus") as linus:
        page = grace.page
        await page.get_by_test_id("channel-games-night").click()
        await grace.send_command("/tiles new computers:1 target:50")
        turn = await MatchDriver([grace], pause=1.0).wait_for_turn()
        hand = await moves.open_hand(*turn)
        await expect(hand.get_by_test_id("pointing")).to_be_visible()
        tile = hand.locator(".area-tile:not(.idle)").first
        await pointing.click(grace, tile)
        place = hand.locator(".area-place.open").first
        await page.mouse.move(*await pointing.locate_middle(place))
        bubble = hand.locator(".bubble")
        await expect(bubble).to_contain_text(re.compile(r"^\d-\d-\d "))
        await expect(hand.locator(".ghost image")).to_have_count(1)
        assert await hand.get_by_test_id("pointing").evaluate(MEASURE_GAP) < 1
        channel, key = (
            await linus.fetch_channel_id("games-night"),
            {"X-Boneyard-Key": URL(playground.address).query["key"]},
        )
        own_picture = str(await hand.locator("img").last.get_attribute("src"))
        assert b"tEXttargets" in await (await page.context.request.get(playground.url + own_picture)).body()
        for message in await linus.fetch_messages(channel):
            assert not message["flags"] & 64
            for file in message["attachments"]:
                answer = await page.context.request.get(playground.url + file["url"], headers=key)
                assert b"tEXttargets" not in await answer.body()
        await grace.press_keys("Escape")
        await hand.get_by_test_id("picture").focus()
        await grace.press_keys("Enter")
        await expect(page.get_by_test_id("alt-text")).to_be_visible()


async def test_hint_on_phone_is_shown_and_played(browser: Browser, playground: Playground) -> None:
    size: ViewportSize = {"width": 369, "height": 800}
    async with open_tab(browser, playground.address, "Linus", size=size) as linus:
        await linus.send_command("/tiles new computers:1")
        turn = await MatchDriver([linus], pause=1.0).wait_for_turn()
        hand = await moves.open_hand(*turn)
        await linus.click_button(hand, "Hint")
        await expect(hand).to_contain_text(re.compile("Hint: (look at|you open)"))
        # the first hint names the place but not the action
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_have_count(0)
        await linus.click_button(hand, "Show the move")
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_be_visible()
        await expect(hand).to_contain_text(re.compile("A computer at level (master|hard) would play this"))
        await expect(hand.get_by_test_id("picture")).to_be_visible()
        assert await linus.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await linus.click_button(hand, moves.PLAY)
        await expect(hand).to_contain_text(moves.PLAYED)
