"""A whole Triominoes match of two players in two tabs."""

import itertools
import re

from playwright.async_api import Browser, Locator, expect

from tests.depth import scale_count
from tests.e2e import moves
from tests.e2e.moves import PLAY, PLAYED, MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, open_tab

TARGET = min(400, scale_count(80, least=60))  # Target score; such a match has several rounds


async def test_two_players_finish_match_although_bot_is_killed(browser: Browser, playground: Playground) -> None:
    desktop = open_tab(browser, playground.address, "Ada")
    phone = open_tab(browser, playground.address, "Grace", size=PHONE)
    async with desktop as ada, phone as grace:
        await open_table(ada)
        lobby = grace.find_message("Ada opened a table")
        await expect(lobby).to_contain_text(f"to {TARGET}")
        await grace.click_button(lobby, "Join")
        await expect(ada.board).to_be_visible()

        match = MatchDriver([ada, grace])
        assert await match.play(
            itertools.cycle([moves.move_by_menu, moves.move_by_menu, moves.move_by_typing, moves.move_by_typing]), 8
        )

        await kill_bot_during_move(match, playground, [ada, grace])

        assert not await match.play(itertools.repeat(moves.move_without_preview))
        assert await check_final_message(ada) == await check_final_message(grace)
        await assert_target_reached(ada)
        await assert_leaderboard_shows_both(ada)
        assert any("ended (signal 9)" in line for line in playground.lines)


async def open_table(ada: Tab) -> None:
    await ada.type_text("/ti")
    await expect(ada.suggestions.filter(has_text="/tiles new")).to_be_visible()
    await ada.page.keyboard.type("les new seats")
    await expect(ada.suggestions.first).to_contain_text("Number of seats")
    await ada.press_keys("Enter")
    await expect(ada.find_option("seats")).to_be_focused()
    await ada.page.keyboard.type(f"2 target:{TARGET}")
    await ada.press_keys("Enter", "Enter")
    await expect(ada.private_messages.last).to_contain_text("Your table is open")


async def kill_bot_during_move(match: MatchDriver, playground: Playground, tabs: list[Tab]) -> None:
    player, call = await match.wait_for_turn()
    hand = await moves.open_hand(player, call)
    await moves.choose_move(player, hand)
    await expect(hand.get_by_role("button", name=PLAY)).to_be_visible()
    board = player.find_message_by_id(await player.board.get_attribute("data-message-id"))

    bots = await playground.kill_bot()
    for one in tabs:
        await expect(one.page.locator("#banner")).to_contain_text("is restarting")
    await playground.wait_for_bot(bots)
    for one in tabs:
        await one.wait_until_ready()

    second_hand = await moves.open_hand(player, call)
    assert "Your turn" in await second_hand.inner_text()
    await player.click_button(hand, PLAY)
    await expect(hand).to_contain_text(PLAYED)
    await expect(second_hand).to_have_count(0)
    board_hand = await moves.open_hand(player, board)
    await expect(hand).to_have_count(0)
    heading = board_hand.get_by_role("heading", name=re.compile(r"^Your (hand|turn) · \d+ tiles?"))
    await player.click_button(board_hand, re.compile("Refresh|Back"))
    await expect(heading).to_be_visible()


async def check_final_message(reader: Tab) -> str:
    end = reader.public_messages.filter(has_text=moves.FINAL_TEXT).last
    for part in (r"Ada · \d+ points", r"Grace · \d+ points", r"rating \d+, uncertain"):
        await expect(end).to_contain_text(re.compile(part))
    await expect(reader.board).to_contain_text("won with")
    await reader.click_button(end, "Verify")
    await expect(reader.private_messages.last).to_contain_text("The deals of this match were fair.")
    await assert_replay_works(reader, end)
    # the bot deletes the message that mentions the last player
    await expect(reader.public_messages.filter(has_text="your turn")).to_have_count(0)
    return await end.locator(".content").inner_text()


async def assert_replay_works(reader: Tab, end: Locator) -> None:
    known_count = await reader.private_messages.count()
    await reader.click_button(end, "Replay")
    await expect(reader.private_messages).to_have_count(known_count + 1)
    shown = await reader.find_last_private()
    await expect(shown).to_contain_text("The tiles are dealt.")
    await reader.click_button(shown, "Forward")
    await expect(shown).to_contain_text(re.compile(r"(Ada|Grace) opened with .+Line 1 of \d+ in the record", re.DOTALL))
    await reader.click_button(shown, "Last")
    await expect(shown).to_contain_text("won with")
    await reader.click_button(shown, "Film")
    await expect(shown).to_contain_text("as a film")
    film = shown.get_by_test_id("picture").locator("img")
    await expect(film).to_have_attribute("src", re.compile(r"film\.gif"))
    await expect(film).to_have_js_property("complete", True)
    assert await film.evaluate("one => one.naturalWidth") == 600


async def assert_target_reached(reader: Tab) -> None:
    known_id = await reader.read_last_private_id()
    await reader.click_button(reader.public_messages.filter(has_text=moves.FINAL_TEXT).last, re.compile("^Scores$"))
    await expect(reader.private_messages.last).not_to_have_attribute("data-message-id", known_id)
    scores = reader.private_messages.last
    await expect(scores).to_contain_text("Totals")
    assert max(int(total) for total in re.findall(r"→ (\d+)", await scores.inner_text())) >= TARGET


async def assert_leaderboard_shows_both(ada: Tab) -> None:
    await ada.send_command("/tiles leaderboard ")
    board = ada.private_messages.last
    await expect(board).to_contain_text("Leaderboard · Triominoes")
    rows = re.findall(
        r"^\s*(–) (Ada|Grace) · .*\(uncertain\) · ([01]) of 1 won", await board.inner_text(), flags=re.MULTILINE
    )
    assert [(rank, wins) for rank, _, wins in rows] == [("–", "1"), ("–", "0")]
    assert {name for _, name, _ in rows} == {"Ada", "Grace"}
