"""The playground process: restarts, faults and clean shutdown."""

import re
import socket
from collections import Counter
from pathlib import Path

from playwright.async_api import Browser, Route, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground, is_alive, wait_until_dead
from tests.e2e.tab import open_tab


def mask_times(text: str) -> str:
    return re.sub(r"\b(tomorrow|in \d+ (hours|minutes))\b", "then", text)


async def test_match_continues_after_playground_is_killed(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Ada") as ada:
        await ada.send_command("/tiles new seats:2 computers:1 target:50")
        match = MatchDriver([ada])
        assert await match.play(iter([moves.move_by_menu, moves.move_without_preview]), 2)
        _, call = await match.wait_for_turn()
        board = ada.find_message_by_id(await ada.board.get_attribute("data-message-id"))
        before = mask_times(await ada.board.locator(".content").inner_text())
        orphan = playground.bot
        # The local Discord saves messages after a short delay, so a kill within that delay loses them.
        await ada.page.wait_for_timeout(5000)

        await playground.kill()
        await expect(ada.page.locator("#banner")).to_contain_text("Lost the connection to the local server")
        assert await wait_until_dead(orphan)

        await playground.start()
        await ada.wait_until_ready()
        assert mask_times(await board.locator(".content").inner_text()) == before
        await moves.move_without_preview(ada, call)  # Ada's setting to skip confirmations is kept, too
        while await match.wait_for_turn() is not None:
            await moves.move_without_preview(ada, board)
        await expect(ada.find_message(moves.FINAL_TEXT)).to_contain_text("Not rated")


async def test_page_reloads_after_missing_file(browser: Browser, playground: Playground) -> None:
    lost_requests = 0

    async def lose_request(route: Route) -> None:
        nonlocal lost_requests
        lost_requests += 1
        await (route.abort() if lost_requests < 3 else route.continue_())

    async with open_tab(browser, playground.address, "Grace") as grace:
        await grace.page.route("**/page/markdown.js", lose_request)
        await grace.page.reload(wait_until="commit")
        await grace.wait_until_ready()
        assert lost_requests == 3, "twice in vain, and then it came"


async def test_network_change_loses_and_duplicates_nothing(browser: Browser, playground: Playground) -> None:
    request_counts: Counter[str] = Counter()

    async def cut_off_once(route: Route) -> None:
        asked = f"{route.request.method} {route.request.url} {route.request.post_data}"
        request_counts[asked] += 1
        if request_counts[asked] > 1:
            await route.continue_()
            return
        if route.request.method == "POST":
            await route.fetch()
        await route.abort("connectionreset")

    async with open_tab(browser, playground.address, "Linus") as linus:
        for asked in ("**/local/*s", "**/local/channels/**", "**/attachments/**"):
            await linus.page.route(asked, cut_off_once)
        await linus.page.reload(wait_until="commit")
        await linus.wait_until_ready()
        await linus.send_command("/tiles new seats:2 computers:1 target:50")
        await expect(linus.board.get_by_test_id("picture")).to_have_class(re.compile("ready"))
        assert any(asked.startswith("POST") and times > 1 for asked, times in request_counts.items())
        assert any("/attachments/" in asked and times > 1 for asked, times in request_counts.items())
        await linus.send_command("/tiles games")
        games_text = await linus.private_messages.last.inner_text()
        assert len(re.findall(r"My hand · table \d+", games_text)) == 1, (
            "the table that was asked for twice was opened once"
        )


async def test_occupied_port_is_reported_and_next_one_used(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        async with Playground(tmp_path, port=port) as playground:
            (notice,) = [line for line in playground.lines if "in use" in line]
            assert re.findall(r"\d+", notice) == [str(port), str(playground.port)]
            assert port < playground.port < port + 50
            assert playground.url == f"http://127.0.0.1:{playground.port}"


async def test_ctrl_c_stops_everything_without_errors(tmp_path: Path) -> None:
    async with Playground(tmp_path) as playground:
        bot = playground.bot
        assert await playground.interrupt() == 0
        assert not is_alive(bot)
        assert playground.lines[-1] == "Closed."
        assert [line for line in playground.lines if re.search("Traceback|Error|error|Warning", line)] == []
