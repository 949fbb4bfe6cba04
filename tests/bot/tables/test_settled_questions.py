"""A settled question shows its outcome and has no buttons."""

from collections.abc import AsyncIterator

import discord
import pytest
from simcord import MemberActor

from data.store.store import Store
from engine.table.table_posts import QUESTION_EXPIRED
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot
from tests.bot.local_bot import words_of as said_in
from tests.bot.messages import button_ids, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_abort, ask_to_undo, play_one_turn_each
from tests.wording import en, says

ABORT = en("agree.abort", name="Ada")
UNDO = en("agree.undo", name="Grace", tile="1-5-5")
EXPIRED = en("agree.lapsed")


def find_question(sim: SimGuild, text: str = ABORT) -> discord.Message:
    (found,) = [one for one in sim.public() if words_of(one).startswith("<@") and text in words_of(one)]
    return found


async def start_abort_question(sim: SimGuild, ada: MemberActor, *others: MemberActor) -> None:
    await play_one_turn_each(sim, ada, *others)
    await ask_to_abort(sim, ada)
    assert {"Agree", "No"} <= set(button_ids(find_question(sim)))
    assert says(words_of(find_question(sim)), "agree.waiting")


def assert_settled(sim: SimGuild, outcome: str, text: str = ABORT, *people: MemberActor) -> None:
    message = find_question(sim, text)
    lines = words_of(message).split("\n")
    assert lines[-1] == outcome
    assert lines[0].endswith(text)
    for person in people:
        assert f"<@{person.id}>" in lines[0]
    assert button_ids(message) == {}


async def test_declined_question_shows_answer_instead_of_buttons(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await start_abort_question(sim, ada, grace)
    await grace.click(find_question(sim), label="No")
    assert_settled(sim, en("agree.said_no_abort", person="**Grace**"), ABORT, grace)


async def test_withdrawn_question_shows_outcome(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await start_abort_question(sim, ada, grace, linus)
    await grace.click(find_question(sim), label="Agree")
    assert "Agree" in button_ids(find_question(sim)), "Linus has yet to answer"
    await ada.click(sim.board(), label="No")
    assert_settled(sim, en("agree.no_longer", person="**Ada**"), ABORT, grace, linus)


async def test_agreed_abort_shows_outcome(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await start_abort_question(sim, ada, grace, linus)
    await grace.click(find_question(sim), label="Agree")
    await linus.click(find_question(sim), label="Agree")
    assert_settled(sim, en("agree.agreed_abort"), ABORT, grace, linus)


async def test_agreed_undo_shows_outcome(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(sim, ada, grace)
    await ada.click(find_question(sim, UNDO), label="Agree")
    assert_settled(sim, en("agree.agreed_undo"), UNDO, ada)


async def test_agreed_substitute_shows_outcome(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover = sim.to_move()
    await mover.slash(sim.channel, "tiles match substitute", person=linus)
    asks = en("agree.substitute", name=mover.user.global_name, person="**Linus**")
    await linus.click(find_question(sim, asks), label="Agree")
    assert_settled(sim, en("agree.agreed_substitute", person="**Linus**"), asks, linus)


async def test_question_ended_by_move_shows_outcome(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ask_to_undo(sim, ada, grace)
    await sim.play_by_typing(grace)
    assert_settled(sim, EXPIRED, UNDO, ada)


async def test_question_ended_by_moderator_shows_outcome(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await start_abort_question(sim, ada, grace)
    await mary.slash(sim.channel, "tiles-admin end", reason="enough")
    assert_settled(sim, EXPIRED)


async def test_unanswered_question_expires_after_one_day(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await start_abort_question(sim, ada, grace)
    await sim.wait(hours=23)
    assert "Agree" in button_ids(find_question(sim))
    await sim.wait(hours=2)
    assert_settled(sim, EXPIRED)
    assert not says(words_of(sim.board()), "agree.abort")


async def test_settled_question_is_not_changed_again(sim: SimGuild, store: Store, ada: MemberActor) -> None:
    grace = sim.person("Grace")
    await start_abort_question(sim, ada, grace)
    await grace.click(find_question(sim), label="No")
    before = words_of(find_question(sim))
    waiting = [row.kind for row in await store.outbox.list_due(1 << 60, 100)]
    assert QUESTION_EXPIRED not in waiting
    await sim.wait(hours=30)
    assert words_of(find_question(sim)) == before
    await ask_to_abort(sim, grace)
    assert words_of(find_question(sim)) == before, "another question is another message"


async def test_question_answered_after_restart_shows_outcome(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await start_abort_question(sim, ada, grace)
    await sim.restart()
    await grace.click(sim.board(), label="No")
    assert_settled(sim, en("agree.said_no_abort", person="**Grace**"), ABORT, grace)


@pytest.fixture
async def room(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def find_call(room: LocalBot) -> Json:
    (found,) = [one for one in await room.public() if says(one["content"], "agree.abort")]
    return found


async def ask_to_abort_locally(room: LocalBot) -> Json:
    await room.table()
    for _ in range(2):
        await room.move()
    sure = await room.answered(room.ada, await room.ada.use_command(room.place, "tiles", "match", "abort"))
    await room.ada.click(sure, label="End the match")
    await room.ada.wait_for_message(room.place, lambda one: says(one["content"], "agree.abort"))
    await room.quiet()
    return await find_call(room)


async def test_failed_outcome_edit_is_retried(room: LocalBot) -> None:
    call = await ask_to_abort_locally(room)
    room.faults.inject_status(f"PATCH /api/v10/channels/{room.place}/messages/{call['id']}", 503, times=2)
    await room.answered(room.grace, await room.grace.click(call, label="No"))
    await room.quiet()
    assert "Agree" in labels(await find_call(room))
    await room.later(30)
    await room.later(60)
    assert said_in(await find_call(room)).endswith(en("agree.said_no_abort", person="**Grace**"))
    assert labels(await find_call(room)) == set()
    assert await room.pending() == []


async def test_deleted_question_is_not_posted_again(room: LocalBot) -> None:
    call = await ask_to_abort_locally(room)
    board = next(one for one in await room.boards() if "Agree" in labels(one))
    room.discord.world.delete_message(room.place, call["id"])
    await room.answered(room.grace, await room.grace.click(board, label="No"))
    await room.settled()
    assert [one for one in await room.public() if says(one["content"], "agree.abort")] == []


async def test_question_outcome_mentions_no_player_again(room: LocalBot) -> None:
    call = await ask_to_abort_locally(room)
    await room.grace.listen()
    await room.answered(room.ada, await room.ada.click(call, label="No"))
    await room.quiet()
    assert [event for event in room.grace.events if event["type"] == "mention"] == []
    assert said_in(await find_call(room)).endswith(en("agree.no_longer", person="**Ada**"))


async def test_moved_question_shows_outcome_in_new_channel(room: LocalBot) -> None:
    await room.table()
    for _ in range(2):
        await room.move()
    lost, room.place = room.place, room.discord.world.add_channel("refuge")["id"]
    room.discord.world.delete_channel(lost)
    sure = await room.answered(room.ada, await room.ada.use_command(room.place, "tiles", "match", "abort"))
    await room.ada.click(sure, label="End the match")
    await room.ada.wait_for_message(room.place, lambda one: says(said_in(one), "agree.asked"))
    listed = await room.answered(room.ada, await room.ada.use_command(room.place, "tiles", "games"))
    await room.answered(room.ada, await room.ada.click(listed, label="Bring table 1 here"))
    await room.quiet()
    await room.answered(room.grace, await room.grace.click(await find_call(room), label="No"))
    await room.settled()
    assert said_in(await find_call(room)).endswith(en("agree.said_no_abort", person="**Grace**"))
    assert labels(await find_call(room)) == set()
