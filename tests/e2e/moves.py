"""The ways to make a move on the page, and a match that continues until a condition holds."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.async_api import Locator, expect
from playwright.async_api import TimeoutError as PageTimeout

from tests.e2e.playground import STEP_TIMEOUT
from tests.e2e.tab import Tab

PLAY = re.compile(r"^Play( [+−]?\d+)?$")
PLAYED = re.compile(r"[\w)] (played|opened with|couldn't play)|: .+ (wins|share the win)")
"""Text of a private message after a move: the own result, the next player, or the end of the match."""
POINTS = re.compile(r"· (best )?[+−]?\d")
FINAL_TEXT = re.compile(r"(Triominoes|Quad-Ominos|Points|Muggins|Star|Trioker): .+ (wins|share the win)")
CHOICES = re.compile(r"^([+−]?\d+ points|End turn|Draw|Pass)$")
"""Buttons that can be clicked if no tile is to be selected."""

RETRY_SECONDS = 10.0  # Seconds until a player clicks again

MoveMethod = Callable[[Tab, Locator], Awaitable[None]]
"""A way to move: takes the tab of the player and the message with the mention."""


class MatchOver(Exception):  # noqa: N818 - no error: who is called and plays on in the same hand ends it themselves
    """The mention belongs to a match that is over, so there is no hand."""


async def open_hand(tab: Tab, source: Locator, label: str = "My hand") -> Locator:
    known_id = await tab.read_last_private_id()
    async with asyncio.timeout(STEP_TIMEOUT):
        while True:
            is_gone = not await source.count()
            if is_gone and await tab.board.count() and not await tab.board.get_by_role("button", name=label).count():
                raise MatchOver
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS):
                    await tab.click_button(tab.board if is_gone else source, label)
            # If the bot had less than three seconds of CPU time, the player clicks again.
            with suppress(AssertionError):
                await expect(tab.private_messages.last).not_to_have_attribute(
                    "data-message-id", known_id, timeout=RETRY_SECONDS * 1000
                )
                break
    hand = await tab.find_last_private()
    await expect(hand.get_by_test_id("picture")).to_be_visible()
    return hand


async def choose_move(tab: Tab, hand: Locator) -> None:
    tiles_first = await hand.get_by_role("button", name="Choose a tile…").count()
    await tab.choose_option(hand)
    if tiles_first:
        await expect(hand.get_by_role("button", name=re.compile("^Where to"))).to_be_visible()
        await tab.choose_option(hand)


async def move_by_menu(tab: Tab, call: Locator) -> None:
    hand = await open_hand(tab, call)
    await choose_move(tab, hand)
    await tab.click_button(hand, PLAY)
    await expect(hand).to_contain_text(PLAYED)


async def play_best_moves(hand: Locator) -> float:
    """Play a match to its end in one private message, with its first button. Return the presses for each tile."""
    presses = tiles = 0
    verbs = ("play", "choose", "draw", "pass")
    buttons = hand.locator(", ".join(f'button[data-custom-id^="by:{verb}:"]' for verb in verbs))
    rematch = hand.get_by_role("button", name="Rematch")
    while True:
        await expect(buttons.or_(rematch).first).to_be_visible()
        if await rematch.count():
            return presses / tiles
        custom_id = str(await buttons.first.get_attribute("data-custom-id"))
        await buttons.first.click()
        presses, tiles = presses + 1, tiles + custom_id.startswith("by:play:")
        await expect(hand.locator(f'[data-custom-id="{custom_id}"]')).to_have_count(0)


async def move_by_clicking(tab: Tab, call: Locator) -> None:
    await dismiss_all(tab)
    await click_through_turn(tab, await open_hand(tab, call))


async def click_through_turn(tab: Tab, hand: Locator) -> None:
    while "Your turn" in await hand.inner_text():
        before = await read_picture_source(hand)
        if await (play := hand.locator('button[data-custom-id^="by:play:"]')).count():
            await play.first.click()
        elif await (menu := hand.get_by_test_id("select")).count():
            await menu.first.click()
            await tab.page.get_by_test_id("select-option").first.click()
        else:
            await hand.get_by_role("button", name=CHOICES).first.click()
        async with asyncio.timeout(STEP_TIMEOUT):
            while await read_picture_source(hand) == before:  # noqa: ASYNC110 - the page is another process
                await asyncio.sleep(0.05)


async def read_picture_source(hand: Locator) -> str:
    """Return the source of the picture of a private message; empty if there is none."""
    return str(await hand.evaluate("one => one.querySelector('[data-testid=picture] img')?.src ?? ''"))


async def dismiss_all(tab: Tab) -> None:
    while await tab.private_messages.count():
        count = await tab.private_messages.count()
        await dismiss_message(tab.private_messages.first)
        await expect(tab.private_messages).to_have_count(count - 1)


async def dismiss_message(private: Locator) -> None:
    async with asyncio.timeout(STEP_TIMEOUT):
        while True:
            with suppress(PageTimeout):
                await private.get_by_test_id("dismiss").click(timeout=RETRY_SECONDS * 1000)
                return


async def move_without_preview(tab: Tab, call: Locator) -> None:
    """Move by My hand, for players without an automatic hand. Dismiss the earlier private message first."""
    await dismiss_all(tab)
    hand = await open_hand(tab, call)
    skip_preview = hand.get_by_role("button", name="Skip preview")
    if await skip_preview.count():
        await skip_preview.click()
        await expect(hand.get_by_role("button", name="Show preview")).to_be_visible()
    await choose_move(tab, hand)
    await expect(hand).to_contain_text(PLAYED)


async def move_by_typing(tab: Tab, call: Locator) -> None:
    """Move by `/tiles play` with the first suggestions, using only the keyboard."""
    known_id = await tab.read_last_private_id()
    await tab.type_text("/tiles play ")
    await _accept_first_suggestion(tab, "tile")
    await expect(tab.suggestions.first).to_contain_text("place")
    await tab.press_keys("ArrowDown", "Enter")
    await _accept_first_suggestion(tab, "place")
    await tab.press_keys("Enter")
    await expect(tab.private_messages.last).not_to_have_attribute("data-message-id", known_id)
    await expect(tab.private_messages.last).to_contain_text(PLAYED)


async def _accept_first_suggestion(tab: Tab, option: str) -> None:
    await expect(tab.find_option(option)).to_be_focused()
    await expect(tab.suggestions.first).to_contain_text(POINTS)
    await tab.press_keys("Enter")


@dataclass
class MatchDriver:
    tabs: Sequence[Tab]
    ended_matches: int = 0  # Number of matches that ended earlier in this channel
    pause: float = 0.0
    """Seconds between two checks of a mention. Tables with computers soon delete some mentions."""
    final_text: re.Pattern[str] = FINAL_TEXT  # The final text, in the language of the guild
    _handled_mentions: set[str] = field(default_factory=set)
    _last_mover: Tab | None = None
    """The player of the last move, until another player has opened a hand."""

    async def wait_for_turn(self) -> tuple[Tab, Locator] | None:
        """Return the player to move, and the message with the mention or the board.

        Returns None when the match is over.
        """
        async with asyncio.timeout(STEP_TIMEOUT):
            while True:
                for tab in self.tabs:
                    message = tab.mentions.last
                    for message_id in await tab.mentions.evaluate_all("all => all.map(one => one.dataset.messageId)"):
                        if message_id not in self._handled_mentions:
                            self._handled_mentions.add(message_id)
                            message = tab.find_message_by_id(message_id)
                            await asyncio.sleep(self.pause)
                            if self.pause and not await message.count():
                                continue
                            self._last_mover = tab
                            return tab, message
                if (next_one := await self._end_undo_period()) is not None:
                    self._last_mover = next_one
                    return next_one, next_one.board
                if await self.tabs[0].public_messages.filter(has_text=self.final_text).count() > self.ended_matches:
                    return None
                await asyncio.sleep(0.05)

    async def _end_undo_period(self) -> Tab | None:
        """End the undo period: the other players open and dismiss their hands.

        Returns the player whose turn starts without a mention.
        """
        mover = self._last_mover
        if mover is None or not await mover.board.filter(has_text="can take this back").count():
            return None
        self._last_mover = found = None
        for tab in self.tabs:
            if tab is not mover:
                # A message that is dismissed before the response arrives would reappear with the response.
                hand = await open_hand(tab, tab.board)
                if await hand.get_by_test_id("select").or_(hand.get_by_role("button", name=CHOICES)).count():
                    found = tab
                await dismiss_message(hand)
                await expect(hand).to_have_count(0)
        return found

    async def play(self, methods: Iterator[MoveMethod], max_turns: int = 1000) -> bool:
        for _ in range(max_turns):
            turn = await self.wait_for_turn()
            if turn is None:
                return False
            with suppress(MatchOver):
                await next(methods)(*turn)
        return True
