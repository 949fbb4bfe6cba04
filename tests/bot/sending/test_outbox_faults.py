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
from tests.bot.local_bot import LocalBot, labels, run_local_bot, words_of
from tests.bot.sending.posts import DELETE, EDIT, SEND, is_up_to_date
from tests.bot.simulated_guild import BLOCKED
from tests.wording import says

BACK_OFF = 6.0
TOO_LATE = 400.0


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


def post_chatter(sim: LocalBot, messages: int) -> None:
    world = sim.discord.world
    for number in range(messages):
        body = world.build_message(world.channels[sim.place], world.users[sim.grace.id])
        world.messages.post(TalkPost(body | {"content": f"chatter {number}"}))


async def find_unsent_call(sim: LocalBot) -> OutboxRow:
    (row,) = [row for row in await sim.pending() if row.kind == TURN]
    return row


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_call_with_lost_answer_is_not_sent_twice(sim: LocalBot, wait: float) -> None:
    await sim.table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    assert sim.faults.lost_responses == 1
    assert len(await sim.calls()) == 1, "it was posted, and nobody knows; the one before went with its turn"
    row = await find_unsent_call(sim)
    assert row.attempts == 1
    await sim.later(wait)
    assert await is_up_to_date(sim)


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_found_and_updated(sim: LocalBot, wait: float) -> None:
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "new", seats=2))
    assert (await sim.head()).board_message_id is None
    (lobby,) = await sim.boards()
    await sim.grace.click(lobby, label="Join")
    await sim.grace.wait_for_message(sim.place, lambda one: one["mentions"])
    await sim.quiet()
    await sim.later(wait)
    assert [one["id"] for one in await sim.boards()] == [lobby["id"]]
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_found_in_old_channel(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    there, sim.place = sim.place, sim.discord.world.add_channel("elsewhere")["id"]
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.place)))
    await sim.later(TOO_LATE)
    await sim.settled()
    calls = [one for place in (there, sim.place) for one in await sim.ada.fetch_messages(place) if one["mentions"]]
    assert len(calls) == 1, [(one["channel_id"], one["content"]) for one in calls]
    assert calls[0]["channel_id"] == sim.place


async def test_moved_table_leaves_nothing_behind_after_failed_delete(sim: LocalBot) -> None:
    await sim.table()
    await sim.settled()
    there, sim.place = sim.place, sim.discord.world.add_channel("elsewhere")["id"]
    sim.faults.inject_status(f"{DELETE}/{there}", 503)
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.place)))
    await sim.later(15)
    await sim.settled()
    assert [words_of(one) for one in await sim.ada.fetch_messages(there) if one["mentions"] or one["attachments"]] == []
    assert await is_up_to_date(sim)


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_board_with_lost_answer_is_removed_from_old_channel(sim: LocalBot, wait: float) -> None:
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "new", seats=2))
    assert (await sim.head()).board_message_id is None
    there, sim.place = sim.place, sim.discord.world.add_channel("elsewhere")["id"]
    await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.place)))
    await sim.quiet()
    await sim.later(wait)
    await sim.settled()
    assert len(await sim.boards()) == 1
    sim.place = there
    assert await sim.boards() == []


async def test_lost_post_is_searched_in_every_earlier_channel(sim: LocalBot) -> None:
    head = await sim.table()
    places = [sim.place]
    sim.faults.inject_status(SEND, 503)
    said_once = [Post(kind="notice", body={"key": "idle"})]
    await sim.store.matches.commit(replace(_rearm(head), outbox=said_once), now=sim.client.services.now())
    sim.client.services.announcer.refresh(1)
    await sim.quiet()
    for name in ("elsewhere", "far away"):
        sim.place = sim.discord.world.add_channel(name)["id"]
        places.append(sim.place)
        await sim.client.services.acts.act(1, MoveTable(int(sim.ada.id), int(sim.place)))
        await sim.quiet()
        if name == "elsewhere":
            sim.faults.lose_responses(1.0, Random(1), part=f"{SEND}/{sim.place}", times=1)
            await sim.later(BACK_OFF)
            assert sim.faults.lost_responses == 1
    await sim.later(TOO_LATE)
    await sim.settled()
    found = [place for place in places for one in await sim.ada.fetch_messages(place) if "60 days" in words_of(one)]
    assert found == [places[1]]


async def test_found_but_unrecorded_board_is_found_again(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "new", seats=2))
    (lobby,) = await sim.boards()
    sim.faults.lose_responses(1.0, Random(1), part=EDIT, times=1)
    await sim.grace.click(lobby, label="Join")
    await sim.grace.wait_for_message(sim.place, lambda one: one["mentions"])
    await sim.quiet()
    for _ in range(2):
        await sim.later(BACK_OFF)
    assert [one["id"] for one in await sim.boards()] == [lobby["id"]]
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_deleted_after_turn(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    assert len(await sim.calls()) == 1, "the second is there, and nobody knows"
    await sim.move()
    await sim.later(TOO_LATE)
    assert await is_up_to_date(sim)


async def test_call_with_lost_answer_is_found_below_350_messages(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.move()
    post_chatter(sim, 350)
    await sim.move()
    await sim.later(TOO_LATE)
    calls = [one for one in sim.discord.world.messages.timelines[sim.place].list_posts() if one.body["mentions"]]
    assert [int(one.id) for one in calls] == [(await sim.head()).turn_message_id]


async def test_failed_call_is_sent_later_after_nonce_expired(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(SEND, 503)
    await sim.move()
    assert (await find_unsent_call(sim)).attempts == 1
    await sim.later(TOO_LATE)
    assert await is_up_to_date(sim)


async def test_failed_call_is_sent_later_without_history_permission(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(SEND, 503)
    await sim.move()
    sim.discord.world.set_bot_permissions(sim.place, read_message_history=False)
    await sim.later(TOO_LATE)
    assert await is_up_to_date(sim)


async def test_each_failed_attempt_increases_delay(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(SEND, 503, times=3)
    await sim.move()
    waits = []
    for _ in range(3):
        row = await find_unsent_call(sim)
        assert row.next_at is not None
        waits.append(row.next_at - sim.client.services.now())
        await sim.later(waits[-1] / 1000 + 1)
    assert waits == sorted(waits)
    assert waits[2] > 3 * waits[0]
    assert await is_up_to_date(sim)


async def test_rate_limit_is_waited_out(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(SEND, 429, retry_after=0.05)
    sim.faults.inject_status(EDIT, 429, retry_after=0.05)
    await sim.move()
    assert await is_up_to_date(sim)


async def test_failed_edit_is_retried(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(EDIT, 503)
    told = await sim.place_tile()
    assert told.startswith("You played "), "the mover is answered all the same"
    assert (await sim.head()).shown_seq < (await sim.head()).seq
    await sim.later(15)
    await sim.stands()
    assert await is_up_to_date(sim)


async def test_failed_deletion_of_call_is_retried(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(DELETE, 503)
    await sim.move()
    assert len(await sim.calls()) == 2
    assert [row.kind for row in await sim.pending()] == [REMOVE]
    await sim.later(15)
    assert await is_up_to_date(sim)


async def test_board_deleted_unnoticed_is_posted_again(sim: LocalBot) -> None:
    before = await sim.table()
    sim.faults.inject_status(EDIT, 404, code=10008)
    await sim.move()
    assert (await sim.head()).board_message_id != before.board_message_id
    sim.discord.world.delete_message(sim.place, str(before.board_message_id))
    assert await is_up_to_date(sim)


async def test_nonce_of_deleted_message_does_not_block_board(sim: LocalBot) -> None:
    before = await sim.table()
    sim.faults.inject_status(SEND, 404, code=10008)
    sim.discord.world.delete_message(sim.place, str(before.board_message_id))
    await sim.ada.wait_for_message(sim.place, lambda one: "Text board" in labels(one))
    await sim.quiet()
    assert await is_up_to_date(sim)


async def test_round_result_with_lost_answer_is_posted_once(sim: LocalBot) -> None:
    sim.deals.wanted = [BLOCKED]
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "new", seats=2))
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    await sim.grace.click((await sim.boards())[0], label="Join")
    await sim.ada.wait_for_message(sim.place, lambda one: "Round 1 is over" in words_of(one))
    await sim.quiet()
    assert sim.faults.lost_responses == 1
    await sim.later(TOO_LATE)
    (end,) = [one for one in await sim.public() if "Round 1 is over" in words_of(one)]
    ledger = await sim.answered(sim.ada, await sim.ada.click(end, label="Scores"))
    assert "round 1 of 2" in words_of(ledger), "the button by which it is found again is of use too"
    assert await is_up_to_date(sim)


async def test_edit_notifies_no_player_and_call_notifies_one(sim: LocalBot) -> None:
    await sim.table()
    await sim.ada.listen()
    await sim.grace.listen()
    mover = await sim.mover()
    await sim.move()
    rung = {
        person.name: [event for event in person.events if event["type"] == "mention"] for person in (sim.ada, sim.grace)
    }
    assert len(rung[mover.name]) == 0
    assert sum(map(len, rung.values())) == 1


async def test_post_without_buttons_and_answer_is_found(sim: LocalBot) -> None:
    head = await sim.table()

    async def write_post(_: Table, __: OutboxRow) -> Outgoing:
        return Outgoing(build_text_view("Something happened."))

    sim.client.services.announcer.publisher.writers["test"] = write_post
    sim.faults.lose_responses(1.0, Random(1), part=SEND, times=1)
    note = Rearmed()
    change = Change(match_id=1, expected_seq=head.seq, events=[note], outbox=[Post(kind="test")])
    await sim.store.matches.commit(change, now=sim.client.services.now())
    await sim.later(0)
    await sim.later(TOO_LATE)
    assert [words_of(one) for one in await sim.public()].count("Something happened.") == 1
    assert await is_up_to_date(sim)


async def test_failed_shrinking_of_previous_board_is_retried(sim: LocalBot) -> None:
    old = (await sim.table()).board_message_id
    post_chatter(sim, 16)
    sim.faults.inject_status(f"{EDIT}/{sim.place}/messages/{old}", 503)
    await sim.place_tile()
    assert len(await sim.boards()) == 2
    await sim.later(15)
    (left,) = [one for one in await sim.public() if one["id"] == str(old)]
    assert says(words_of(left), "board.moved_on")
    await sim.stands()
    assert await is_up_to_date(sim)


async def test_slow_process_does_not_overwrite_newer_board(sim: LocalBot, url: str) -> None:
    head = await sim.table()
    second = await Store.open(url)
    other = build(second, clock=sim.client.services.now)
    await other.login(sim.discord.token)
    try:
        # The edit of the slow first process arrives after the edit of the second one.
        sim.faults.delay(EDIT, 4)
        await sim.store.matches.commit(_rearm(head), now=sim.client.services.now())
        slow = sim.client.services.announcer.refresh(1)
        await asyncio.sleep(0.2)
        await sim.store.matches.commit(_rearm(await sim.head()), now=sim.client.services.now())
        await other.services.announcer.refresh(1)
        assert not slow.done()
        await slow
        assert await is_up_to_date(sim)
    finally:
        await other.close()
        await second.close()


def _rearm(head: Head) -> Change:
    return Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()])
