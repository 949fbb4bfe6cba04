"""A browser and a playground, shared by the tests of a module because both start slowly.

All tests are deep except one match, so that an ordinary run tries the page too.
"""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.e2e.playground import STEP_TIMEOUT, Playground

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The browser without windows, if available. It renders the same and uses a fifth less CPU time."""
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

expect.set_options(timeout=STEP_TIMEOUT * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)
            item.add_marker(pytest.mark.timeout(1800))
            if item.path.name != "test_keyboard_only.py":
                item.add_marker(pytest.mark.deep)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium-headless-shell")
    async with (
        async_playwright() as playwright,
        await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as chromium,
    ):
        yield chromium


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playground(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Playground]:
    """`boneyard play` on a free port, with an empty folder."""
    async with Playground(tmp_path_factory.mktemp("playground")) as running:
        yield running
