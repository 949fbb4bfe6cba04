"""The ways a person makes a move, by the page alone, and a match that is played on until something happens."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress

from playwright.async_api import Locator, expect
from playwright.async_api import TimeoutError as NothingHappened

from tests.e2e.playground import PATIENCE
from tests.e2e.tab import Tab

PLAY = re.compile(r"^Play( [+−]?\d+)?$")
PLAYED = re.compile(r"[\w)] (played|opened with|could not play)|The match is over")
"""What a private message says after a move: of oneself, by name where the next turn has begun, or that all is over."""
POINTS = re.compile(r"· (best )?[+−]?\d")
OVER = re.compile(r"(Triominoes|Quad-Ominos|Points|Muggins|Star|Trioker): .+ (wins|share the win)")
CHOICES = re.compile(r"^([+−]?\d+ points|End my turn|Draw|Pass)$")  # What may be pressed where no tile is to be chosen

AGAIN = 10.0  # Seconds after which somebody presses again

Way = Callable[[Tab, Locator], Awaitable[None]]  # A way to move: the tab of the player, and the message that calls them


class MatchOver(Exception):  # noqa: N818 - no error: who is called and plays on in the same hand ends it themselves
    """There is no hand any more: the call was for a turn of a match that is over."""


async def newest_private(tab: Tab) -> str:
    """The id of the last private message; empty where there is none."""
    return str(await tab.private.last.get_attribute("data-message-id")) if await tab.private.count() else ""


async def opened_hand(tab: Tab, source: Locator, label: str = "My hand") -> Locator:
    known = await newest_private(tab)
    async with asyncio.timeout(PATIENCE):
        while True:
            gone = not await source.count()
            if gone and await tab.board.count() and not await tab.board.get_by_role("button", name=label).count():
                raise MatchOver
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN):
                    await tab.press(tab.board if gone else source, label)
            # Where the bot had not even three seconds' worth of a processor, a person presses again.
            with suppress(AssertionError):
                await expect(tab.private.last).not_to_have_attribute("data-message-id", known, timeout=AGAIN * 1000)
                break
    hand = tab.fixed(await tab.private.last.get_attribute("data-message-id"))
    await expect(hand.get_by_test_id("picture")).to_be_visible()
    return hand


async def chosen(tab: Tab, hand: Locator) -> None:
    tiles_first = await hand.get_by_role("button", name="Choose a tile…").count()
    await tab.choose(hand)
    if tiles_first:
        await expect(hand.get_by_role("button", name=re.compile("^Where to"))).to_be_visible()
        await tab.choose(hand)


async def by_menu(tab: Tab, call: Locator) -> None:
    hand = await opened_hand(tab, call)
    await chosen(tab, hand)
    await tab.press(hand, PLAY)
    await expect(hand).to_contain_text(PLAYED)


async def by_pressing(tab: Tab, call: Locator) -> None:
    await put_away(tab)
    await pressed_through(tab, await opened_hand(tab, call))


async def pressed_through(tab: Tab, hand: Locator) -> None:
    while "Your turn" in await hand.inner_text():
        before = await pictured(hand)
        if await (play := hand.get_by_role("button", name=PLAY)).count():
            await play.click()
        elif await (menu := hand.get_by_test_id("select")).count():
            await menu.first.click()
            await tab.page.get_by_test_id("select-option").first.click()
        else:
            await hand.get_by_role("button", name=CHOICES).first.click()
        async with asyncio.timeout(PATIENCE):
            while await pictured(hand) == before:  # noqa: ASYNC110 - the page is another process
                await asyncio.sleep(0.05)


async def pictured(hand: Locator) -> str:
    """Where the picture of a private message comes from; nothing where it has none."""
    return str(await hand.evaluate("one => one.querySelector('[data-testid=picture] img')?.src ?? ''"))


async def put_away(tab: Tab) -> None:
    while await tab.private.count():
        left = await tab.private.count()
        await dismissed(tab.private.first)
        await expect(tab.private).to_have_count(left - 1)


async def dismissed(private: Locator) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(NothingHappened):
                await private.get_by_test_id("dismiss").click(timeout=AGAIN * 1000)
                return


async def at_once(tab: Tab, call: Locator) -> None:
    """My hand, choose: for people who have switched the question off. What was private before is put away first."""
    await put_away(tab)
    hand = await opened_hand(tab, call)
    without_asking = hand.get_by_role("button", name="Play without asking")
    if await without_asking.count():
        await without_asking.click()
        await expect(hand.get_by_role("button", name="Ask before playing")).to_be_visible()
    await chosen(tab, hand)
    await expect(hand).to_contain_text(PLAYED)


async def by_typing(tab: Tab, call: Locator) -> None:
    """`/tiles play`, with the first suggestion for the tile and for its place, on the keyboard alone."""
    known = await newest_private(tab)
    await tab.type("/tiles play ")
    await _first_suggestion(tab, "tile")
    await expect(tab.suggestions.first).to_contain_text("place")
    await tab.key("ArrowDown", "Enter")
    await _first_suggestion(tab, "place")
    await tab.key("Enter")
    await expect(tab.private.last).not_to_have_attribute("data-message-id", known)
    await expect(tab.private.last).to_contain_text(PLAYED)


async def _first_suggestion(tab: Tab, option: str) -> None:
    await expect(tab.option(option)).to_be_focused()
    await expect(tab.suggestions.first).to_contain_text(POINTS)
    await tab.key("Enter")


class Course:
    def __init__(
        self, tabs: Sequence[Tab], *, before: int = 0, pause: float = 0.0, over: re.Pattern[str] = OVER
    ) -> None:
        self._tabs = tabs
        self._pause = pause
        """Seconds to look twice whether a call is still good: where computers play, some are soon taken back."""
        self._over = over
        """What stands at the end, in the language of the server."""
        self._before = before
        """How many matches were over in this channel before."""
        self.turns = 0
        self._answered: set[str] = set()
        self._mover: Tab | None = None
        """Who moved last, until somebody else has looked at their hand."""

    async def call(self) -> tuple[Tab, Locator] | None:
        """The player whose turn it is, and the message that calls them, or the board where they have just looked;
        None when the match is over.
        """
        async with asyncio.timeout(PATIENCE):
            while True:
                for tab in self._tabs:
                    message = tab.calls.last
                    for message_id in await tab.calls.evaluate_all("all => all.map(one => one.dataset.messageId)"):
                        if message_id not in self._answered:
                            self._answered.add(message_id)
                            message = tab.fixed(message_id)
                            await asyncio.sleep(self._pause)
                            if self._pause and not await message.count():
                                continue
                            self.turns += 1
                            self._mover = tab
                            return tab, message
                if (next_one := await self._looked()) is not None:
                    self.turns += 1
                    self._mover = next_one
                    return next_one, next_one.board
                if await self._tabs[0].messages.filter(has_text=self._over).count() > self._before:
                    return None
                await asyncio.sleep(0.05)

    async def _looked(self) -> Tab | None:
        """Where the last move can still be taken back, the others look at their hand and put it away: it stands. Whose
        turn that begins, who is not called for it.
        """
        mover = self._mover
        if mover is None or not await mover.board.filter(has_text="can take that back").count():
            return None
        self._mover = found = None
        for tab in self._tabs:
            if tab is not mover:
                # What is put away before the answer has come would come back with it.
                hand = await opened_hand(tab, tab.board)
                if await hand.get_by_test_id("select").or_(hand.get_by_role("button", name=CHOICES)).count():
                    found = tab
                await dismissed(hand)
                await expect(hand).to_have_count(0)
        return found

    async def play(self, ways: Iterator[Way], most: int = 1000) -> bool:
        for _ in range(most):
            called = await self.call()
            if called is None:
                return False
            with suppress(MatchOver):
                await next(ways)(*called)
        return True
