"""Channels without write permission, closed DMs, and locked threads."""

import pytest

from bot.app import build
from bot.sending.host_notices import PROBE_INTERVAL
from data.store.store import Store
from tests.bot.local_bot import LocalBot, list_button_labels, read_text
from tests.bot.sending.posts import is_up_to_date
from tests.wording import en, has_sentence


def change_bot_permissions(local: LocalBot, **permissions: bool) -> None:
    local.discord.world.set_bot_permissions(local.channel_id, **(permissions or {"send_messages": False}))


@pytest.mark.parametrize("lost", ["send_messages", "view_channel", "attach_files"])
async def test_lost_permission_pauses_table_and_notifies_host_once(local: LocalBot, lost: str) -> None:
    await local.start_table()
    change_bot_permissions(local, **{lost: False})
    elsewhere = local.discord.world.add_channel("elsewhere")["id"]
    former_channel, local.channel_id = local.channel_id, elsewhere
    for _ in range(2):
        assert (await local.move()).startswith("You played ")
    local.channel_id = former_channel
    (notice,) = await local.list_direct_messages(local.ada)
    assert has_sentence(notice["content"], "trouble.closed", game="Triominoes")
    assert "*Send Messages*" in notice["content"]
    local.take_requests()
    for _ in range(5):
        await local.skip_time(3600)
    assert local.take_requests() == [], "nobody knocks at a closed door every hour"
    assert len(await local.list_direct_messages(local.ada)) == 1
    assert len(await local.list_direct_messages(local.grace)) == 0

    change_bot_permissions(local, **{lost: True})
    await local.ada.wait_for_message(former_channel, lambda one: one["mentions"] and one["edited_timestamp"] is None)
    await local.wait_until_all_sent()
    assert await is_up_to_date(local)
    assert await local.store.outbox.list_blocked() == []
    assert len(await local.list_direct_messages(local.ada)) == 1


async def test_table_list_shows_closed_channel_to_unreachable_host(local: LocalBot) -> None:
    await local.start_table()
    local.discord.world.closed_direct_messages.add(local.ada.id)
    change_bot_permissions(local)
    await local.move()
    assert await local.list_direct_messages(local.ada) == []
    listed = await local.wait_for_answer(local.ada, await local.ada.use_command(local.channel_id, "tiles", "games"))
    assert has_sentence(read_text(listed), "trouble.listed", match=1)


async def test_click_in_channel_reopens_closed_table(local: LocalBot) -> None:
    await local.start_table()
    change_bot_permissions(local)
    await local.move()
    world = local.discord.world
    world.events.publish, publish = lambda *_, **__: None, world.events.publish  # type: ignore[method-assign]
    change_bot_permissions(local, send_messages=True)  # without an event to the bot
    world.events.publish = publish  # type: ignore[method-assign]
    await local.skip_time(60)
    assert local.client.services.announcer.is_closed(1)
    await local.wait_for_answer(
        local.grace, await local.grace.click((await local.list_boards())[0], label="Text board")
    )
    await local.wait_until_all_sent()
    assert await is_up_to_date(local)


async def test_closed_channel_is_retried_once_a_day(local: LocalBot) -> None:
    await local.start_table()
    change_bot_permissions(local)
    await local.move()
    local.take_requests()
    await local.skip_time(PROBE_INTERVAL / 1000 - 600)
    assert local.take_requests() == []
    await local.skip_time(1200)
    assert [line.split()[0] for line in local.take_requests()] == ["GET", "POST"], "it looks for the call, and sends it"
    await local.skip_time(3600)
    assert local.take_requests() == []
    assert len(await local.list_direct_messages(local.ada)) == 1


async def test_other_process_respects_closed_channel(local: LocalBot, url: str) -> None:
    await local.start_table()
    change_bot_permissions(local)
    await local.move()
    second = await Store.open(url)
    other = build(second, clock=local.client.services.now)
    await other.login(local.discord.token)
    try:
        local.take_requests()
        await other.services.announcer.sweep()
        await other.services.announcer.wait_until_idle()
        assert local.take_requests() == []
        assert other.services.announcer.is_closed(1)
    finally:
        await other.close()
        await second.close()
    assert len(await local.list_direct_messages(local.ada)) == 1


async def test_moved_table_is_no_longer_closed(local: LocalBot) -> None:
    await local.start_table()
    await local.move()
    closed_channel, local.channel_id = local.channel_id, local.discord.world.add_channel("refuge")["id"]
    local.discord.world.delete_channel(closed_channel)
    await local.move()
    (notice,) = await local.list_direct_messages(local.ada)
    assert has_sentence(notice["content"], "trouble.gone", match=1)
    listed = await local.wait_for_answer(local.ada, await local.ada.use_command(local.channel_id, "tiles", "games"))
    assert not has_sentence(read_text(listed), "trouble.listed")
    await local.wait_for_answer(local.ada, await local.ada.click(listed, label="Bring table 1 here"))
    await local.wait_until_all_sent()
    assert await is_up_to_date(local)
    assert await local.store.outbox.list_blocked() == []


async def test_player_with_dm_calls_plays_from_dm(local: LocalBot) -> None:
    await local.start_table()
    await local.store.users.set_person(int(local.ada.id), pings="dm", now=1)
    await local.store.users.set_person(int(local.grace.id), pings="dm", now=1)
    await local.move()
    mover = await local.get_mover()
    (call,) = await local.list_direct_messages(mover)
    assert call["content"].startswith(en("direct.call", game="Triominoes", link="https://discord.com/channels/"))
    assert await local.list_calls() == [], "the call before is gone, and there is none in the channel"
    hand = await mover.wait_for_answer(call["channel_id"], await mover.click(call, label="My hand"))
    assert "### Your turn" in read_text(hand)


async def test_call_with_closed_dms_is_sent_to_channel(local: LocalBot) -> None:
    await local.start_table()
    for person in (local.ada, local.grace):
        await local.store.users.set_person(int(person.id), pings="dm", now=1)
        local.discord.world.closed_direct_messages.add(person.id)
    await local.move()
    assert await is_up_to_date(local)


async def test_player_without_calls_gets_none(local: LocalBot) -> None:
    await local.start_table()
    for person in (local.ada, local.grace):
        await local.store.users.set_person(int(person.id), pings="none", now=1)
    await local.move()
    assert await local.list_calls() == []
    assert [await local.list_direct_messages(person) for person in (local.ada, local.grace)] == [[], []]
    assert await local.list_pending_posts() == []


async def test_locked_thread_pauses_its_table_until_it_is_unlocked(local: LocalBot) -> None:
    await local.start_table(thread=True)
    thread = local.discord.world.channels[local.channel_id]
    thread["thread_metadata"] |= {"archived": True, "locked": True}
    local.discord.world.save_channel(thread)
    await local.move()
    assert len(await local.list_direct_messages(local.ada)) == 1
    thread["thread_metadata"] |= {"locked": False}
    local.discord.world.save_channel(thread)
    await local.wait_until_all_sent()
    assert await is_up_to_date(local)


async def test_archived_thread_is_reopened_before_posting(local: LocalBot) -> None:
    await local.start_table(thread=True)
    thread = local.discord.world.channels[local.channel_id]
    thread["thread_metadata"] |= {"archived": True}
    local.discord.world.save_channel(thread)
    await local.move()
    assert not thread["thread_metadata"]["archived"]
    assert await is_up_to_date(local)


async def test_thread_command_delivered_twice_opens_one_thread(local: LocalBot) -> None:
    local.faults.deliver_twice()
    await local.wait_for_answer(local.ada, await local.ada.use_command(local.channel_id, "tiles", "new", thread=True))
    threads = [one for one in local.discord.world.channels.values() if one["type"] == 11]
    assert len(threads) == 1
    assert list_button_labels((await local.ada.fetch_messages(threads[0]["id"]))[-1]) >= {"Join"}


async def test_finished_match_in_deleted_channel_is_not_retried(local: LocalBot) -> None:
    await local.start_table()
    local.discord.world.delete_channel(local.channel_id)
    local.channel_id = local.discord.world.add_channel("elsewhere")["id"]
    question = await local.wait_for_answer(
        local.ada, await local.ada.use_command(local.channel_id, "tiles", "match", "resign")
    )
    await local.ada.click(question, label="Resign")
    await local.ada.wait_for_message(local.channel_id, lambda one: "You resigned" in read_text(one))
    await local.wait_until_idle()
    await local.skip_time(PROBE_INTERVAL / 1000 + 60)
    assert (await local.load_head()).state == "done"
    assert await local.store.outbox.list_blocked() == []
    assert await local.list_pending_posts() == []
    local.faults.requests.clear()
    await local.skip_time(PROBE_INTERVAL / 1000 + 60)
    assert local.faults.requests == []
