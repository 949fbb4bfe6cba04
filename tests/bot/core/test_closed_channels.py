"""Channels without write permission, closed DMs, and locked threads."""

import pytest

from bot.app import build
from bot.sending.host_notices import PROBE_INTERVAL
from data.store.store import Store
from tests.bot.local_bot import LocalBot, labels, words_of
from tests.bot.sending.posts import is_up_to_date
from tests.wording import en, says


def change_bot_permissions(local: LocalBot, **permissions: bool) -> None:
    local.discord.world.set_bot_permissions(local.place, **(permissions or {"send_messages": False}))


@pytest.mark.parametrize("lost", ["send_messages", "view_channel", "attach_files"])
async def test_lost_permission_pauses_table_and_notifies_host_once(local: LocalBot, lost: str) -> None:
    await local.table()
    change_bot_permissions(local, **{lost: False})
    elsewhere = local.discord.world.add_channel("elsewhere")["id"]
    here, local.place = local.place, elsewhere
    for _ in range(2):
        assert (await local.move()).startswith("You played ")
    local.place = here
    (told,) = await local.direct(local.ada)
    assert says(told["content"], "trouble.closed", game="Triominoes")
    assert "*Send Messages*" in told["content"]
    local.asked()
    for _ in range(5):
        await local.later(3600)
    assert local.asked() == [], "nobody knocks at a closed door every hour"
    assert len(await local.direct(local.ada)) == 1
    assert len(await local.direct(local.grace)) == 0

    change_bot_permissions(local, **{lost: True})
    await local.ada.wait_for_message(here, lambda one: one["mentions"] and one["edited_timestamp"] is None)
    await local.settled()
    assert await is_up_to_date(local)
    assert await local.store.outbox.list_blocked() == []
    assert len(await local.direct(local.ada)) == 1


async def test_table_list_shows_closed_channel_to_unreachable_host(local: LocalBot) -> None:
    await local.table()
    local.discord.world.closed_direct_messages.add(local.ada.id)
    change_bot_permissions(local)
    await local.move()
    assert await local.direct(local.ada) == []
    listed = await local.answered(local.ada, await local.ada.use_command(local.place, "tiles", "games"))
    assert says(words_of(listed), "trouble.listed", match=1)


async def test_click_in_channel_reopens_closed_table(local: LocalBot) -> None:
    await local.table()
    change_bot_permissions(local)
    await local.move()
    world = local.discord.world
    world.events.publish, told = lambda *_, **__: None, world.events.publish  # type: ignore[method-assign]
    change_bot_permissions(local, send_messages=True)  # without an event to the bot
    world.events.publish = told  # type: ignore[method-assign]
    await local.later(60)
    assert local.client.services.announcer.is_closed(1)
    await local.answered(local.grace, await local.grace.click((await local.boards())[0], label="Text board"))
    await local.settled()
    assert await is_up_to_date(local)


async def test_closed_channel_is_retried_once_a_day(local: LocalBot) -> None:
    await local.table()
    change_bot_permissions(local)
    await local.move()
    local.asked()
    await local.later(PROBE_INTERVAL / 1000 - 600)
    assert local.asked() == []
    await local.later(1200)
    assert [line.split()[0] for line in local.asked()] == ["GET", "POST"], "it looks for the call, and sends it"
    await local.later(3600)
    assert local.asked() == []
    assert len(await local.direct(local.ada)) == 1


async def test_other_process_respects_closed_channel(local: LocalBot, url: str) -> None:
    await local.table()
    change_bot_permissions(local)
    await local.move()
    second = await Store.open(url)
    other = build(second, clock=local.client.services.now)
    await other.login(local.discord.token)
    try:
        local.asked()
        await other.services.announcer.sweep()
        await other.services.announcer.wait_until_idle()
        assert local.asked() == []
        assert other.services.announcer.is_closed(1)
    finally:
        await other.close()
        await second.close()
    assert len(await local.direct(local.ada)) == 1


async def test_moved_table_is_no_longer_closed(local: LocalBot) -> None:
    await local.table()
    await local.move()
    lost, local.place = local.place, local.discord.world.add_channel("refuge")["id"]
    local.discord.world.delete_channel(lost)
    await local.move()
    (told,) = await local.direct(local.ada)
    assert says(told["content"], "trouble.gone", match=1)
    listed = await local.answered(local.ada, await local.ada.use_command(local.place, "tiles", "games"))
    assert not says(words_of(listed), "trouble.listed")
    await local.answered(local.ada, await local.ada.click(listed, label="Bring table 1 here"))
    await local.settled()
    assert await is_up_to_date(local)
    assert await local.store.outbox.list_blocked() == []


async def test_player_with_dm_calls_plays_from_dm(local: LocalBot) -> None:
    await local.table()
    await local.store.users.set_person(int(local.ada.id), pings="dm", now=1)
    await local.store.users.set_person(int(local.grace.id), pings="dm", now=1)
    await local.move()
    mover = await local.mover()
    (call,) = await local.direct(mover)
    assert call["content"].startswith(en("direct.call", game="Triominoes", link="https://discord.com/channels/"))
    assert await local.calls() == [], "the call before is gone, and there is none in the channel"
    hand = await mover.wait_for_answer(call["channel_id"], await mover.click(call, label="My hand"))
    assert "### Your turn" in words_of(hand)


async def test_call_with_closed_dms_is_sent_to_channel(local: LocalBot) -> None:
    await local.table()
    for person in (local.ada, local.grace):
        await local.store.users.set_person(int(person.id), pings="dm", now=1)
        local.discord.world.closed_direct_messages.add(person.id)
    await local.move()
    assert await is_up_to_date(local)


async def test_player_without_calls_gets_none(local: LocalBot) -> None:
    await local.table()
    for person in (local.ada, local.grace):
        await local.store.users.set_person(int(person.id), pings="none", now=1)
    await local.move()
    assert await local.calls() == []
    assert [await local.direct(person) for person in (local.ada, local.grace)] == [[], []]
    assert await local.pending() == []


async def test_locked_thread_pauses_its_table_until_it_is_unlocked(local: LocalBot) -> None:
    await local.table(thread=True)
    thread = local.discord.world.channels[local.place]
    thread["thread_metadata"] |= {"archived": True, "locked": True}
    local.discord.world.save_channel(thread)
    await local.move()
    assert len(await local.direct(local.ada)) == 1
    thread["thread_metadata"] |= {"locked": False}
    local.discord.world.save_channel(thread)
    await local.settled()
    assert await is_up_to_date(local)


async def test_archived_thread_is_reopened_before_posting(local: LocalBot) -> None:
    await local.table(thread=True)
    thread = local.discord.world.channels[local.place]
    thread["thread_metadata"] |= {"archived": True}
    local.discord.world.save_channel(thread)
    await local.move()
    assert not thread["thread_metadata"]["archived"]
    assert await is_up_to_date(local)


async def test_thread_command_delivered_twice_opens_one_thread(local: LocalBot) -> None:
    local.faults.deliver_twice()
    await local.answered(local.ada, await local.ada.use_command(local.place, "tiles", "new", thread=True))
    threads = [one for one in local.discord.world.channels.values() if one["type"] == 11]
    assert len(threads) == 1
    assert labels((await local.ada.fetch_messages(threads[0]["id"]))[-1]) >= {"Join"}


async def test_finished_match_in_deleted_channel_is_not_retried(local: LocalBot) -> None:
    await local.table()
    local.discord.world.delete_channel(local.place)
    local.place = local.discord.world.add_channel("elsewhere")["id"]
    asked = await local.answered(local.ada, await local.ada.use_command(local.place, "tiles", "match", "resign"))
    await local.ada.click(asked, label="Resign")
    await local.ada.wait_for_message(local.place, lambda one: "You resigned" in words_of(one))
    await local.quiet()
    await local.later(PROBE_INTERVAL / 1000 + 60)
    assert (await local.head()).state == "done"
    assert await local.store.outbox.list_blocked() == []
    assert await local.pending() == []
    local.faults.lines.clear()
    await local.later(PROBE_INTERVAL / 1000 + 60)
    assert local.faults.lines == []
