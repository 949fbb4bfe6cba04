"""Two players in two tabs, and what each of them sees."""

import re

from playwright.async_api import Browser, Locator, expect

from tests.e2e import moves
from tests.e2e.moves import MatchDriver
from tests.e2e.playground import Playground
from tests.e2e.tab import PHONE, Tab, open_phone, open_tab

ADD_MESSAGES = """async ([id, words]) => {
  const { findMessage, messagesOf, receive, store } = await import("/page/store.js");
  const message = structuredClone(findMessage(store.here, id));
  receive("message_update", message);
  for (const content of words) {
    const next = String(BigInt(messagesOf(store.here).at(-1).id) + 1n);
    receive("message_create", { ...message, id: next, content, components: [], attachments: [], flags: 0 });
  }
}"""


LIST_COVERED = """toast => {
  const box = toast.getBoundingClientRect();
  const apart = (one) => !toast.contains(one) && !one.parentElement.closest(".scroller");
  const shown = [...document.querySelectorAll("button, a, input, select, .scroller, .composer")].filter(
    (one) => apart(one) && one.checkVisibility({ visibilityProperty: true }),
  );
  const beside = ({ left, right, top, bottom }) =>
    left >= box.right || right <= box.left || top >= box.bottom || bottom <= box.top;
  return shown.filter((one) => !beside(one.getBoundingClientRect())).map((one) => one.id || one.className);
}"""


async def test_private_messages_stay_in_tab_and_public_ones_are_live(browser: Browser, playground: Playground) -> None:
    async with (
        open_tab(browser, playground.address, "Ada") as ada,
        open_tab(browser, playground.address, "Grace") as grace,
    ):
        for one in (ada, grace):
            await one.page.evaluate("window.neverReloaded = true")
        await ada.send_command("/tiles new seats:2")
        await expect(grace.find_message("Ada opened a table")).to_contain_text("free")
        await grace.click_button(grace.find_message("Ada opened a table"), "Join")
        await expect(ada.board).to_be_visible()
        await expect(grace.board).to_be_visible()

        match = MatchDriver([ada, grace])
        player, call = await match.wait_for_turn()
        other = grace if player is ada else ada
        private = await other.private_messages.count()
        hand = await moves.open_hand(player, call)
        picture = await hand.locator("img").last.get_attribute("src")
        assert picture is not None
        await player.send_command("/tiles help ")
        await expect(player.find_message("Play tile games with Boneyard")).to_be_visible()
        await moves.choose_move(player, hand)
        await player.click_button(hand, moves.PLAY)
        await expect(hand).to_contain_text(moves.PLAYED)

        assert await match.wait_for_turn() is not None
        (move,) = re.findall(r"Table \d+ · move \d+", await player.board.inner_text())
        await expect(other.board).to_contain_text(move)
        assert await other.page.evaluate("window.neverReloaded") is True
        private_texts = other.messages.filter(has_text=re.compile("Your (turn|hand)|Play tile games"))
        for _ in ("as it came", "as it is read anew"):
            await expect(other.private_messages).to_have_count(private)
            await expect(private_texts).to_have_count(0)
            assert picture not in await other.page.content()
            await other.page.reload()
            await expect(other.board).to_be_visible()


async def test_player_in_other_channel_sees_mention_badge(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Linus") as linus:
        await linus.page.get_by_test_id("channel-games-night").click()
        await linus.send_command("/tiles new seats:2 computers:1")
        match = MatchDriver([linus])
        assert await match.play(iter([moves.move_by_menu]), 1)
        _, call = await match.wait_for_turn()
        hand = await moves.open_hand(linus, call)
        await moves.choose_move(linus, hand)
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_be_visible()
        async with open_tab(browser, playground.address, "Linus", size=PHONE) as second:
            # a second tab of the same user on a phone, in the other channel
            await expect(second.page.locator("#channel-name")).to_have_text("tiles")
            await linus.click_button(hand, moves.PLAY)
            await expect(second.page.get_by_test_id("mention-badge")).to_have_text("1")
            await expect(second.page.get_by_test_id("toast")).to_contain_text("mentioned you in #games-night")
            assert await second.page.get_by_test_id("toast").evaluate(LIST_COVERED) == []
            await expect(second.page).to_have_title(re.compile(r"^\(1\) "))
            await second.page.get_by_test_id("toast").click()
            await expect(second.page.locator("#channel-name")).to_have_text("games-night")
            await expect(second.mentions.last).to_contain_text("@Linus, your turn")
            await expect(second.page.get_by_test_id("mention-badge")).to_have_count(0)


async def test_move_in_thread_is_in_next_hand_before_it_is_final(browser: Browser, playground: Playground) -> None:
    async with (
        open_tab(browser, playground.address, "Ada") as ada,
        open_tab(browser, playground.address, "Grace") as grace,
    ):
        await ada.send_command("/tiles new seats:2 thread:true")
        await expect(grace.page.get_by_test_id(re.compile("^channel-Triominoes · Ada"))).to_be_visible()
        await grace.find_message("started a thread").get_by_test_id("thread-link").click()
        await expect(grace.page.locator("#channel-topic")).to_have_text("in #tiles")
        await grace.click_button(grace.find_message("Ada opened a table"), "Join")
        await expect(grace.board).to_be_visible()
        name = await grace.page.locator("#channel-name").inner_text()
        await ada.page.get_by_test_id("message").get_by_role("button", name=re.compile("^Go to")).last.click()
        await expect(ada.page.locator("#channel-name")).to_have_text(name)
        await expect(ada.board).to_be_visible()
        player, call = await MatchDriver([ada, grace]).wait_for_turn()
        other = grace if player is ada else ada
        waiting_hand, hand = await moves.open_hand(other, other.board), await moves.open_hand(player, call)
        await hand.locator('button[data-custom-id^="by:play:"]').first.click()
        await expect(waiting_hand).to_contain_text(re.compile("Your turn.+can still undo", re.DOTALL))
        await expect(other.board).to_contain_text("can take this back")  # the hand did not wait until the move is final


async def test_open_menu_stays_open_during_new_messages(browser: Browser, playground: Playground) -> None:
    async with open_tab(browser, playground.address, "Linus") as linus:
        await linus.send_command("/tiles new seats:2 computers:1 thread:true")
        await linus.page.get_by_role("button", name=re.compile("^Go to")).last.click()
        turn = await MatchDriver([linus]).wait_for_turn()
        hand = await moves.open_hand(*turn)
        message_id = await hand.get_attribute("data-message-id")
        menu, option = hand.get_by_test_id("select"), linus.page.get_by_test_id("select-option").first
        await menu.click()
        before = await menu.bounding_box()
        await linus.page.evaluate(ADD_MESSAGES, [message_id, ["Good luck!", "Take your time.", "I am looking on."]])
        await expect(linus.page.get_by_test_id("new-messages")).to_have_text("3 new messages")
        assert await menu.bounding_box() == before
        await expect(menu).to_have_attribute("aria-expanded", "true")
        await expect(option).to_be_in_viewport()
        await linus.press_keys("Escape")
        await expect(option).to_have_count(0)
        await expect(menu).to_be_focused()

        await linus.page.set_viewport_size(PHONE)
        await menu.click()
        await linus.page.evaluate("document.getElementById('scroller').scrollTop = 0")
        await expect(menu).not_to_be_in_viewport()
        await linus.page.evaluate(ADD_MESSAGES, [message_id, []])
        await option.click()
        await expect(hand.get_by_role("button", name=moves.PLAY)).to_be_visible()


async def test_premove_on_phone_is_played(browser: Browser, playground: Playground) -> None:
    phone = open_phone(browser, playground.address, "Grace")
    async with open_tab(browser, playground.address, "Ada") as ada, phone as grace:
        # threads of other tables may exist already
        go_to = ada.page.get_by_role("button", name=re.compile("^Go to"))
        threads = grace.messages.filter(has_text="started a thread")
        link_count, thread_count = await go_to.count(), await threads.count()
        await ada.send_command("/tiles new seats:2 clock:live 10m thread:true")
        await expect(go_to).to_have_count(link_count + 1)
        await go_to.last.click()
        await expect(threads).to_have_count(thread_count + 1)
        await threads.last.get_by_test_id("thread-link").click()
        await grace.click_button(grace.find_message("Ada opened a table"), "Join")
        match = MatchDriver([ada, grace])
        for _ in range(30):
            player, call = await match.wait_for_turn()
            if player is ada and (hand := await _plan_premove(grace)) is not None:
                await moves.move_by_menu(ada, call)
                await expect(hand).to_contain_text(re.compile("Your planned move was played|Planned move cancelled"))
                if "was played" in await hand.inner_text():
                    break
            else:
                await moves.move_by_menu(player, call)
        await expect(grace.board).to_contain_text("Grace")
        await expect(ada.board).to_contain_text("Grace can take this back")
        await expect(ada.find_message("planned move")).to_have_count(0)


async def _plan_premove(one: Tab) -> Locator | None:
    hand = await moves.open_hand(one, one.board)
    menu = hand.get_by_role("button", name=re.compile("^Plan your next move"))
    if not await menu.count():
        return None
    tiles_first = await hand.get_by_role("button", name="Plan your next move: choose a tile…").count()
    await menu.click()
    await one.page.get_by_test_id("select-option").last.click()
    if tiles_first:
        await hand.get_by_role("button", name=re.compile("^Plan your next move: where to")).click()
        await one.page.get_by_test_id("select-option").last.click()
    await expect(hand).to_contain_text("On your turn it's played if the spot is still the same")
    return hand
