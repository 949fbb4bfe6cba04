"""Channels the bot may not write to any more, and doors that are closed to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.operating.wiring import build
from bot.posting.host_notices import PROBE
from data.store import Store
from tests.bot.parlour import Json, Parlour, labels, parlour, words_of
from tests.bot.test_outbox_trouble import shows_the_head


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


def shut(house: Parlour, **permissions: bool) -> None:
    """The bot loses these permissions in the channel."""
    house.discord.world.set_bot_permissions(house.place, **(permissions or {"send_messages": False}))


async def told_the_host(house: Parlour) -> list[Json]:
    return await house.direct(house.ada)


@pytest.mark.parametrize("lost", ["send_messages", "view_channel", "attach_files"])
async def test_a_lost_permission_pauses_the_table_and_the_host_is_told_once(house: Parlour, lost: str) -> None:
    await house.table()
    shut(house, **{lost: False})
    # In another channel the match goes on; what happens is written down and not lost.
    elsewhere = house.discord.world.add_channel("elsewhere")["id"]
    here, house.place = house.place, elsewhere
    for _ in range(2):
        assert (await house.move()).startswith("You played ")
    house.place = here
    (told,) = await told_the_host(house)
    assert told["content"].startswith("I cannot write to your Triominoes table any more: ")
    assert "*Send Messages*" in told["content"]
    house.asked()
    for _ in range(5):
        await house.later(3600)
    assert house.asked() == [], "nobody knocks at a closed door every hour"
    assert len(await told_the_host(house)) == 1
    assert len(await house.direct(house.grace)) == 0

    shut(house, **{lost: True})
    await house.ada.wait_for(here, lambda one: one["mentions"] and one["edited_timestamp"] is None)
    await house.settled()
    assert await shows_the_head(house)
    assert await house.store.blocked() == []
    assert len(await told_the_host(house)) == 1


async def test_games_says_what_a_host_with_closed_messages_was_not_told(house: Parlour) -> None:
    await house.table()
    house.discord.world.shut_doors.add(house.ada.id)
    shut(house)
    await house.move()
    assert await told_the_host(house) == []
    listed = await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "games"))
    assert "I may not write in the channel of table 1" in words_of(listed)


async def test_a_press_in_the_channel_shows_that_the_bot_is_let_in_again(house: Parlour) -> None:
    await house.table()
    shut(house)
    await house.move()
    world = house.discord.world
    world.news.tell, told = lambda *_, **__: None, world.news.tell  # type: ignore[method-assign]
    shut(house, send_messages=True)  # and nobody hears of it
    world.news.tell = told  # type: ignore[method-assign]
    await house.later(60)
    assert house.client.services.announcer.is_closed(1)
    await house.answered(house.grace, await house.grace.click((await house.boards())[0], label="Text board"))
    await house.settled()
    assert await shows_the_head(house)


async def test_a_closed_channel_is_tried_again_once_a_day(house: Parlour) -> None:
    await house.table()
    shut(house)
    await house.move()
    house.asked()
    await house.later(PROBE / 1000 - 600)
    assert house.asked() == []
    await house.later(1200)
    assert [line.split()[0] for line in house.asked()] == ["GET", "POST"], "it looks for the call, and sends it"
    await house.later(3600)
    assert house.asked() == []
    assert len(await told_the_host(house)) == 1


async def test_another_process_knows_that_the_channel_is_closed(house: Parlour, url: str) -> None:
    await house.table()
    shut(house)
    await house.move()
    second = await Store.open(url)
    other = build(second, clock=house.client.services.now)
    await other.login(house.discord.token)
    try:
        house.asked()
        await other.services.announcer.sweep()
        await other.services.announcer.idle()
        assert house.asked() == []
        assert other.services.announcer.is_closed(1)
    finally:
        await other.close()
        await second.close()
    assert len(await told_the_host(house)) == 1


async def test_a_table_that_is_brought_elsewhere_is_closed_no_more(house: Parlour) -> None:
    await house.table()
    await house.move()
    lost, house.place = house.place, house.discord.world.add_channel("refuge")["id"]
    house.discord.world.delete_channel(lost)
    await house.move()
    (told,) = await told_the_host(house)
    assert "`/tiles games` in another channel brings table 1 there" in told["content"]
    listed = await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "games"))
    assert "I may not write" not in words_of(listed)
    await house.answered(house.ada, await house.ada.click(listed, label="Bring table 1 here"))
    await house.settled()
    assert await shows_the_head(house)
    assert await house.store.blocked() == []


async def test_a_player_who_wants_it_is_called_alone_and_plays_from_there(house: Parlour) -> None:
    await house.table()
    await house.store.set_person(int(house.ada.id), pings="dm", now=1)
    await house.store.set_person(int(house.grace.id), pings="dm", now=1)
    await house.move()
    mover = await house.mover()
    (call,) = await house.direct(mover)
    assert call["content"].startswith("It is your turn in Triominoes: https://discord.com/channels/")
    assert await house.calls() == [], "the call before is gone, and there is none in the channel"
    hand = await mover.answer(call["channel_id"], await mover.click(call, label="My hand"))
    assert "### Your turn" in words_of(hand)


async def test_a_call_goes_to_the_channel_where_direct_messages_are_closed(house: Parlour) -> None:
    await house.table()
    for person in (house.ada, house.grace):
        await house.store.set_person(int(person.id), pings="dm", now=1)
        house.discord.world.shut_doors.add(person.id)
    await house.move()
    assert await shows_the_head(house)


async def test_whoever_wants_no_calls_gets_none(house: Parlour) -> None:
    await house.table()
    for person in (house.ada, house.grace):
        await house.store.set_person(int(person.id), pings="none", now=1)
    await house.move()
    assert await house.calls() == []
    assert [await house.direct(person) for person in (house.ada, house.grace)] == [[], []]
    assert await house.pending() == []


async def test_a_locked_thread_pauses_its_table_until_it_is_unlocked(house: Parlour) -> None:
    await house.table(thread=True)
    thread = house.discord.world.channels[house.place]
    thread["thread_metadata"] |= {"archived": True, "locked": True}
    house.discord.world.channel_changed(thread)
    await house.move()
    assert len(await told_the_host(house)) == 1
    thread["thread_metadata"] |= {"locked": False}
    house.discord.world.channel_changed(thread)
    await house.settled()
    assert await shows_the_head(house)


async def test_an_archived_thread_is_opened_before_anything_is_said(house: Parlour) -> None:
    await house.table(thread=True)
    thread = house.discord.world.channels[house.place]
    thread["thread_metadata"] |= {"archived": True}
    house.discord.world.channel_changed(thread)
    await house.move()
    assert not thread["thread_metadata"]["archived"]
    assert await shows_the_head(house)


async def test_a_table_in_a_thread_that_is_asked_for_twice_leaves_no_empty_thread(house: Parlour) -> None:
    house.faults.deliver_twice()
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", thread=True))
    threads = [one for one in house.discord.world.channels.values() if one["type"] == 11]
    assert len(threads) == 1
    assert labels((await house.ada.messages(threads[0]["id"]))[-1]) >= {"Join"}


async def test_a_match_that_ended_where_the_channel_is_gone_is_let_be(house: Parlour) -> None:
    await house.table()
    house.discord.world.delete_channel(house.place)
    house.place = house.discord.world.add_channel("elsewhere")["id"]
    asked = await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "match", "resign"))
    await house.ada.click(asked, label="Resign")
    await house.ada.wait_for(house.place, lambda one: "You resigned" in words_of(one))
    await house.quiet()
    await house.later(PROBE / 1000 + 60)
    assert (await house.head()).state == "done"
    assert await house.store.blocked() == []
    assert await house.pending() == []
    house.faults.lines.clear()
    await house.later(PROBE / 1000 + 60)
    assert house.faults.lines == []
