"""What one does alone in the page, at the width of a phone: a figure, the deal and the puzzle of the day."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Browser, Locator, expect

from bot.playground.play import OWN
from bot.service.daily import Daily
from bot.views.pointing import KEYWORD
from data.puzzle_book import puzzles
from data.rulebook import games, rules
from data.store import Store
from engine.figures.catalogue import FIGURES
from engine.figures.filling import Filling
from engine.score_attack import ScoreAttack
from engine.tiles import canonical, rotation_showing
from tests.bot.test_daily import answer_of, wrong_answers
from tests.bot.test_score_attack import played
from tests.e2e import pointing
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, tab

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("e2e-page"), pytest.mark.timeout(1800)]

POINTED_AT = ("best", "bridge", "hexagons")
"""The kinds that can be answered wrongly by pointing. On every day some game has one."""
LARGE = FIGURES["horseshoe"]
DEAL = bytes([4]) * 32
"""What orders the tiles of a deal: after two of the best moves one tile is to be drawn, and it fits."""


def puzzle_of_today() -> Daily:
    """One that is pointed at. Skips on a day of which there is none."""
    day = datetime.now(UTC).date()
    for game in games():
        found = puzzles(game).get(day)
        if found is not None and found.kind in POINTED_AT:
            return Daily(game, day, found)
    pytest.skip(f"no game has such a puzzle on {day}: `boneyard puzzles make` makes more")


async def targets(message: Locator) -> list[list[Any]]:
    """What the file of the picture in a message says that can be chosen in it."""
    source = str(await message.get_by_test_id("picture").locator("img").get_attribute("src"))
    body = await (await message.page.context.request.get(f"{message.page.url.split('/?')[0]}{source}")).body()
    with Image.open(BytesIO(body)) as image:
        image.load()
        found: list[list[Any]] = json.loads(image.info[KEYWORD])["targets"]
    return found


async def point(ada: Tab, message: Locator, value: str) -> None:
    """Click the tile and the place that stand for a choice, and which of several it is where that is asked."""
    await expect(message.get_by_test_id("pointing")).to_be_visible()
    known = await targets(message)
    (tile, place), *_ = [(tile, place) for one, tile, place, _ in known if one == value]
    before = await message.get_by_test_id("picture").locator("img").get_attribute("src")
    await pointing.click(ada, message.get_by_test_id(f"tile-{tile}"))
    await pointing.click(ada, message.get_by_test_id(f"place-{place}"))
    alike = [one for one, *which in known if which[:2] == [tile, place]]
    if len(alike) > 1:
        await ada.page.get_by_test_id("select-option").nth(alike.index(value)).click()
    await expect(message.get_by_test_id("picture").locator("img")).not_to_have_attribute("src", str(before))


async def test_somebody_follows_a_hint_lays_a_tile_asks_how_many_ways_and_takes_it_back(
    browser: Browser, playground: Playground
) -> None:
    async with tab(browser, playground.address, "Ada", size=PHONE) as ada:
        await ada.command("/tiles solo figure:bar")
        figure = ada.private.last
        await expect(figure).to_contain_text("0 of 24 tiles laid")
        await ada.press(figure, "Hint")
        await expect(figure).to_contain_text("is part of a solution")
        await ada.look("solo", figure)
        await ada.press(figure, re.compile("^Lay "))
        await expect(figure).to_contain_text("1 of 24 tiles laid")
        await expect(figure).to_contain_text("1 hint")

        for asked in ("Which tile?", "Where does"):
            await expect(figure).to_contain_text(asked)
            await figure.get_by_role("button", name=asked).first.click()
            await ada.page.get_by_test_id("select-option").first.click()
        await ada.press(figure, re.compile("^Lay "))
        await expect(figure).to_contain_text("2 of 24 tiles laid")
        await ada.press(figure, "How many ways?")
        await expect(figure).to_contain_text(re.compile("from here"))
        await ada.press(figure, "Undo")
        await expect(figure).to_contain_text("1 of 24 tiles laid")


@asynccontextmanager
async def kept_by(playground: Playground) -> AsyncIterator[Store]:
    """What its bot keeps, opened beside it."""
    store = await Store.open(f"sqlite:///{playground.data / OWN}")
    try:
        yield store
    finally:
        await store.close()


async def known_laid(store: Store, user_id: int, cells: int) -> None:
    """Somebody has laid the first cells of the horseshoe's known way, on another device."""
    filling, kept = Filling(LARGE), await store.figure(user_id, LARGE.name)
    for cell in LARGE.cells[:cells]:
        shown = LARGE.shown_solution[cell]
        turn = rotation_showing(canonical(shown), shown)
        assert turn is not None
        filling = filling.lay(canonical(shown), cell, turn)
    assert await store.keep_figure(user_id, replace(kept, acts=str(filling)), now=kept.updated_at + 1)


async def test_all_triominoes_come_to_lie_in_a_horseshoe_on_a_phone(browser: Browser, playground: Playground) -> None:
    async with kept_by(playground) as store, tab(browser, playground.address, "Grace", size=PHONE) as grace:
        figure = await grace.answer_to("/tiles solo figure:horseshoe")
        await expect(figure).to_contain_text("0 of 56 tiles laid")
        await grace.look("horseshoe", figure)
        await grace.press(figure, "How many ways?")
        await expect(figure).to_contain_text("It can be filled from here")
        await grace.press(figure, "Hint")
        await expect(figure).to_contain_text("is part of a solution")
        await grace.press(figure, re.compile("^Lay "))
        await expect(figure).to_contain_text("1 of 56 tiles laid · 1 hint")

        user_id = int(grace.page.url.split("as=")[1].split("&")[0])
        await known_laid(store, user_id, 54)
        # what is older than that says so and shows how it stands
        await grace.press(figure, "How many ways?")
        await expect(figure).to_contain_text("54 of 56 tiles laid")
        await grace.look("horseshoe-nearly", figure)
        await grace.press(figure, "How many ways?")
        await expect(figure).to_contain_text("There is exactly 1 way to fill it from here")
        for left in (1, 0):
            await grace.press(figure, "Hint")
            await expect(figure).to_contain_text("is part of a solution")
            await grace.press(figure, re.compile("^Lay "))
            await expect(figure).to_contain_text(f"{56 - left} of 56 tiles laid")
        await expect(figure).to_contain_text("It is filled!")
        await grace.look("horseshoe-filled", figure)
        await grace.press(figure, "Show it to all")
        shown = grace.public.filter(has_text="has filled a figure alone: The horseshoe").last
        await expect(shown.get_by_test_id("picture")).to_be_visible()
        await grace.look("horseshoe-shown", shown)
        assert await grace.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def nearly_over(store: Store, user_id: int, day: str) -> None:
    """Somebody has played on by the best moves, on another device, until the deal can only be ended."""
    kept = await store.attack(user_id, day, practice=False)
    assert kept is not None
    after = played(ScoreAttack.parsed(rules("triominoes"), DEAL, kept.acts))
    assert await store.keep_attack(replace(kept, acts=str(after)))


async def test_the_deal_of_the_day_is_played_left_come_back_to_ended_and_shown_to_all(
    browser: Browser, playground: Playground
) -> None:
    day = datetime.now(UTC).date().isoformat()
    async with (
        kept_by(playground) as store,
        tab(browser, playground.address, "Ada", size=PHONE) as ada,
    ):
        assert await store.attack_secret(day, DEAL, now=0) == DEAL
        await ada.command("/tiles solo figure:today")
        deal = ada.private.last
        await expect(deal).to_contain_text("Score attack · deal of")
        await expect(deal).to_contain_text("This attempt counts")
        await expect(deal).to_contain_text("1 of 56 tiles laid · boneyard 47")
        await ada.look("attack", deal)

        for lie in (2, 3):
            await best_laid(ada, deal)
            await expect(deal).to_contain_text(f"{lie} of 56 tiles laid")
        await expect(deal).to_contain_text("Nothing fits: draw a tile.")
        await ada.press(deal, "Undo")
        await expect(deal).to_contain_text("2 of 56 tiles laid")
        await best_laid(ada, deal)
        await ada.press(deal, "Draw")
        await expect(deal).to_contain_text("You drew")
        await expect(deal.get_by_role("button", name="Undo")).to_be_disabled()
        await best_laid(ada, deal)
        await expect(deal).to_contain_text("4 of 56 tiles laid · boneyard 46")
        await ada.look("attack-played", deal)
        (points,) = re.findall(r"(\d+) points ·", await deal.inner_text())

        await ada.page.reload()
        await ada.settled()
        deal = await ada.answer_to("/tiles solo figure:today")
        await expect(deal).to_contain_text(f"{points} points · 4 of 56 tiles laid · boneyard 46")

        await nearly_over(store, int(ada.page.url.split("as=")[1].split("&")[0]), day)
        deal = await ada.answer_to("/tiles solo figure:today")
        await ada.press(deal, "End it")
        await expect(deal).to_contain_text("It is over: ")
        (made,) = re.findall(r"It is over: (\d+) points", await deal.inner_text())
        await expect(deal).to_contain_text("Ended on this server, with this deal")
        await expect(deal).to_contain_text(f"Ada · {made}")
        await expect(deal).to_contain_text(f"Your best: {made} points")
        await expect(deal).to_contain_text("Streak: 1 day")
        await ada.look("attack-over", deal)
        before = await ada.public.count()
        await ada.press(deal, "Show it to all")
        await expect(ada.public).to_have_count(before + 1)
        await expect(ada.public.last).to_contain_text(f"Ada made {made} points alone")
        await expect(ada.public.last.get_by_test_id("picture")).to_have_count(0)
        await ada.look("attack-shown", ada.public.last)
        await ada.press(deal, "Practise this deal")
        await expect(deal).to_contain_text("Practice: this does not count.")
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def best_laid(ada: Tab, deal: Locator) -> None:
    """Choose the best move of the deal of the day."""
    await deal.get_by_role("button", name="Choose a move").click()
    await ada.page.get_by_test_id("select-option").first.click()


async def test_a_puzzle_is_pointed_at_wrongly_hinted_at_solved_and_shown_to_all(
    browser: Browser, playground: Playground
) -> None:
    puzzle = puzzle_of_today()
    async with tab(browser, playground.address, "Ada", size=PHONE) as ada:
        message = await ada.answer_to(f"/tiles daily game:{puzzle.game} date:{puzzle.day}")
        await expect(message).to_contain_text("3 tries left")
        await ada.look("daily", message)

        await point(ada, message, wrong_answers(puzzle, 1)[0])
        await ada.look("daily-chosen", message)
        await ada.press(message, re.compile("^Answer"))
        await expect(message).to_contain_text("2 tries left")
        await expect(message).to_contain_text("Not it: ")
        await ada.press(message, re.compile("^Hint"))
        await expect(message).to_contain_text("Hint: look at")
        for value in answer_of(puzzle):
            await point(ada, message, value)
        # What lies there is confirmed in the picture, too.
        (((press, _, place, _)),) = await targets(message)
        assert press.startswith("by:dailyanswer")
        await pointing.click(ada, message.get_by_test_id(f"place-{place}"))
        await expect(message).to_contain_text("Solved with 2 tries and the hint!")
        await ada.look("daily-solved", message)

        await ada.press(message, "Show the others")
        card = ada.public.filter(has_text="solved it with 2 of 3 tries: 🔺🟢💡").last
        await expect(card.get_by_test_id("picture").locator("img")).to_have_attribute(
            "alt", re.compile(r"Ada solved it with 2 of 3 tries: 🔺🟢💡\. The hint was taken\.$")
        )
        await expect(card.get_by_role("listitem")).to_have_text("Ada 🔺🟢💡")
        await ada.look("daily-card", card)
        assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
