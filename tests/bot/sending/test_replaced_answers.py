"""Each private answer to a typed command replaces the previous one."""

from collections.abc import AsyncIterator

import pytest

from bot.playground.person import PageUser
from bot.sending.live_hands import MAX_TRACKED, TRACKED_MS, PrivateAnswerTracker
from tests.bot.local_bot import Json, LocalBot, list_button_labels, read_text, run_local_bot

EPHEMERAL_FLAG = 64


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        await found.start_table()
        yield found


async def fetch_private_messages(sim: LocalBot, person: PageUser) -> list[Json]:
    await sim.wait_until_idle()
    found = await person.fetch_messages(sim.channel_id, 100)
    return [one for one in found if one["flags"] & EPHEMERAL_FLAG and "Your table is open" not in read_text(one)]


async def run_command(sim: LocalBot, person: PageUser, *path: str, **options: object) -> Json:
    return await sim.wait_for_answer(person, await person.use_command(sim.channel_id, "tiles", *path, **options))


async def test_typed_moves_leave_only_last_answer(sim: LocalBot) -> None:
    for _ in range(6):
        move_text = await sim.move()
    assert move_text.startswith("You played ")
    for person in (sim.ada, sim.grace):
        (answer,) = await fetch_private_messages(sim, person)
        assert read_text(answer).startswith("You played ")


async def test_next_answer_replaces_refusal(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    for wrong_tile in ("9-9-9", "x"):
        refused = await run_command(sim, mover, "play", tile=wrong_tile)
    (remaining,) = await fetch_private_messages(sim, mover)
    assert read_text(remaining) == read_text(refused)
    answer = await sim.place_tile()
    (remaining,) = await fetch_private_messages(sim, mover)
    assert read_text(remaining) == answer


async def test_refusal_keeps_answer_with_valid_undo_button(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    move_text = await sim.place_tile()
    (answer,) = await fetch_private_messages(sim, mover)
    assert "Take back" in list_button_labels(answer)
    for _ in range(2):
        refused = await run_command(sim, mover, "play", tile="0-0-0")
        assert [read_text(one) for one in await fetch_private_messages(sim, mover)] == [
            move_text,
            read_text(refused),
        ], "one of each"
    await mover.click(answer, label="Take back")
    await mover.wait_for_message(
        sim.channel_id, lambda one: one["id"] == answer["id"] and "Take back" not in list_button_labels(one)
    )
    await sim.place_tile()
    assert len(await fetch_private_messages(sim, mover)) == 2, (
        "what became the hand, and the newest; the refusal is gone"
    )


async def test_refusal_replaces_answer_with_expired_undo_button(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    await sim.move()
    refused = await run_command(sim, mover, "play", tile="0-0-0")
    assert [read_text(one) for one in await fetch_private_messages(sim, mover)] == [read_text(refused)]


async def test_each_kind_of_answer_stays_once(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    hand = await run_command(sim, mover, "hand")
    for command in ("board", "scores", "rules"):
        await run_command(sim, mover, command)
        newest = await run_command(sim, mover, command)
        assert [one["id"] for one in await fetch_private_messages(sim, mover)][-1] == newest["id"]
    assert len(await fetch_private_messages(sim, mover)) == 4
    await sim.place_tile()
    assert hand["id"] in [one["id"] for one in await fetch_private_messages(sim, mover)]
    second_hand = await run_command(sim, mover, "hand")
    remaining_texts = [read_text(one) for one in await fetch_private_messages(sim, mover)]
    assert read_text(second_hand) in remaining_texts
    assert len(remaining_texts) == 5


async def test_answer_turned_into_hand_is_not_deleted(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    await sim.place_tile()
    (answer,) = await fetch_private_messages(sim, mover)
    await sim.wait_for_answer(mover, await mover.click(answer, label="My hand"))
    newest = await run_command(sim, mover, "draw")
    assert [one["id"] for one in await fetch_private_messages(sim, mover)] == [answer["id"], newest["id"]]


async def test_answer_with_expired_token_is_left(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    old_answer = await run_command(sim, mover, "board")
    sim.skipped[0] += TRACKED_MS + 1
    sim.faults.requests.clear()
    newest = await run_command(sim, mover, "board")
    assert [one["id"] for one in await fetch_private_messages(sim, mover)] == [old_answer["id"], newest["id"]]
    assert not any(line.startswith("DELETE") for line in sim.faults.requests)


async def test_dismissed_answer_causes_no_error(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    await mover.dismiss(await run_command(sim, mover, "board"))
    newest = await run_command(sim, mover, "board")
    assert [one["id"] for one in await fetch_private_messages(sim, mover)] == [newest["id"]]


async def test_known_answers_are_bounded_and_forgotten_with_user() -> None:
    answers, webhook = PrivateAnswerTracker(lambda: 0), object()
    for number in range(MAX_TRACKED + 10):
        await answers.track(number, 1, "board", number, webhook)  # type: ignore[arg-type]
    answers.forget(MAX_TRACKED)
    assert len(answers) == MAX_TRACKED - 1
