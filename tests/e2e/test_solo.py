"""Solo puzzles on a phone: a figure and the daily puzzle."""

import json
import re
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Browser, Locator, expect

from bot.puzzles.service import DailyPuzzle
from bot.tables.board_text import TARGETS_KEYWORD
from data.puzzle_book import load_puzzles
from data.rulebook import list_games
from tests.bot.puzzles.daily_puzzles import list_answers, list_wrong_answers
from tests.e2e import pointing
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, open_tab

POINTING_KINDS = ("best", "bridge", "hexagons")


def find_todays_puzzle() -> DailyPuzzle:
    day = datetime.now(UTC).date()
    for game in list_games():
        found = load_puzzles(game).get(day)
        if found is not None and found.kind in POINTING_KINDS:
            return DailyPuzzle(game, day, found)
    pytest.skip(f"no game has such a puzzle on {day}: `uv run checks -m tests.tools.puzzle_maker make` makes more")


async def read_targets(message: Locator) -> list[list[Any]]:
    source = str(await message.get_by_test_id("picture").locator("img").get_attribute("src"))
    body = await (await message.page.context.request.get(f"{message.page.url.split('/?')[0]}{source}")).body()
    with Image.open(BytesIO(body)) as image:
        image.load()
        found: list[list[Any]] = json.loads(image.info[TARGETS_KEYWORD])["targets"]
    return found


async def point_at_answer(ada: Tab, message: Locator, value: str) -> None:
    await expect(message.get_by_test_id("pointing")).to_be_visible()
    areas = await read_targets(message)
    (tile, place), *_ = [(tile, place) for one, tile, place, _ in areas if one == value]
    before = await message.get_by_test_id("picture").locator("img").get_attribute("src")
    await pointing.click(ada, message.get_by_test_id(f"tile-{tile}"))
    await pointing.click(ada, message.get_by_test_id(f"place-{place}"))
    same_place = [one for one, *spot in areas if spot[:2] == [tile, place]]
    if len(same_place) > 1:
        await ada.page.get_by_test_id("select-option").nth(same_place.index(value)).click()
    await expect(message.get_by_test_id("picture").locator("img")).not_to_have_attribute("src", str(before))


async def test_solo_player_uses_hint_placement_solution_count_and_undo(
    browser: Browser, playground: Playground
) -> None:
    async with open_tab(browser, playground.address, "Ada", size=PHONE) as ada:
        await ada.send_command("/tiles solo figure:bar")
        figure = ada.private_messages.last
        await expect(figure).to_contain_text("0 of 24 tiles played")
        await ada.click_button(figure, "Hint")
        await expect(figure).to_contain_text("is part of a solution")
        await ada.click_button(figure, re.compile("^Play "))
        await expect(figure).to_contain_text("1 of 24 tiles played")
        await expect(figure).to_contain_text("1 hint")

        for question in ("Which tile?", "Where does"):
            await expect(figure).to_contain_text(question)
            await figure.get_by_role("button", name=question).first.click()
            await ada.page.get_by_test_id("select-option").first.click()
        await ada.click_button(figure, re.compile("^Play "))
        await expect(figure).to_contain_text("2 of 24 tiles played")
        await ada.click_button(figure, "Count solutions")
        await expect(figure).to_contain_text(re.compile("from here"))
        await ada.click_button(figure, "Take back")
        await expect(figure).to_contain_text("1 of 24 tiles played")


async def test_puzzle_is_solved_by_pointing_with_hint_and_shared(browser: Browser, playground: Playground) -> None:
    puzzle = find_todays_puzzle()
    async with open_tab(browser, playground.address, "Ada", size=PHONE) as ada:
        message = await ada.send_and_wait(f"/tiles daily game:{puzzle.game} date:{puzzle.day}")
        await expect(message).to_contain_text("3 tries left")

        await point_at_answer(ada, message, list_wrong_answers(puzzle, 1)[0])
        await ada.click_button(message, re.compile("^Answer"))
        await expect(message).to_contain_text("2 tries left")
        await expect(message).to_contain_text("Not correct: ")
        await ada.click_button(message, re.compile("^Hint"))
        await expect(message).to_contain_text("Hint: look at")
        for value in list_answers(puzzle):
            await point_at_answer(ada, message, value)
        # A placement is confirmed in the picture, too.
        (((press, _, place, _)),) = await read_targets(message)
        assert press.startswith("by:dailyanswer")
        await pointing.click(ada, message.get_by_test_id(f"place-{place}"))
        await expect(message).to_contain_text("Solved in 2 tries, with the hint!")

        await ada.click_button(message, "Show to all")
        card = ada.public_messages.filter(has_text="solved it in 2 of 3 tries: 🔺🟢💡").last
        await expect(card.get_by_test_id("picture").locator("img")).to_have_attribute(
            "alt", re.compile(r"Ada solved it in 2 of 3 tries: 🔺🟢💡\. Used the hint\.$")
        )
        await expect(card.get_by_role("listitem")).to_have_text("Ada 🔺🟢💡")
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
