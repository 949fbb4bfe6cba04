"""The ways to make a move on the page, and a match that continues until a condition holds."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress

from playwright.async_api import Locator, expect
from playwright.async_api import TimeoutError as NothingHappened

from tests.e2e.playground import PATIENCE
from tests.e2e.tab import Tab

PLAY = re.compile(r"^Play( [+−]?\d+)?$")
PLAYED = re.compile(r"[\w)] (played|opened with|couldn't play)|The match is over")
"""Text of a private message after a move: the own result, the next player, or the end of the match."""
POINTS = re.compile(r"· (best )?[+−]?\d")
OVER = re.compile(r"(Triominoes|Quad-Ominos|Points|Muggins|Star|Trioker): .+ (wins|share the win)")
CHOICES = re.compile(
    r"^([+−]?\d+ points|End turn|Draw|Pass)$"
)  # Buttons that can be clicked if no tile is to be selected

AGAIN = 10.0  # Seconds until a player clicks again

Way = Callable[
    [Tab, Locator], Awaitable[None]
]  # A way to move: takes the tab of the player and the message with the mention


class MatchOver(Exception):  # noqa: N818 - no error: who is called and plays on in the same hand ends it themselves
    """The mention belongs to a match that is over, so there is no hand."""


async def newest_private(tab: Tab) -> str:
    """Return the id of the last private message; empty if there is none."""
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
            # If the bot had less than three seconds of CPU time, the player clicks again.
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
    """Return the source of the picture of a private message; empty if there is none."""
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
    """Move by My hand, for players without an automatic hand. Dismiss the earlier private message first."""
    await put_away(tab)
    hand = await opened_hand(tab, call)
    without_asking = hand.get_by_role("button", name="Skip preview")
    if await without_asking.count():
        await without_asking.click()
        await expect(hand.get_by_role("button", name="Show preview")).to_be_visible()
    await chosen(tab, hand)
    await expect(hand).to_contain_text(PLAYED)


async def by_typing(tab: Tab, call: Locator) -> None:
    """Move by `/tiles play` with the first suggestions, using only the keyboard."""
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
        """Seconds between two checks of a mention. Tables with computers soon delete some mentions."""
        self._over = over
        """The final text, in the language of the guild."""
        self._before = before
        """Number of matches that ended earlier in this channel."""
        self.turns = 0
        self._answered: set[str] = set()
        self._mover: Tab | None = None
        """The player of the last move, until another player has opened a hand."""

    async def call(self) -> tuple[Tab, Locator] | None:
        """Return the player to move, and the message with the mention or the board.

        Returns None when the match is over.
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
        """End the undo period: the other players open and dismiss their hands.

        Returns the player whose turn starts without a mention.
        """
        mover = self._mover
        if mover is None or not await mover.board.filter(has_text="can take this back").count():
            return None
        self._mover = found = None
        for tab in self._tabs:
            if tab is not mover:
                # A message that is dismissed before the response arrives would reappear with the response.
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
