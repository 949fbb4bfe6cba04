"""Each private answer to a typed command replaces the previous one."""

from bot.sending.live_hands import MAX_TRACKED, TRACKED_MS, PrivateAnswerTracker
from tests.bot.local_bot import Json, LocalBot, list_button_labels, read_text
from tests.bot.sending.posts import fetch_private_messages
from tests.playground.page_user import PageUser


async def run_command(stage: LocalBot, person: PageUser, *path: str, **options: object) -> Json:
    return await stage.use_command(person, "tiles", *path, **options)


async def test_typed_moves_leave_only_last_answer(stage: LocalBot) -> None:
    for _ in range(6):
        move_text = await stage.move()
    assert move_text.startswith("You played ")
    for person in (stage.ada, stage.grace):
        (answer,) = await fetch_private_messages(stage, person)
        assert read_text(answer).startswith("You played ")


async def test_next_answer_replaces_refusal(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    for wrong_tile in ("9-9-9", "x"):
        refused = await run_command(stage, mover, "play", tile=wrong_tile)
    (remaining,) = await fetch_private_messages(stage, mover)
    assert read_text(remaining) == read_text(refused)
    answer = await stage.place_tile()
    (remaining,) = await fetch_private_messages(stage, mover)
    assert read_text(remaining) == answer


async def test_refusal_keeps_answer_with_valid_undo_button(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    move_text = await stage.place_tile()
    (answer,) = await fetch_private_messages(stage, mover)
    assert "Take back" in list_button_labels(answer)
    for _ in range(2):
        refused = await run_command(stage, mover, "play", tile="0-0-0")
        assert [read_text(one) for one in await fetch_private_messages(stage, mover)] == [
            move_text,
            read_text(refused),
        ], "one of each"
    await mover.click(answer, label="Take back")
    await mover.wait_for_message(
        stage.channel_id, lambda one: one["id"] == answer["id"] and "Take back" not in list_button_labels(one)
    )
    await stage.place_tile()
    assert len(await fetch_private_messages(stage, mover)) == 2, (
        "what became the hand, and the newest; the refusal is gone"
    )


async def test_refusal_replaces_answer_with_expired_undo_button(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    await stage.move()
    refused = await run_command(stage, mover, "play", tile="0-0-0")
    assert [read_text(one) for one in await fetch_private_messages(stage, mover)] == [read_text(refused)]


async def test_each_kind_of_answer_stays_once(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    hand = await run_command(stage, mover, "hand")
    for command in ("board", "scores", "rules"):
        await run_command(stage, mover, command)
        newest = await run_command(stage, mover, command)
        assert [one["id"] for one in await fetch_private_messages(stage, mover)][-1] == newest["id"]
    assert len(await fetch_private_messages(stage, mover)) == 4
    await stage.place_tile()
    assert hand["id"] in [one["id"] for one in await fetch_private_messages(stage, mover)]
    second_hand = await run_command(stage, mover, "hand")
    remaining_texts = [read_text(one) for one in await fetch_private_messages(stage, mover)]
    assert read_text(second_hand) in remaining_texts
    assert len(remaining_texts) == 5


async def test_answer_turned_into_hand_is_not_deleted(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    await stage.place_tile()
    (answer,) = await fetch_private_messages(stage, mover)
    await stage.click(mover, answer, "My hand")
    newest = await run_command(stage, mover, "draw")
    assert [one["id"] for one in await fetch_private_messages(stage, mover)] == [answer["id"], newest["id"]]


async def test_answer_with_expired_token_is_left(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    old_answer = await run_command(stage, mover, "board")
    stage.skipped[0] += TRACKED_MS + 1
    stage.faults.requests.clear()
    newest = await run_command(stage, mover, "board")
    assert [one["id"] for one in await fetch_private_messages(stage, mover)] == [old_answer["id"], newest["id"]]
    assert not any(line.startswith("DELETE") for line in stage.faults.requests)


async def test_dismissed_answer_causes_no_error(stage: LocalBot) -> None:
    mover = await stage.get_mover()
    await mover.dismiss(await run_command(stage, mover, "board"))
    newest = await run_command(stage, mover, "board")
    assert [one["id"] for one in await fetch_private_messages(stage, mover)] == [newest["id"]]


async def test_known_answers_are_bounded_and_forgotten_with_user() -> None:
    answers, webhook = PrivateAnswerTracker(lambda: 0), object()
    for number in range(MAX_TRACKED + 10):
        await answers.track(number, 1, "board", number, webhook)
    answers.forget(MAX_TRACKED)
    assert len(answers) == MAX_TRACKED - 1
