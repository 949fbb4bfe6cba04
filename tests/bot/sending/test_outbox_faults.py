"""Each post is sent once despite lost answers, server errors, rate limits, and old rows."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from bot.app import build
from bot.core.layout import build_text_view
from bot.playground import rest_channels
from bot.playground.channel_messages import Post as TalkPost
from bot.sending.sender import Outgoing
from bot.tables.service import Table
from data.store.log.match_values import Change, Head
from data.store.outbox.outbox_values import REMOVE, OutboxRow
from data.store.store import Store
from engine.table.commands import MoveTable
from engine.table.table_events import Rearmed
from engine.table.table_posts import TURN, Post
from tests.bot.local_bot import LocalBot, list_button_labels, read_text, run_local_bot
from tests.bot.sending.posts import DELETE, EDIT, SEND, is_up_to_date
from tests.bot.simulated_guild import BLOCKED_DEAL
from tests.wording import has_sentence

BACKOFF_SECONDS = 6.0
EXPIRY_SECONDS = 400.0


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


def post_chatter(sim: LocalBot, messages: int) -> None:
    world = sim.discord.world
    for number in range(messages):
        body = world.build_message(world.channels[sim.channel_id], world.users[sim.grace.id])
        world.messages.post(TalkPost(body | {"content": f"chatter {number}"}))


async def find_unsent_call(sim: LocalBot) -> OutboxRow:
    (row,) = [row for row in await sim.list_pending_posts() if row.kind == TURN]
    return row


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_call_with_lost_answer_is_not_sent_twice(sim: LocalBot, wait: float) -> None:
    await sim.start_table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    assert sim.faults.lost_responses == 1
    assert len(await sim.list_calls()) == 1, "it was posted, and nobody knows; the one before went with its turn"
    row = await find_unsent_call(sim)
    assert row.attempts == 1
    await sim.skip_time(wait)
    assert await is_up_to_date(sim)


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_found_and_updated(sim: LocalBot, wait: float) -> None:
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "new", seats=2))
    assert (await sim.load_head()).board_message_id is None
    (lobby,) = await sim.list_boards()
    await sim.grace.click(lobby, label="Join")
    await sim.grace.wait_for_message(sim.channel_id, lambda one: one["mentions"])
    await sim.wait_until_idle()
    await sim.skip_time(wait)
    assert [one["id"] for one in await sim.list_boards()] == [lobby["id"]]
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_found_in_old_channel(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    old_channel_id, sim.channel_id = sim.channel_id, sim.discord.world.add_channel("elsewhere")["id"]
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.channel_id)))
    await sim.skip_time(EXPIRY_SECONDS)
    await sim.wait_until_all_sent()
    calls = [
        one
        for place in (old_channel_id, sim.channel_id)
        for one in await sim.ada.fetch_messages(place)
        if one["mentions"]
    ]
    assert len(calls) == 1, [(one["channel_id"], one["content"]) for one in calls]
    assert calls[0]["channel_id"] == sim.channel_id


async def test_moved_table_leaves_nothing_behind_after_failed_delete(sim: LocalBot) -> None:
    await sim.start_table()
    await sim.wait_until_all_sent()
    old_channel_id, sim.channel_id = sim.channel_id, sim.discord.world.add_channel("elsewhere")["id"]
    sim.faults.inject_status(f"{DELETE}/{old_channel_id}", 503)
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.channel_id)))
    await sim.skip_time(15)
    await sim.wait_until_all_sent()
    assert [
        read_text(one) for one in await sim.ada.fetch_messages(old_channel_id) if one["mentions"] or one["attachments"]
    ] == []
    assert await is_up_to_date(sim)


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_removed_from_old_channel(sim: LocalBot, wait: float) -> None:
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "new", seats=2))
    assert (await sim.load_head()).board_message_id is None
    old_channel_id, sim.channel_id = sim.channel_id, sim.discord.world.add_channel("elsewhere")["id"]
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.channel_id)))
    await sim.wait_until_idle()
    await sim.skip_time(wait)
    await sim.wait_until_all_sent()
    assert len(await sim.list_boards()) == 1
    sim.channel_id = old_channel_id
    assert await sim.list_boards() == []


async def test_lost_post_is_searched_in_every_earlier_channel(sim: LocalBot) -> None:
    head = await sim.start_table()
    places = [sim.channel_id]
    sim.faults.inject_status(SEND, 503)
    notices = [Post(kind="notice", body={"key": "idle"})]
    await sim.store.matches.commit(replace(_build_rearm_change(head), outbox=notices), now=sim.client.services.now())
    sim.client.services.announcer.refresh(1)
    await sim.wait_until_idle()
    for name in ("elsewhere", "far away"):
        sim.channel_id = sim.discord.world.add_channel(name)["id"]
        places.append(sim.channel_id)
        await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.channel_id)))
        await sim.wait_until_idle()
        if name == "elsewhere":
            sim.faults.lose_responses(1.0, Random(1), part=f"{SEND}/{sim.channel_id}", times=1)
            await sim.skip_time(BACKOFF_SECONDS)
            assert sim.faults.lost_responses == 1
    await sim.skip_time(EXPIRY_SECONDS)
    await sim.wait_until_all_sent()
    found = [place for place in places for one in await sim.ada.fetch_messages(place) if "60 days" in read_text(one)]
    assert found == [places[1]]


async def test_found_but_unrecorded_board_is_found_again(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "new", seats=2))
    (lobby,) = await sim.list_boards()
    sim.faults.lose_responses(1.0, Random(1), part=EDIT, times=1)
    await sim.grace.click(lobby, label="Join")
    await sim.grace.wait_for_message(sim.channel_id, lambda one: one["mentions"])
    await sim.wait_until_idle()
    for _ in range(2):
        await sim.skip_time(BACKOFF_SECONDS)
    assert [one["id"] for one in await sim.list_boards()] == [lobby["id"]]
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_deleted_after_turn(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    assert len(await sim.list_calls()) == 1, "the second is there, and nobody knows"
    await sim.move()
    await sim.skip_time(EXPIRY_SECONDS)
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_found_below_350_messages(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    post_chatter(sim, 350)
    await sim.move()
    await sim.skip_time(EXPIRY_SECONDS)
    calls = [one for one in sim.discord.world.messages.timelines[sim.channel_id].list_posts() if one.body["mentions"]]
    assert [int(one.id) for one in calls] == [(await sim.load_head()).turn_message_id]


async def test_failed_call_is_sent_later_after_nonce_expired(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(SEND, 503)
    await sim.move()
    assert (await find_unsent_call(sim)).attempts == 1
    await sim.skip_time(EXPIRY_SECONDS)
    assert await is_up_to_date(sim)


async def test_failed_call_is_sent_later_without_history_permission(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(SEND, 503)
    await sim.move()
    sim.discord.world.set_bot_permissions(sim.channel_id, read_message_history=False)
    await sim.skip_time(EXPIRY_SECONDS)
    assert await is_up_to_date(sim)


async def test_each_failed_attempt_increases_delay(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(SEND, 503, times=3)
    await sim.move()
    delays = []
    for _ in range(3):
        row = await find_unsent_call(sim)
        assert row.next_at is not None
        delays.append(row.next_at - sim.client.services.now())
        await sim.skip_time(delays[-1] / 1000 + 1)
    assert delays == sorted(delays)
    assert delays[2] > 3 * delays[0]
    assert await is_up_to_date(sim)


async def test_rate_limit_is_waited_out(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(SEND, 429, retry_after=0.05)
    sim.faults.inject_status(EDIT, 429, retry_after=0.05)
    await sim.move()
    assert await is_up_to_date(sim)


async def test_failed_edit_is_retried(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(EDIT, 503)
    answer = await sim.place_tile()
    assert answer.startswith("You played "), "the mover is answered all the same"
    assert (await sim.load_head()).shown_seq < (await sim.load_head()).seq
    await sim.skip_time(15)
    await sim.settle_turn()
    assert await is_up_to_date(sim)


async def test_failed_deletion_of_call_is_retried(sim: LocalBot) -> None:
    await sim.start_table()
    sim.faults.inject_status(DELETE, 503)
    await sim.move()
    assert len(await sim.list_calls()) == 2
    assert [row.kind for row in await sim.list_pending_posts()] == [REMOVE]
    await sim.skip_time(15)
    assert await is_up_to_date(sim)


async def test_board_deleted_unnoticed_is_posted_again(sim: LocalBot) -> None:
    before = await sim.start_table()
    sim.faults.inject_status(EDIT, 404, code=10008)
    await sim.move()
    assert (await sim.load_head()).board_message_id != before.board_message_id
    sim.discord.world.delete_message(sim.channel_id, str(before.board_message_id))
    assert await is_up_to_date(sim)


async def test_nonce_of_deleted_message_does_not_block_board(sim: LocalBot) -> None:
    before = await sim.start_table()
    sim.faults.inject_status(SEND, 404, code=10008)
    sim.discord.world.delete_message(sim.channel_id, str(before.board_message_id))
    await sim.ada.wait_for_message(sim.channel_id, lambda one: "Text board" in list_button_labels(one))
    await sim.wait_until_idle()
    assert await is_up_to_date(sim)


async def test_round_result_with_lost_answer_is_posted_once(sim: LocalBot) -> None:
    sim.deals.next_numbers = [BLOCKED_DEAL]
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "new", seats=2))
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.grace.click((await sim.list_boards())[0], label="Join")
    await sim.ada.wait_for_message(sim.channel_id, lambda one: "Round 1 is over" in read_text(one))
    await sim.wait_until_idle()
    assert sim.faults.lost_responses == 1
    await sim.skip_time(EXPIRY_SECONDS)
    (end,) = [one for one in await sim.list_public_messages() if "Round 1 is over" in read_text(one)]
    score_list = await sim.wait_for_answer(sim.ada, await sim.ada.click(end, label="Scores"))
    assert "round 1 of 2" in read_text(score_list), "the button by which it is found again is of use too"
    assert await is_up_to_date(sim)


async def test_edit_notifies_no_player_and_call_notifies_one(sim: LocalBot) -> None:
    await sim.start_table()
    await sim.ada.listen()
    await sim.grace.listen()
    mover = await sim.get_mover()
    await sim.move()
    notified = {
        person.name: [event for event in person.events if event["type"] == "mention"] for person in (sim.ada, sim.grace)
    }
    assert len(notified[mover.name]) == 0
    assert sum(map(len, notified.values())) == 1


async def test_post_without_buttons_and_answer_is_found(sim: LocalBot) -> None:
    head = await sim.start_table()

    async def write_post(_: Table, __: OutboxRow) -> Outgoing:
        return Outgoing(build_text_view("Something happened."))

    sim.client.services.announcer.publisher.writers["test"] = write_post
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    note = Rearmed()
    change = Change(match_id=1, expected_seq=head.seq, events=[note], outbox=[Post(kind="test")])
    await sim.store.matches.commit(change, now=sim.client.services.now())
    await sim.skip_time(0)
    await sim.skip_time(EXPIRY_SECONDS)
    assert [read_text(one) for one in await sim.list_public_messages()].count("Something happened.") == 1
    assert await is_up_to_date(sim)


async def test_failed_shrinking_of_previous_board_is_retried(sim: LocalBot) -> None:
    old_board_id = (await sim.start_table()).board_message_id
    post_chatter(sim, 16)
    sim.faults.inject_status(f"{EDIT}/{sim.channel_id}/messages/{old_board_id}", 503)
    await sim.place_tile()
    assert len(await sim.list_boards()) == 2
    await sim.skip_time(15)
    (old_board,) = [one for one in await sim.list_public_messages() if one["id"] == str(old_board_id)]
    assert has_sentence(read_text(old_board), "board.moved_on")
    await sim.settle_turn()
    assert await is_up_to_date(sim)


async def test_slow_process_does_not_overwrite_newer_board(sim: LocalBot, url: str) -> None:
    head = await sim.start_table()
    second = await Store.open(url)
    other = build(second, clock=sim.client.services.now)
    await other.login(sim.discord.token)
    try:
        # The edit of the slow first process arrives after the edit of the second one.
        sim.faults.delay(EDIT, 4)
        await sim.store.matches.commit(_build_rearm_change(head), now=sim.client.services.now())
        slow_refresh = sim.client.services.announcer.refresh(1)
        await asyncio.sleep(0.2)
        await sim.store.matches.commit(_build_rearm_change(await sim.load_head()), now=sim.client.services.now())
        await other.services.announcer.refresh(1)
        assert not slow_refresh.done()
        await slow_refresh
        assert await is_up_to_date(sim)
    finally:
        await other.close()
        await second.close()


def _build_rearm_change(head: Head) -> Change:
    return Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()])
