"""Moves with a mouse in the private picture: a tile, then its place."""

import asyncio
from contextlib import suppress

from playwright.async_api import Locator, expect

from tests.e2e import moves
from tests.e2e.playground import STEP_TIMEOUT
from tests.e2e.tab import Tab

MIDDLE = """area => {
  const box = area.ownerSVGElement.getBoundingClientRect(), view = area.ownerSVGElement.viewBox.baseVal;
  const all = [...area.points], sum = (way) => all.reduce((total, point) => total + point[way], 0) / all.length;
  return [box.left + sum("x") / view.width * box.width, box.top + sum("y") / view.height * box.height];
}"""
"""Return the middle of an area in the window."""


async def locate_middle(area: Locator) -> tuple[float, float]:
    await area.scroll_into_view_if_needed()
    x, y = await area.evaluate(MIDDLE)
    return x, y


async def click(tab: Tab, area: Locator) -> None:
    await tab.page.mouse.click(*await locate_middle(area))


async def drag(tab: Tab, area: Locator, to: Locator) -> None:
    await locate_middle(area)
    # scrolling to one may move the other, so both are measured afterwards
    goal, mouse = await locate_middle(to), tab.page.mouse
    await mouse.move(*await area.evaluate(MIDDLE))
    await mouse.down()
    await mouse.move(*goal, steps=4)
    await mouse.up()


async def point_through_turn(tab: Tab, hand: Locator, turn: str) -> int:
    points = 0
    while turn in await hand.inner_text():
        async with asyncio.timeout(STEP_TIMEOUT):
            before = await moves.read_picture_source(hand)
            while await moves.read_picture_source(hand) == before:
                points += await _point_once(tab, hand, points)
                # A new message moves the picture under the mouse, so the player clicks again.
                with suppress(TimeoutError):
                    async with asyncio.timeout(moves.RETRY_SECONDS):
                        while await moves.read_picture_source(hand) == before:  # noqa: ASYNC110 - the page is another process
                            await asyncio.sleep(0.05)
    return points


async def _point_once(tab: Tab, hand: Locator, before: int) -> int:
    tiles = hand.locator(".area-tile:not(.idle)")
    places = hand.locator(".area-place:not(.idle)")
    points = 1
    if await hand.locator(".press-success").count():
        await expect(hand.get_by_test_id("pointing")).to_be_visible()
        await click(tab, places.first)
    elif not await hand.get_by_test_id("select").count():
        await hand.get_by_test_id("button").first.click()
        return 0
    else:
        await expect(hand.get_by_test_id("pointing")).to_be_visible()
        if before % 2 == 0 or not await places.count():
            await click(tab, tiles.first)
            if await hand.locator(".area-place.open").count():
                points += 1
                await click(tab, hand.locator(".area-place.open").first)
        else:
            await tiles.first.hover()
            await drag(tab, tiles.first, await _find_open_place(tab, hand, tiles.first))
    if await (options := tab.page.get_by_test_id("select-option")).count():
        await options.first.click()
    return points


async def _find_open_place(tab: Tab, hand: Locator, tile: Locator) -> Locator:
    """Return a place where a tile fits, by selecting the tile and putting it back."""
    await click(tab, tile)
    number = await hand.locator(".area-place.open").first.get_attribute("data-testid")
    await click(tab, tile)
    return hand.get_by_test_id(str(number))
