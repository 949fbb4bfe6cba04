"""A settled question shows its outcome and has no buttons."""

import discord

from data.store.store import Store
from engine.table.table_posts import QUESTION_EXPIRED
from tests.bot.local_bot import Json, LocalBot, list_button_labels
from tests.bot.local_bot import read_text as read_local_text
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_abort, ask_to_undo, play_one_turn_each
from tests.wording import en, has_sentence

ABORT_TEXT = en("agree.abort", name="Ada")
UNDO_TEXT = en("agree.undo", name="Grace", tile="1-5-5")
EXPIRED_TEXT = en("agree.lapsed")


def find_question(sim: SimGuild, text: str = ABORT_TEXT) -> discord.Message:
    (found,) = [one for one in sim.list_public_messages() if read_text(one).startswith("<@") and text in read_text(one)]
    return found


async def start_abort_question(sim: SimGuild, ada: Member, *others: Member) -> None:
    await play_one_turn_each(sim, ada, *others)
    await ask_to_abort(sim, ada)
    assert {"Agree", "No"} <= set(read_button_ids(find_question(sim)))
    assert has_sentence(read_text(find_question(sim)), "agree.waiting")


def assert_settled(sim: SimGuild, outcome: str, text: str = ABORT_TEXT, *members: Member) -> None:
    message = find_question(sim, text)
    lines = read_text(message).split("\n")
    assert lines[-1] == outcome
    assert lines[0].endswith(text)
    for person in members:
        assert f"<@{person.id}>" in lines[0]
    assert read_button_ids(message) == {}


async def test_declined_question_shows_answer_instead_of_buttons(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_abort_question(sim, ada, grace)
    await grace.click(find_question(sim), label="No")
    assert_settled(sim, en("agree.said_no_abort", person="**Grace**"), ABORT_TEXT, grace)


async def test_withdrawn_question_shows_outcome(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await start_abort_question(sim, ada, grace, linus)
    await grace.click(find_question(sim), label="Agree")
    assert "Agree" in read_button_ids(find_question(sim)), "Linus has yet to answer"
    await ada.click(sim.get_board(), label="No")
    assert_settled(sim, en("agree.no_longer", person="**Ada**"), ABORT_TEXT, grace, linus)


async def test_agreed_abort_shows_outcome(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await start_abort_question(sim, ada, grace, linus)
    await grace.click(find_question(sim), label="Agree")
    await linus.click(find_question(sim), label="Agree")
    assert_settled(sim, en("agree.agreed_abort"), ABORT_TEXT, grace, linus)


async def test_agreed_undo_shows_outcome(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ask_to_undo(sim, ada, grace)
    await ada.click(find_question(sim, UNDO_TEXT), label="Agree")
    assert_settled(sim, en("agree.agreed_undo"), UNDO_TEXT, ada)


async def test_agreed_substitute_shows_outcome(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover = sim.get_called_player()
    await mover.use_command("tiles match substitute", person=linus)
    question_text = en("agree.substitute", name=mover.user.global_name, person="**Linus**")
    await linus.click(find_question(sim, question_text), label="Agree")
    assert_settled(sim, en("agree.agreed_substitute", person="**Linus**"), question_text, linus)


async def test_question_ended_by_move_shows_outcome(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ask_to_undo(sim, ada, grace)
    await sim.play_by_typing(grace)
    assert_settled(sim, EXPIRED_TEXT, UNDO_TEXT, ada)


async def test_question_ended_by_moderator_shows_outcome(
    sim: SimGuild, ada: Member, grace: Member, mary: Member
) -> None:
    await start_abort_question(sim, ada, grace)
    await mary.use_command("tiles-admin end", reason="enough")
    assert_settled(sim, EXPIRED_TEXT)


async def test_unanswered_question_expires_after_one_day(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_abort_question(sim, ada, grace)
    await sim.wait(hours=23)
    assert "Agree" in read_button_ids(find_question(sim))
    await sim.wait(hours=2)
    assert_settled(sim, EXPIRED_TEXT)
    assert not has_sentence(sim.read_board(), "agree.abort")


async def test_settled_question_is_not_changed_again(sim: SimGuild, store: Store, ada: Member) -> None:
    grace = sim.add_member("Grace")
    await start_abort_question(sim, ada, grace)
    await grace.click(find_question(sim), label="No")
    before = read_text(find_question(sim))
    pending_kinds = [row.kind for row in await store.outbox.list_due(1 << 60, 100)]
    assert QUESTION_EXPIRED not in pending_kinds
    await sim.wait(hours=30)
    assert read_text(find_question(sim)) == before
    await ask_to_abort(sim, grace)
    assert read_text(find_question(sim)) == before, "another question is another message"


async def test_question_answered_after_restart_shows_outcome(sim: SimGuild, ada: Member, grace: Member) -> None:
    await start_abort_question(sim, ada, grace)
    await sim.restart()
    await grace.click(sim.get_board(), label="No")
    assert_settled(sim, en("agree.said_no_abort", person="**Grace**"), ABORT_TEXT, grace)


async def find_call(room: LocalBot) -> Json:
    (found,) = [one for one in await room.list_public_messages() if has_sentence(one["content"], "agree.abort")]
    return found


async def ask_to_abort_locally(room: LocalBot) -> Json:
    await room.start_table()
    for _ in range(2):
        await room.move()
    interaction = await room.use_command(room.ada, "tiles", "match", "abort")
    await room.ada.click(interaction, label="End the match")
    await room.ada.wait_for_message(room.channel_id, lambda one: has_sentence(one["content"], "agree.abort"))
    await room.wait_until_idle()
    return await find_call(room)


async def test_failed_outcome_edit_is_retried(local: LocalBot) -> None:
    call = await ask_to_abort_locally(local)
    local.faults.inject_status(f"PATCH /api/v10/channels/{local.channel_id}/messages/{call['id']}", 503, times=2)
    await local.click(local.grace, call, "No")
    await local.wait_until_idle()
    assert "Agree" in list_button_labels(await find_call(local))
    await local.skip_time(30)
    await local.skip_time(60)
    assert read_local_text(await find_call(local)).endswith(en("agree.said_no_abort", person="**Grace**"))
    assert list_button_labels(await find_call(local)) == set()
    assert await local.list_pending_posts() == []


async def test_deleted_question_is_not_posted_again(local: LocalBot) -> None:
    call = await ask_to_abort_locally(local)
    board = next(one for one in await local.list_boards() if "Agree" in list_button_labels(one))
    local.discord.world.delete_message(local.channel_id, call["id"])
    await local.click(local.grace, board, "No")
    await local.wait_until_all_sent()
    assert [one for one in await local.list_public_messages() if has_sentence(one["content"], "agree.abort")] == []


async def test_question_outcome_mentions_no_player_again(local: LocalBot) -> None:
    call = await ask_to_abort_locally(local)
    await local.grace.listen()
    await local.click(local.ada, call, "No")
    await local.wait_until_idle()
    assert [event for event in local.grace.events if event["type"] == "mention"] == []
    assert read_local_text(await find_call(local)).endswith(en("agree.no_longer", person="**Ada**"))


async def test_moved_question_shows_outcome_in_new_channel(stage: LocalBot) -> None:
    for _ in range(2):
        await stage.move()
    old_channel_id, stage.channel_id = stage.channel_id, stage.discord.world.add_channel("refuge")["id"]
    stage.discord.world.delete_channel(old_channel_id)
    confirmation = await stage.use_command(stage.ada, "tiles", "match", "abort")
    await stage.ada.click(confirmation, label="End the match")
    await stage.ada.wait_for_message(stage.channel_id, lambda one: has_sentence(read_local_text(one), "agree.asked"))
    table_list = await stage.use_command(stage.ada, "tiles", "games")
    await stage.click(stage.ada, table_list, "Bring table 1 here")
    await stage.wait_until_idle()
    await stage.click(stage.grace, await find_call(stage), "No")
    await stage.wait_until_all_sent()
    assert read_local_text(await find_call(stage)).endswith(en("agree.said_no_abort", person="**Grace**"))
    assert list_button_labels(await find_call(stage)) == set()
