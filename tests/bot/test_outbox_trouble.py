"""What has to be said is said once, whatever happens on the way: lost answers, 5xx, rate limits, old rows."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from bot.app import build
from bot.core.layout import said
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
from tests.bot.house import BLOCKED
from tests.bot.parlour import Parlour, labels, parlour, words_of
from tests.bot.posts import DELETE, EDIT, SEND, shows_the_head
from tests.wording import says

BACK_OFF = 6.0
TOO_LATE = 400.0


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


def chatter(house: Parlour, messages: int) -> None:
    world = house.discord.world
    for number in range(messages):
        body = world.blank_message(world.channels[house.place], world.people[house.grace.id])
        world.talk.post(TalkPost(body | {"content": f"chatter {number}"}))


async def unsent(house: Parlour) -> OutboxRow:
    (row,) = [row for row in await house.pending() if row.kind == TURN]
    return row


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_call_whose_answer_was_lost_is_not_sent_twice(house: Parlour, wait: float) -> None:
    await house.table()
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.move()
    assert house.faults.lost == 1
    assert len(await house.calls()) == 1, "it was posted, and nobody knows; the one before went with its turn"
    row = await unsent(house)
    assert row.attempts == 1
    await house.later(wait)
    assert await shows_the_head(house)


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_board_whose_answer_was_lost_is_found_again_and_shows_what_is_now(house: Parlour, wait: float) -> None:
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    assert (await house.head()).board_message_id is None
    (lobby,) = await house.boards()
    await house.grace.click(lobby, label="Join")
    await house.grace.wait_for(house.place, lambda one: one["mentions"])
    await house.quiet()
    await house.later(wait)
    assert [one["id"] for one in await house.boards()] == [lobby["id"]]
    assert await shows_the_head(house)


async def test_call_whose_answer_was_lost_is_found_where_table_was_before(house: Parlour) -> None:
    await house.table()
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.move()
    there, house.place = house.place, house.discord.world.add_channel("elsewhere")["id"]
    await house.client.services.acts.act(1, MoveTable(int(house.ada.id), int(house.place)))
    await house.later(TOO_LATE)
    await house.settled()
    calls = [one for place in (there, house.place) for one in await house.ada.messages(place) if one["mentions"]]
    assert len(calls) == 1, [(one["channel_id"], one["content"]) for one in calls]
    assert calls[0]["channel_id"] == house.place


async def test_nothing_of_table_stays_in_channel_it_has_left_though_discord_was_ill_then(house: Parlour) -> None:
    await house.table()
    await house.settled()
    there, house.place = house.place, house.discord.world.add_channel("elsewhere")["id"]
    house.faults.next_status(f"{DELETE}/{there}", 503)
    await house.client.services.acts.act(1, MoveTable(int(house.ada.id), int(house.place)))
    await house.later(15)
    await house.settled()
    assert [words_of(one) for one in await house.ada.messages(there) if one["mentions"] or one["attachments"]] == []
    assert await shows_the_head(house)


@pytest.mark.parametrize("wait", [BACK_OFF, TOO_LATE], ids=["soon", "when the nonce is forgotten"])
async def test_board_whose_answer_was_lost_does_not_stay_where_table_was_before(house: Parlour, wait: float) -> None:
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    assert (await house.head()).board_message_id is None
    there, house.place = house.place, house.discord.world.add_channel("elsewhere")["id"]
    await house.client.services.acts.act(1, MoveTable(int(house.ada.id), int(house.place)))
    await house.quiet()
    await house.later(wait)
    await house.settled()
    assert len(await house.boards()) == 1
    house.place = there
    assert await house.boards() == []


async def test_post_is_looked_for_in_every_place_table_was_at_between_two_attempts(house: Parlour) -> None:
    head = await house.table()
    places = [house.place]
    house.faults.next_status(SEND, 503)
    said_once = [Post(kind="notice", body={"key": "idle"})]
    await house.store.matches.commit(replace(_note(head), outbox=said_once), now=house.client.services.now())
    house.client.services.announcer.refresh(1)
    await house.quiet()
    for name in ("elsewhere", "far away"):
        house.place = house.discord.world.add_channel(name)["id"]
        places.append(house.place)
        await house.client.services.acts.act(1, MoveTable(int(house.ada.id), int(house.place)))
        await house.quiet()
        if name == "elsewhere":
            house.faults.lose_answers(1.0, Random(1), part=f"{SEND}/{house.place}", times=1)
            await house.later(BACK_OFF)
            assert house.faults.lost == 1
    await house.later(TOO_LATE)
    await house.settled()
    found = [place for place in places for one in await house.ada.messages(place) if "60 days" in words_of(one)]
    assert found == [places[1]]


async def test_board_that_was_found_and_not_noted_is_found_once_more(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    (lobby,) = await house.boards()
    house.faults.lose_answers(1.0, Random(1), part=EDIT, times=1)
    await house.grace.click(lobby, label="Join")
    await house.grace.wait_for(house.place, lambda one: one["mentions"])
    await house.quiet()
    for _ in range(2):
        await house.later(BACK_OFF)
    assert [one["id"] for one in await house.boards()] == [lobby["id"]]
    assert await shows_the_head(house)


async def test_call_whose_answer_was_lost_is_taken_back_when_turn_went_on(house: Parlour) -> None:
    await house.table()
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.move()
    assert len(await house.calls()) == 1, "the second is there, and nobody knows"
    await house.move()
    await house.later(TOO_LATE)
    assert await shows_the_head(house)


async def test_call_is_found_again_far_above_what_came_to_stand_below_it_meanwhile(house: Parlour) -> None:
    await house.table()
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.move()
    chatter(house, 350)
    await house.move()
    await house.later(TOO_LATE)
    calls = [one for one in house.discord.world.talk.timelines[house.place].everything() if one.body["mentions"]]
    assert [int(one.id) for one in calls] == [(await house.head()).turn_message_id]


async def test_call_that_was_not_posted_comes_later_even_when_nonce_is_forgotten(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(SEND, 503)
    await house.move()
    assert (await unsent(house)).attempts == 1
    await house.later(TOO_LATE)
    assert await shows_the_head(house)


async def test_call_is_sent_late_where_history_may_not_be_read(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(SEND, 503)
    await house.move()
    house.discord.world.set_bot_permissions(house.place, read_message_history=False)
    await house.later(TOO_LATE)
    assert await shows_the_head(house)


async def test_each_failure_makes_next_attempt_wait_longer(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(SEND, 503, times=3)
    await house.move()
    waits = []
    for _ in range(3):
        row = await unsent(house)
        assert row.next_at is not None
        waits.append(row.next_at - house.client.services.now())
        await house.later(waits[-1] / 1000 + 1)
    assert waits == sorted(waits)
    assert waits[2] > 3 * waits[0]
    assert await shows_the_head(house)


async def test_rate_limit_is_waited_out(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(SEND, 429, retry_after=0.05)
    house.faults.next_status(EDIT, 429, retry_after=0.05)
    await house.move()
    assert await shows_the_head(house)


async def test_edit_that_failed_is_made_up_for(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(EDIT, 503)
    told = await house.place_tile()
    assert told.startswith("You played "), "the mover is answered all the same"
    assert (await house.head()).shown_seq < (await house.head()).seq
    await house.later(15)
    await house.stands()
    assert await shows_the_head(house)


async def test_call_that_could_not_be_deleted_is_deleted_later(house: Parlour) -> None:
    await house.table()
    house.faults.next_status(DELETE, 503)
    await house.move()
    assert len(await house.calls()) == 2
    assert [row.kind for row in await house.pending()] == [REMOVE]
    await house.later(15)
    assert await shows_the_head(house)


async def test_board_that_somebody_deleted_while_nobody_looked_comes_back(house: Parlour) -> None:
    before = await house.table()
    house.faults.next_status(EDIT, 404, code=10008)
    await house.move()
    assert (await house.head()).board_message_id != before.board_message_id
    house.discord.world.delete_message(house.place, str(before.board_message_id))
    assert await shows_the_head(house)


async def test_nonce_that_belongs_to_deleted_message_does_not_keep_board_away(house: Parlour) -> None:
    before = await house.table()
    house.faults.next_status(SEND, 404, code=10008)
    house.discord.world.delete_message(house.place, str(before.board_message_id))
    await house.ada.wait_for(house.place, lambda one: "Text board" in labels(one))
    await house.quiet()
    assert await shows_the_head(house)


async def test_end_of_round_is_told_once_when_its_answer_was_lost(house: Parlour) -> None:
    house.deals.wanted = [BLOCKED]
    await house.answered(house.ada, await house.ada.slash(house.place, "tiles", "new", seats=2))
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    await house.grace.click((await house.boards())[0], label="Join")
    await house.ada.wait_for(house.place, lambda one: "Round 1 is over" in words_of(one))
    await house.quiet()
    assert house.faults.lost == 1
    await house.later(TOO_LATE)
    (end,) = [one for one in await house.public() if "Round 1 is over" in words_of(one)]
    ledger = await house.answered(house.ada, await house.ada.click(end, label="Scores"))
    assert "round 1 of 2" in words_of(ledger), "the button by which it is found again is of use too"
    assert await shows_the_head(house)


async def test_edit_rings_nobody_and_call_rings_one(house: Parlour) -> None:
    await house.table()
    await house.ada.listen()
    await house.grace.listen()
    mover = await house.mover()
    await house.move()
    rung = {
        person.name: [event for event in person.events if event["type"] == "mention"]
        for person in (house.ada, house.grace)
    }
    assert len(rung[mover.name]) == 0
    assert sum(map(len, rung.values())) == 1


async def test_post_without_buttons_whose_answer_was_lost_is_found_too(house: Parlour) -> None:
    head = await house.table()

    async def written(_: Table, __: OutboxRow) -> Outgoing:
        return Outgoing(said("Something happened."))

    house.client.services.announcer.publisher.writers["test"] = written
    house.faults.lose_answers(1.0, Random(1), part=SEND, times=1)
    note = Rearmed()
    change = Change(match_id=1, expected_seq=head.seq, events=[note], outbox=[Post(kind="test")])
    await house.store.matches.commit(change, now=house.client.services.now())
    await house.later(0)
    await house.later(TOO_LATE)
    assert [words_of(one) for one in await house.public()].count("Something happened.") == 1
    assert await shows_the_head(house)


async def test_old_board_that_could_not_be_shrunk_is_shrunk_later(house: Parlour) -> None:
    old = (await house.table()).board_message_id
    chatter(house, 16)
    house.faults.next_status(f"{EDIT}/{house.place}/messages/{old}", 503)
    await house.place_tile()
    assert len(await house.boards()) == 2
    await house.later(15)
    (left,) = [one for one in await house.public() if one["id"] == str(old)]
    assert says(words_of(left), "board.moved_on")
    await house.stands()
    assert await shows_the_head(house)


async def test_of_two_processes_none_leaves_older_board_behind(house: Parlour, url: str) -> None:
    head = await house.table()
    second = await Store.open(url)
    other = build(second, clock=house.client.services.now)
    await other.login(house.discord.token)
    try:
        # The first process is slow: what it shows arrives after what the second one shows.
        house.faults.delay(EDIT, 4)
        await house.store.matches.commit(_note(head), now=house.client.services.now())
        slow = house.client.services.announcer.refresh(1)
        await asyncio.sleep(0.2)
        await house.store.matches.commit(_note(await house.head()), now=house.client.services.now())
        await other.services.announcer.refresh(1)
        assert not slow.done()
        await slow
        assert await shows_the_head(house)
    finally:
        await other.close()
        await second.close()


def _note(head: Head) -> Change:
    return Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()])
