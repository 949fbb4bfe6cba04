"""Channels without write permission, closed DMs, and locked threads."""

import pytest

from bot.sending.host_notices import PROBE_INTERVAL
from tests.bot.local_bot import LocalBot, list_button_labels, read_text, run_second_bot
from tests.bot.sending.posts import is_up_to_date
from tests.wording import en, has_sentence


def change_bot_permissions(local: LocalBot, **permissions: bool) -> None:
    local.discord.world.set_bot_permissions(local.channel_id, **(permissions or {"send_messages": False}))


@pytest.mark.parametrize("lost", ["send_messages", "view_channel", "attach_files"])
async def test_lost_permission_pauses_table_and_notifies_host_once(stage: LocalBot, lost: str) -> None:
    change_bot_permissions(stage, **{lost: False})
    elsewhere = stage.discord.world.add_channel("elsewhere")["id"]
    former_channel, stage.channel_id = stage.channel_id, elsewhere
    for _ in range(2):
        assert (await stage.move()).startswith("You played ")
    stage.channel_id = former_channel
    (notice,) = await stage.list_direct_messages(stage.ada)
    assert has_sentence(notice["content"], "trouble.closed", game="Triominoes")
    assert "*Send Messages*" in notice["content"]
    stage.take_requests()
    for _ in range(5):
        await stage.skip_time(3600)
    assert stage.take_requests() == [], "nobody knocks at a closed door every hour"
    assert len(await stage.list_direct_messages(stage.ada)) == 1
    assert len(await stage.list_direct_messages(stage.grace)) == 0

    change_bot_permissions(stage, **{lost: True})
    await stage.ada.wait_for_message(former_channel, lambda one: one["mentions"] and one["edited_timestamp"] is None)
    await stage.wait_until_all_sent()
    assert await is_up_to_date(stage)
    assert await stage.store.outbox.list_blocked() == []
    assert len(await stage.list_direct_messages(stage.ada)) == 1


async def test_table_list_shows_closed_channel_to_unreachable_host(stage: LocalBot) -> None:
    stage.discord.world.closed_direct_messages.add(stage.ada.id)
    change_bot_permissions(stage)
    await stage.move()
    assert await stage.list_direct_messages(stage.ada) == []
    listed = await stage.use_command(stage.ada, "tiles", "games")
    assert has_sentence(read_text(listed), "trouble.listed", match=1)


async def test_click_in_channel_reopens_closed_table(stage: LocalBot) -> None:
    change_bot_permissions(stage)
    await stage.move()
    world = stage.discord.world
    world.events.publish, publish = lambda *_, **__: None, world.events.publish
    change_bot_permissions(stage, send_messages=True)  # without an event to the bot
    world.events.publish = publish
    await stage.skip_time(60)
    assert stage.client.services.announcer.is_closed(1)
    await stage.click(stage.grace, (await stage.list_boards())[0], "Text board")
    await stage.wait_until_all_sent()
    assert await is_up_to_date(stage)


async def test_closed_channel_is_retried_once_a_day(stage: LocalBot) -> None:
    change_bot_permissions(stage)
    await stage.move()
    stage.take_requests()
    await stage.skip_time(PROBE_INTERVAL / 1000 - 600)
    assert stage.take_requests() == []
    await stage.skip_time(1200)
    assert [line.split()[0] for line in stage.take_requests()] == ["GET", "POST"], "it looks for the call, and sends it"
    await stage.skip_time(3600)
    assert stage.take_requests() == []
    assert len(await stage.list_direct_messages(stage.ada)) == 1


async def test_other_process_respects_closed_channel(stage: LocalBot, url: str) -> None:
    change_bot_permissions(stage)
    await stage.move()
    async with run_second_bot(stage, url) as other:
        stage.take_requests()
        await other.services.announcer.sweep()
        await other.services.announcer.wait_until_idle()
        assert stage.take_requests() == []
        assert other.services.announcer.is_closed(1)
    assert len(await stage.list_direct_messages(stage.ada)) == 1


async def test_moved_table_is_no_longer_closed(stage: LocalBot) -> None:
    await stage.move()
    closed_channel, stage.channel_id = stage.channel_id, stage.discord.world.add_channel("refuge")["id"]
    stage.discord.world.delete_channel(closed_channel)
    await stage.move()
    (notice,) = await stage.list_direct_messages(stage.ada)
    assert has_sentence(notice["content"], "trouble.gone", match=1)
    listed = await stage.use_command(stage.ada, "tiles", "games")
    assert not has_sentence(read_text(listed), "trouble.listed")
    await stage.click(stage.ada, listed, "Bring table 1 here")
    await stage.wait_until_all_sent()
    assert await is_up_to_date(stage)
    assert await stage.store.outbox.list_blocked() == []


async def test_player_with_dm_calls_plays_from_dm(stage: LocalBot) -> None:
    await stage.store.users.set_person(int(stage.ada.id), pings="dm", now=1)
    await stage.store.users.set_person(int(stage.grace.id), pings="dm", now=1)
    await stage.move()
    mover = await stage.get_mover()
    (call,) = await stage.list_direct_messages(mover)
    assert call["content"].startswith(en("direct.call", game="Triominoes", link="https://discord.com/channels/"))
    assert await stage.list_calls() == [], "the call before is gone, and there is none in the channel"
    hand = await mover.wait_for_answer(call["channel_id"], await mover.click(call, label="My hand"))
    assert "### Your turn" in read_text(hand)


async def test_call_with_closed_dms_is_sent_to_channel(stage: LocalBot) -> None:
    for person in (stage.ada, stage.grace):
        await stage.store.users.set_person(int(person.id), pings="dm", now=1)
        stage.discord.world.closed_direct_messages.add(person.id)
    await stage.move()
    assert await is_up_to_date(stage)


async def test_player_without_calls_gets_none(stage: LocalBot) -> None:
    for person in (stage.ada, stage.grace):
        await stage.store.users.set_person(int(person.id), pings="none", now=1)
    await stage.move()
    assert await stage.list_calls() == []
    assert [await stage.list_direct_messages(person) for person in (stage.ada, stage.grace)] == [[], []]
    assert await stage.list_pending_posts() == []


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
    await local.use_command(local.ada, "tiles", "new", thread=True)
    threads = [one for one in local.discord.world.channels.values() if one["type"] == 11]
    assert len(threads) == 1
    assert list_button_labels((await local.ada.fetch_messages(threads[0]["id"]))[-1]) >= {"Join"}


async def test_finished_match_in_deleted_channel_is_not_retried(stage: LocalBot) -> None:
    stage.discord.world.delete_channel(stage.channel_id)
    stage.channel_id = stage.discord.world.add_channel("elsewhere")["id"]
    question = await stage.use_command(stage.ada, "tiles", "match", "resign")
    await stage.ada.click(question, label="Resign")
    await stage.ada.wait_for_message(stage.channel_id, lambda one: "You resigned" in read_text(one))
    await stage.wait_until_idle()
    await stage.skip_time(PROBE_INTERVAL / 1000 + 60)
    assert (await stage.load_head()).state == "done"
    assert await stage.store.outbox.list_blocked() == []
    assert await stage.list_pending_posts() == []
    stage.faults.requests.clear()
    await stage.skip_time(PROBE_INTERVAL / 1000 + 60)
    assert stage.faults.requests == []
