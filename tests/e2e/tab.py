"""A browser tab with its own profile, controlled as one user."""

import os
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Locator, Page, ViewportSize, expect
from yarl import URL

from tests.e2e.playground import STEP_TIMEOUT

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}


class Tab:
    """The actions and view of one user. `console_errors` are the messages of the browser console."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.name = name
        self.console_errors: list[str] = []
        self._screenshot_numbers = count(1)
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        page.on("console", self._record_console_message)

    def _record_console_message(self, message: ConsoleMessage) -> None:
        # while the server is down, the browser logs every failed connection
        if message.type in ("error", "warning") and "net::ERR_" not in message.text:
            self.console_errors.append(message.text)

    @property
    def messages(self) -> Locator:
        return self.page.get_by_test_id("message")

    def find_message(self, text: str | re.Pattern[str]) -> Locator:
        return self.messages.filter(has_text=text).last

    @property
    def private_messages(self) -> Locator:
        return self.page.locator('[data-testid="message"][data-ephemeral="true"]')

    @property
    def mentions(self) -> Locator:
        return self.page.locator('[data-testid="message"].calls-me')

    def find_message_by_id(self, message_id: str | None) -> Locator:
        return self.page.locator(f'[data-message-id="{message_id}"]')

    async def read_last_private_id(self) -> str:
        """Return the id of the last private message; empty if there is none."""
        last = self.private_messages.last
        return str(await last.get_attribute("data-message-id")) if await last.count() else ""

    async def find_last_private(self) -> Locator:
        """Return the private message that is the last one once there is one."""
        await expect(self.private_messages.last).to_be_visible()
        return self.find_message_by_id(await self.read_last_private_id())

    @property
    def public_messages(self) -> Locator:
        return self.page.locator('[data-testid="message"][data-ephemeral="false"]')

    @property
    def board(self) -> Locator:
        return (
            self.messages.filter(has=self.page.get_by_test_id("picture"))
            .filter(has_text=re.compile(r"(Table|Tisch) \d+ · (move|Zug) \d+"))
            .last
        )

    async def wait_until_ready(self) -> None:
        """Wait until the page shows that the bot is connected and the messages are loaded."""
        await expect(self.page.locator("#banner")).to_be_empty()
        await expect(self.page.get_by_test_id("composer")).to_have_attribute("placeholder", re.compile("/tiles new"))
        await expect(self.page.locator("#log-top")).not_to_be_empty()

    async def save_screenshot(self) -> None:
        """Save a numbered screenshot if `BONEYARD_SCREENSHOTS` names a folder."""
        if folder := os.environ.get("BONEYARD_SCREENSHOTS"):
            test = os.environ["PYTEST_CURRENT_TEST"].partition("::")[2]
            name = re.sub(r"\W+", "-", f"{test} {self.name} {next(self._screenshot_numbers):03}")
            await self.page.wait_for_timeout(250)  # wait until pictures have faded in
            await self.page.screenshot(path=Path(folder) / f"{name}.png")

    async def click_button(self, message: Locator, label: str | re.Pattern[str]) -> None:
        await self.save_screenshot()
        await message.get_by_role("button", name=label).click()

    async def choose_option(self, message: Locator, option: int = 0) -> None:
        await message.get_by_test_id("select").click()
        await self.save_screenshot()
        await self.page.get_by_test_id("select-option").nth(option).click()

    async def type_text(self, text: str) -> None:
        """Type into the message box; commands move the keyboard focus."""
        await self.page.get_by_test_id("composer").focus()
        await self.page.keyboard.type(text)

    async def press_keys(self, *keys: str) -> None:
        for one in keys:
            await self.page.keyboard.press(one)

    def find_option(self, name: str) -> Locator:
        """Return the input of a command option in the message box."""
        return self.page.get_by_test_id(f"option-{name}")

    @property
    def suggestions(self) -> Locator:
        return self.page.get_by_test_id("suggestion")

    async def send_command(self, line: str) -> None:
        await self.type_text(line)
        await self.save_screenshot()
        send = self.page.get_by_test_id("send")
        await send.click()
        await expect(send).not_to_have_attribute("aria-busy", "true")
        await expect(self.page.get_by_test_id("composer")).to_have_value("")

    async def send_and_wait(self, line: str) -> Locator:
        """Type and send a command, and wait for its private response."""
        known_id = await self.read_last_private_id()
        await self.send_command(line)
        await expect(self.private_messages.last).to_be_visible()
        await expect(self.private_messages.last).not_to_have_attribute("data-message-id", known_id)
        return await self.find_last_private()


@asynccontextmanager
async def open_tab(
    browser: Browser, address: str, name: str, *, size: ViewportSize = DESKTOP, locale: str = "en-GB", **more: Any
) -> AsyncIterator[Tab]:
    async with await browser.new_context(viewport=size, reduced_motion="reduce", locale=locale, **more) as context:
        context.set_default_timeout(STEP_TIMEOUT * 1000)
        user_id = await _prepare_user(context, URL(address), name, locale)
        one = Tab(await context.new_page(), name)
        await one.page.goto(f"{address}&as={user_id}")
        await one.wait_until_ready()
        try:
            yield one
            await one.save_screenshot()
        except Exception as failed:
            with suppress(Error):
                failed.add_note(f"{name} reads:\n{await one.page.locator('#log').inner_text()}")
            raise
        assert one.console_errors == []


def open_phone(browser: Browser, address: str, name: str, **more: Any) -> AbstractAsyncContextManager[Tab]:
    return open_tab(browser, address, name, size=PHONE, has_touch=True, is_mobile=True, **more)


async def _prepare_user(context: BrowserContext, address: URL, name: str, locale: str) -> str:
    headers = {"X-Boneyard-Key": address.query["key"], "Origin": str(address.origin())}
    local = address.with_query(None) / "local"
    state = await (await context.request.get(str(local / "state"), headers=headers)).json()
    payload = {"as": state["people"][0]["id"], "language": locale}
    answer = await context.request.post(str(local / "language"), headers=headers, data=payload)
    assert answer.ok, await answer.text()
    (user,) = [person for person in state["people"] if person["username"] == name]
    return str(user["id"])


async def focus_button(one: Tab, to: str | re.Pattern[str]) -> None:
    """Press Shift+Tab until the last control of this name has the focus, at most once per control."""
    await expect(one.page.get_by_role("button", name=to).last).to_be_visible()
    goal = one.page.get_by_role("button", name=to).last
    for key in ["Shift+Tab"] * 60 + ["Tab"] * 120:
        if await goal.evaluate("(node) => node === document.activeElement"):
            return
        await one.press_keys(key)
    raise AssertionError(f"the keyboard does not reach {to}")
