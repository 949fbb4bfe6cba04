"""A whole Triominoes match of two players in two tabs."""

import itertools
import re

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.depth import scaled
from tests.e2e import moves
from tests.e2e.moves import PLAY, PLAYED, Course
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, tab

TARGET = min(400, scaled(80, least=60))  # Target score; such a match has several rounds

pytestmark = [pytest.mark.deep, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(1800)]


async def test_two_players_finish_match_although_bot_is_killed(browser: Browser, playground: Playground) -> None:
    at_desk = tab(browser, playground.address, "Ada")
    on_the_phone = tab(browser, playground.address, "Grace", size=PHONE)
    async with at_desk as ada, on_the_phone as grace:
        await open_table(ada)
        lobby = grace.said("Ada opened a table")
        await expect(lobby).to_contain_text(f"to {TARGET}")
        await grace.look("lobby-phone")
        await grace.press(lobby, "Join")
        await expect(ada.board).to_be_visible()
        await ada.look("board-desktop")

        match = Course([ada, grace])
        assert await match.play(itertools.cycle([moves.by_menu, moves.by_menu, moves.by_typing, moves.by_typing]), 8)
        await ada.look("played-desktop")
        await grace.look("played-phone")

        await kill_the_bot_under_a_half_made_move(match, playground, [ada, grace])
        await grace.look("after-the-kill-phone")

        assert not await match.play(itertools.repeat(moves.at_once))
        assert await the_match_is_told(ada) == await the_match_is_told(grace)
        await ada.look("end-desktop")
        await grace.look("end-phone")
        await somebody_reached_the_target(ada)
        await the_leaderboard_shows_both(ada)
        assert any("ended (signal 9)" in line for line in playground.lines)


async def open_table(ada: Tab) -> None:
    await ada.type("/ti")
    await expect(ada.suggestions.filter(has_text="/tiles new")).to_be_visible()
    await ada.look("commands-desktop")
    await ada.page.keyboard.type("les new seats")
    await expect(ada.suggestions.first).to_contain_text("Number of seats")
    await ada.key("Enter")
    await expect(ada.option("seats")).to_be_focused()
    await ada.page.keyboard.type(f"2 target:{TARGET}")
    await ada.look("chips-desktop")
    await ada.key("Enter", "Enter")
    await expect(ada.private.last).to_contain_text("Your table is open")


async def kill_the_bot_under_a_half_made_move(match: Course, playground: Playground, tabs: list[Tab]) -> None:
    called = await match.call()
    assert called is not None
    player, call = called
    hand = await moves.opened_hand(player, call)
    await moves.chosen(player, hand)
    await expect(hand.get_by_role("button", name=PLAY)).to_be_visible()
    board = player.fixed(await player.board.get_attribute("data-message-id"))

    bots = await playground.kill_bot()
    for one in tabs:
        await expect(one.page.locator("#banner")).to_contain_text("is restarting")
    await player.look("the-bot-is-gone")
    await playground.bot_started(bots)
    for one in tabs:
        await one.settled()

    again = await moves.opened_hand(player, call)
    assert "Your turn" in await again.inner_text()
    await player.press(hand, PLAY)
    await expect(hand).to_contain_text(PLAYED)
    await expect(again).to_have_count(0)
    from_the_board = await moves.opened_hand(player, board)
    await expect(hand).to_have_count(0)
    now = from_the_board.get_by_role("heading", name=re.compile(r"^Your (hand|turn) · \d+ tiles?"))
    await player.press(from_the_board, re.compile("Refresh|Back"))
    await expect(now).to_be_visible()


async def the_match_is_told(reader: Tab) -> str:
    end = reader.public.filter(has_text=moves.OVER).last
    for part in (r"Ada · \d+ points", r"Grace · \d+ points", r"rating \d+, uncertain"):
        await expect(end).to_contain_text(re.compile(part))
    await expect(reader.board).to_contain_text("won with")
    await reader.press(end, "Verify")
    await expect(reader.private.last).to_contain_text("The deals of this match were fair.")
    await the_match_is_looked_back_on(reader, end)
    # the bot deletes the message that mentions the last player
    await expect(reader.public.filter(has_text="your turn")).to_have_count(0)
    return await end.locator(".content").inner_text()


async def the_match_is_looked_back_on(reader: Tab, end: Locator) -> None:
    known = await reader.private.count()
    await reader.press(end, "Replay")
    await expect(reader.private).to_have_count(known + 1)
    shown = reader.fixed(await reader.private.last.get_attribute("data-message-id"))
    await expect(shown).to_contain_text("The tiles are dealt.")
    await reader.press(shown, "Forward")
    await expect(shown).to_contain_text(re.compile(r"(Ada|Grace) opened with .+Line 1 of \d+ in the record", re.DOTALL))
    await reader.press(shown, "Last")
    await expect(shown).to_contain_text("won with")
    await reader.look("replay", shown)
    await reader.press(shown, "Film")
    await expect(shown).to_contain_text("as a film")
    film = shown.get_by_test_id("picture").locator("img")
    await expect(film).to_have_attribute("src", re.compile(r"film\.gif"))
    await expect(film).to_have_js_property("complete", True)
    assert await film.evaluate("one => one.naturalWidth") == 600


async def somebody_reached_the_target(reader: Tab) -> None:
    known = await moves.newest_private(reader)
    await reader.press(reader.public.filter(has_text=moves.OVER).last, re.compile("^Scores$"))
    await expect(reader.private.last).not_to_have_attribute("data-message-id", known)
    ledger = reader.private.last
    await expect(ledger).to_contain_text("Totals")
    assert max(int(total) for total in re.findall(r"→ (\d+)", await ledger.inner_text())) >= TARGET


async def the_leaderboard_shows_both(ada: Tab) -> None:
    await ada.command("/tiles leaderboard ")
    board = ada.private.last
    await expect(board).to_contain_text("Leaderboard · Triominoes")
    rows = re.findall(
        r"^\s*(–) (Ada|Grace) · .*\(uncertain\) · ([01]) of 1 won", await board.inner_text(), flags=re.MULTILINE
    )
    assert [(rank, wins) for rank, _, wins in rows] == [("–", "1"), ("–", "0")]
    assert {name for _, name, _ in rows} == {"Ada", "Grace"}
    await ada.look("leaderboard-desktop")
