"""Another page in the same browser can neither act in the playground nor read it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, expect

from bot.playground.launch import open_redirect_file
from tests.e2e.playground import Playground
from tests.e2e.tab import open_tab
from tests.wording import has_sentence

ATTACK = Path(__file__).with_name("attack.html").read_text()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def elsewhere() -> AsyncIterator[tuple[list[str], int]]:
    pages = [""]
    app = web.Application()

    async def serve(_: web.Request) -> web.Response:
        return web.Response(text=pages[0], content_type="text/html")

    app.router.add_get("/", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield pages, runner.addresses[0][1]
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_foreign_page_cannot_act_or_read(
    browser: Browser, playground: Playground, elsewhere: tuple[list[str], int], host: str
) -> None:
    pages, port = elsewhere
    async with open_tab(browser, playground.address, "Ada") as ada:
        before = await read_local_state(ada.page)
        channel, me = before["channels"][0]["id"], before["people"][0]["id"]
        command = {"as": me, "channel_id": channel, "command": "tiles", "path": ["new"], "options": {}}
        key = playground.address.partition("?")[2]
        bodies = {f"/local/commands?{key}": command, f"/local/people?{key}": {"name": "Mallory"}}
        pages[0] = (
            ATTACK.replace("TARGET", json.dumps(playground.url))
            .replace("BODIES", json.dumps(bodies))
            .replace("READ", json.dumps(f"/local/channels/{channel}/messages?as={me}&{key}"))
            .replace("EVENTS", json.dumps(f"/local/events?as={me}&{key}"))
        )
        # the same profile, so the browser sends all its cookies
        foreign_page = await ada.page.context.new_page()
        await foreign_page.goto(f"http://{host}:{port}/")
        await foreign_page.wait_for_function("window.results")
        results: dict[str, str] = await foreign_page.evaluate("window.results")
        texts = [await frame.content() for frame in foreign_page.frames[1:]]
        await foreign_page.close()

        read_results = {name: got for name, got in results.items() if not name.startswith("no-cors")}
        assert set(read_results.values()) == {"TypeError", "refused", "closed"}
        # a page may always send blind requests, but it learns only that a request was sent
        assert {got for name, got in results.items() if name.startswith("no-cors")} <= {"opaque", "TypeError"}
        assert all('data-testid="composer"' not in text and "Welcome" not in text for text in texts)
        assert await read_local_state(ada.page) == before

        fetch_script = (
            "(body) => fetch('/local/people?key=' + new URLSearchParams(location.search).get('key'), "
            "{method: 'POST', body: JSON.stringify(body)}).then((got) => got.status)"
        )
        assert await ada.page.evaluate(fetch_script, {"name": f"Guest from {host}"}) == 201, "the page itself may"


async def test_startup_file_opens_page_but_does_not_redirect_elsewhere(
    browser: Browser, playground: Playground, elsewhere: tuple[list[str], int], tmp_path: Path
) -> None:
    pages, port = elsewhere
    async with await browser.new_page() as page:
        with open_redirect_file(tmp_path, playground.address) as file:
            await page.goto(file)
            await expect(page.get_by_test_id("composer")).to_be_visible()
        pages[0] = f'<a href="{playground.url}/?key=guessed">free tiles</a>'
        await page.goto(f"http://127.0.0.1:{port}/")
        await page.get_by_role("link").click()
        await expect(page.get_by_role("heading", name="This address needs a key")).to_be_visible()


async def test_rebound_host_name_is_refused(browser: Browser, playground: Playground) -> None:
    async with await browser.new_page() as page:
        answer = await page.goto(f"http://rebound.localhost:{playground.port}/")
        assert answer.status == 403
        assert has_sentence(await answer.text(), "page.refused_address", address=f"http://127.0.0.1:{playground.port}")


async def read_local_state(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(
        """async () => {
            const headers = { "X-Boneyard-Key": new URLSearchParams(location.search).get("key") };
            const read = async (path) => (await fetch(path, { headers })).json();
            const { people, channels } = await read("/local/state");
            const said = {};
            for (const { id } of channels)
                for (const who of people)
                    said[id + who.id] = (await read(`/local/channels/${id}/messages?as=${who.id}`)).messages;
            return { people, channels: channels.map(({ id, name }) => ({ id, name })), said };
        }"""
    )
    return found
