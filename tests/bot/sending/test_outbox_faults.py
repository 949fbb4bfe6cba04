"""Each post is sent once despite lost answers, server errors, rate limits, and old rows."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from bot.playground import rest_channels
from bot.playground.channel_messages import Post as TalkPost
from data.store.log.match_values import Change, Head
from data.store.outbox.outbox_values import REMOVE, OutboxRow
from engine.table.commands import MoveTable
from engine.table.table_events import Rearmed
from engine.table.table_posts import TURN, Post
from tests.bot.local_bot import LocalBot, list_button_labels, read_text, run_second_bot
from tests.bot.sending.posts import DELETE, EDIT, SEND, is_up_to_date, queue_posts
from tests.bot.simulated_guild import BLOCKED_DEAL
from tests.wording import has_sentence

BACKOFF_SECONDS = 6.0
EXPIRY_SECONDS = 400.0


def post_chatter(sim: LocalBot, messages: int) -> None:
    world = sim.discord.world
    for number in range(messages):
        body = world.build_message(world.channels[sim.channel_id], world.users[sim.grace.id])
        world.messages.post(TalkPost(body | {"content": f"chatter {number}"}))


async def find_unsent_call(sim: LocalBot) -> OutboxRow:
    (row,) = [row for row in await sim.list_pending_posts() if row.kind == TURN]
    return row


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_call_with_lost_answer_is_not_sent_twice(stage: LocalBot, wait: float) -> None:
    stage.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await stage.move()
    assert stage.faults.lost_responses == 1
    assert len(await stage.list_calls()) == 1, "it was posted, and nobody knows; the one before went with its turn"
    row = await find_unsent_call(stage)
    assert row.attempts == 1
    await stage.skip_time(wait)
    assert await is_up_to_date(stage)


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_found_and_updated(local: LocalBot, wait: float) -> None:
    local.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await local.use_command(local.ada, "tiles", "new", seats=2)
    assert (await local.load_head()).board_message_id is None
    (lobby,) = await local.list_boards()
    await local.grace.click(lobby, label="Join")
    await local.grace.wait_for_message(local.channel_id, lambda one: one["mentions"])
    await local.wait_until_idle()
    await local.skip_time(wait)
    assert [one["id"] for one in await local.list_boards()] == [lobby["id"]]
    assert await is_up_to_date(local)


async def test_call_with_lost_answer_is_found_in_old_channel(stage: LocalBot) -> None:
    stage.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await stage.move()
    old_channel_id, stage.channel_id = stage.channel_id, stage.discord.world.add_channel("elsewhere")["id"]
    await stage.client.services.acts.act(1, MoveTable(int(stage.ada.id), int(stage.channel_id)))
    await stage.skip_time(EXPIRY_SECONDS)
    await stage.wait_until_all_sent()
    calls = [
        one
        for place in (old_channel_id, stage.channel_id)
        for one in await stage.ada.fetch_messages(place)
        if one["mentions"]
    ]
    assert len(calls) == 1, [(one["channel_id"], one["content"]) for one in calls]
    assert calls[0]["channel_id"] == stage.channel_id


async def test_moved_table_leaves_nothing_behind_after_failed_delete(stage: LocalBot) -> None:
    await stage.wait_until_all_sent()
    old_channel_id, stage.channel_id = stage.channel_id, stage.discord.world.add_channel("elsewhere")["id"]
    stage.faults.inject_status(f"{DELETE}/{old_channel_id}", 503)
    await stage.client.services.acts.act(1, MoveTable(int(stage.ada.id), int(stage.channel_id)))
    await stage.skip_time(15)
    await stage.wait_until_all_sent()
    assert [
        read_text(one)
        for one in await stage.ada.fetch_messages(old_channel_id)
        if one["mentions"] or one["attachments"]
    ] == []
    assert await is_up_to_date(stage)


@pytest.mark.parametrize("wait", [BACKOFF_SECONDS, EXPIRY_SECONDS], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_removed_from_old_channel(local: LocalBot, wait: float) -> None:
    local.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await local.use_command(local.ada, "tiles", "new", seats=2)
    assert (await local.load_head()).board_message_id is None
    old_channel_id, local.channel_id = local.channel_id, local.discord.world.add_channel("elsewhere")["id"]
    await local.client.services.acts.act(1, MoveTable(int(local.ada.id), int(local.channel_id)))
    await local.wait_until_idle()
    await local.skip_time(wait)
    await local.wait_until_all_sent()
    assert len(await local.list_boards()) == 1
    local.channel_id = old_channel_id
    assert await local.list_boards() == []


async def test_lost_post_is_searched_in_every_earlier_channel(local: LocalBot) -> None:
    head = await local.start_table()
    places = [local.channel_id]
    local.faults.inject_status(SEND, 503)
    notices = [Post(kind="notice", body={"key": "idle"})]
    await local.store.matches.commit(
        replace(_build_rearm_change(head), outbox=notices), now=local.client.services.now()
    )
    local.client.services.announcer.refresh(1)
    await local.wait_until_idle()
    for name in ("elsewhere", "far away"):
        local.channel_id = local.discord.world.add_channel(name)["id"]
        places.append(local.channel_id)
        await local.client.services.acts.act(1, MoveTable(int(local.ada.id), int(local.channel_id)))
        await local.wait_until_idle()
        if name == "elsewhere":
            local.faults.lose_responses(1.0, Random(1), part=f"{SEND}/{local.channel_id}", times=1)
            await local.skip_time(BACKOFF_SECONDS)
            assert local.faults.lost_responses == 1
    await local.skip_time(EXPIRY_SECONDS)
    await local.wait_until_all_sent()
    found = [place for place in places for one in await local.ada.fetch_messages(place) if "60 days" in read_text(one)]
    assert found == [places[1]]


async def test_found_but_unrecorded_board_is_found_again(local: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    local.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await local.use_command(local.ada, "tiles", "new", seats=2)
    (lobby,) = await local.list_boards()
    local.faults.lose_responses(1.0, Random(1), part=EDIT, times=1)
    await local.grace.click(lobby, label="Join")
    await local.grace.wait_for_message(local.channel_id, lambda one: one["mentions"])
    await local.wait_until_idle()
    for _ in range(2):
        await local.skip_time(BACKOFF_SECONDS)
    assert [one["id"] for one in await local.list_boards()] == [lobby["id"]]
    assert await is_up_to_date(local)


async def test_call_with_lost_answer_is_deleted_after_turn(stage: LocalBot) -> None:
    stage.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await stage.move()
    assert len(await stage.list_calls()) == 1, "the second is there, and nobody knows"
    await stage.move()
    await stage.skip_time(EXPIRY_SECONDS)
    assert await is_up_to_date(stage)


async def test_call_with_lost_answer_is_found_below_350_messages(stage: LocalBot) -> None:
    stage.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await stage.move()
    post_chatter(stage, 350)
    await stage.move()
    await stage.skip_time(EXPIRY_SECONDS)
    calls = [
        one for one in stage.discord.world.messages.timelines[stage.channel_id].list_posts() if one.body["mentions"]
    ]
    assert [int(one.id) for one in calls] == [(await stage.load_head()).turn_message_id]


@pytest.mark.parametrize("changes", [{}, {"read_message_history": False}], ids=["allowed", "without history"])
async def test_failed_call_is_sent_later_after_nonce_expired(stage: LocalBot, changes: dict[str, bool]) -> None:
    stage.faults.inject_status(SEND, 503)
    await stage.move()
    assert (await find_unsent_call(stage)).attempts == 1
    stage.discord.world.set_bot_permissions(stage.channel_id, **changes)
    await stage.skip_time(EXPIRY_SECONDS)
    assert await is_up_to_date(stage)


async def test_each_failed_attempt_increases_delay(stage: LocalBot) -> None:
    stage.faults.inject_status(SEND, 503, times=3)
    await stage.move()
    delays = []
    for _ in range(3):
        row = await find_unsent_call(stage)
        delays.append(row.next_at - stage.client.services.now())
        await stage.skip_time(delays[-1] / 1000 + 1)
    assert delays == sorted(delays)
    assert delays[2] > 3 * delays[0]
    assert await is_up_to_date(stage)


async def test_rate_limit_is_waited_out(stage: LocalBot) -> None:
    stage.faults.inject_status(SEND, 429, retry_after=0.05)
    stage.faults.inject_status(EDIT, 429, retry_after=0.05)
    await stage.move()
    assert await is_up_to_date(stage)


async def test_failed_edit_is_retried(stage: LocalBot) -> None:
    stage.faults.inject_status(EDIT, 503)
    answer = await stage.place_tile()
    assert answer.startswith("You played "), "the mover is answered all the same"
    assert (await stage.load_head()).shown_seq < (await stage.load_head()).seq
    await stage.skip_time(15)
    await stage.settle_turn()
    assert await is_up_to_date(stage)


async def test_failed_deletion_of_call_is_retried(stage: LocalBot) -> None:
    stage.faults.inject_status(DELETE, 503)
    await stage.move()
    assert len(await stage.list_calls()) == 2
    assert [row.kind for row in await stage.list_pending_posts()] == [REMOVE]
    await stage.skip_time(15)
    assert await is_up_to_date(stage)


async def test_board_deleted_unnoticed_is_posted_again(local: LocalBot) -> None:
    before = await local.start_table()
    local.faults.inject_status(EDIT, 404, code=10008)
    await local.move()
    assert (await local.load_head()).board_message_id != before.board_message_id
    local.discord.world.delete_message(local.channel_id, str(before.board_message_id))
    assert await is_up_to_date(local)


async def test_nonce_of_deleted_message_does_not_block_board(local: LocalBot) -> None:
    before = await local.start_table()
    local.faults.inject_status(SEND, 404, code=10008)
    local.discord.world.delete_message(local.channel_id, str(before.board_message_id))
    await local.ada.wait_for_message(local.channel_id, lambda one: "Text board" in list_button_labels(one))
    await local.wait_until_idle()
    assert await is_up_to_date(local)


async def test_round_result_with_lost_answer_is_posted_once(local: LocalBot) -> None:
    local.deals.next_numbers = [BLOCKED_DEAL]
    await local.use_command(local.ada, "tiles", "new", seats=2)
    local.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await local.grace.click((await local.list_boards())[0], label="Join")
    await local.ada.wait_for_message(local.channel_id, lambda one: "Round 1 is over" in read_text(one))
    await local.wait_until_idle()
    assert local.faults.lost_responses == 1
    await local.skip_time(EXPIRY_SECONDS)
    (end,) = [one for one in await local.list_public_messages() if "Round 1 is over" in read_text(one)]
    score_list = await local.click(local.ada, end, "Scores")
    assert "round 1 of 2" in read_text(score_list), "the button by which it is found again is of use too"
    assert await is_up_to_date(local)


async def test_edit_notifies_no_player_and_call_notifies_one(stage: LocalBot) -> None:
    await stage.ada.listen()
    await stage.grace.listen()
    mover = await stage.get_mover()
    await stage.move()
    notified = {
        person.name: [event for event in person.events if event["type"] == "mention"]
        for person in (stage.ada, stage.grace)
    }
    assert len(notified[mover.name]) == 0
    assert sum(map(len, notified.values())) == 1


async def test_post_without_buttons_and_answer_is_found(local: LocalBot) -> None:
    await local.start_table()
    local.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await queue_posts(local, "Something happened.")
    await local.skip_time(0)
    await local.skip_time(EXPIRY_SECONDS)
    assert [read_text(one) for one in await local.list_public_messages()].count("Something happened.") == 1
    assert await is_up_to_date(local)


async def test_failed_shrinking_of_previous_board_is_retried(local: LocalBot) -> None:
    old_board_id = (await local.start_table()).board_message_id
    post_chatter(local, 16)
    local.faults.inject_status(f"{EDIT}/{local.channel_id}/messages/{old_board_id}", 503)
    await local.place_tile()
    assert len(await local.list_boards()) == 2
    await local.skip_time(15)
    (old_board,) = [one for one in await local.list_public_messages() if one["id"] == str(old_board_id)]
    assert has_sentence(read_text(old_board), "board.moved_on")
    await local.settle_turn()
    assert await is_up_to_date(local)


async def test_slow_process_does_not_overwrite_newer_board(local: LocalBot, url: str) -> None:
    head = await local.start_table()
    async with run_second_bot(local, url) as other:
        # The edit of the slow first process arrives after the edit of the second one.
        local.faults.delay(EDIT, 4)
        await local.store.matches.commit(_build_rearm_change(head), now=local.client.services.now())
        slow_refresh = local.client.services.announcer.refresh(1)
        await asyncio.sleep(0.2)
        await local.store.matches.commit(_build_rearm_change(await local.load_head()), now=local.client.services.now())
        await other.services.announcer.refresh(1)
        assert not slow_refresh.done()
        await slow_refresh
        assert await is_up_to_date(local)


def _build_rearm_change(head: Head) -> Change:
    return Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()])
