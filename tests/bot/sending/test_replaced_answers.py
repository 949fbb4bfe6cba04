"""Each private answer to a typed command replaces the previous one."""

from collections.abc import AsyncIterator

import pytest

from bot.playground.person import PageUser
from bot.sending.live_hands import MAX_TRACKED, TRACKED_MS, PrivateAnswerTracker
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot, words_of

PRIVATE = 64


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        await found.table()
        yield found


async def private_messages(sim: LocalBot, person: PageUser) -> list[Json]:
    await sim.quiet()
    found = await person.fetch_messages(sim.place, 100)
    return [one for one in found if one["flags"] & PRIVATE and "Your table is open" not in words_of(one)]


async def run_command(sim: LocalBot, person: PageUser, *path: str, **options: object) -> Json:
    return await sim.answered(person, await person.use_command(sim.place, "tiles", *path, **options))


async def test_typed_moves_leave_only_last_answer(sim: LocalBot) -> None:
    for _ in range(6):
        told = await sim.move()
    assert told.startswith("You played ")
    for person in (sim.ada, sim.grace):
        (answer,) = await private_messages(sim, person)
        assert words_of(answer).startswith("You played ")


async def test_next_answer_replaces_refusal(sim: LocalBot) -> None:
    mover = await sim.mover()
    for wrong in ("9-9-9", "x"):
        refused = await run_command(sim, mover, "play", tile=wrong)
    (left,) = await private_messages(sim, mover)
    assert words_of(left) == words_of(refused)
    told = await sim.place_tile()
    (left,) = await private_messages(sim, mover)
    assert words_of(left) == told


async def test_refusal_keeps_answer_with_valid_undo_button(sim: LocalBot) -> None:
    mover = await sim.mover()
    told = await sim.place_tile()
    (answer,) = await private_messages(sim, mover)
    assert "Take back" in labels(answer)
    for _ in range(2):
        refused = await run_command(sim, mover, "play", tile="0-0-0")
        assert [words_of(one) for one in await private_messages(sim, mover)] == [told, words_of(refused)], "one of each"
    await mover.click(answer, label="Take back")
    await mover.wait_for_message(sim.place, lambda one: one["id"] == answer["id"] and "Take back" not in labels(one))
    await sim.place_tile()
    assert len(await private_messages(sim, mover)) == 2, "what became the hand, and the newest; the refusal is gone"


async def test_refusal_replaces_answer_with_expired_undo_button(sim: LocalBot) -> None:
    mover = await sim.mover()
    await sim.move()
    refused = await run_command(sim, mover, "play", tile="0-0-0")
    assert [words_of(one) for one in await private_messages(sim, mover)] == [words_of(refused)]


async def test_each_kind_of_answer_stays_once(sim: LocalBot) -> None:
    mover = await sim.mover()
    hand = await run_command(sim, mover, "hand")
    for look in ("board", "scores", "rules"):
        await run_command(sim, mover, look)
        newest = await run_command(sim, mover, look)
        assert [one["id"] for one in await private_messages(sim, mover)][-1] == newest["id"]
    assert len(await private_messages(sim, mover)) == 4
    await sim.place_tile()
    assert hand["id"] in [one["id"] for one in await private_messages(sim, mover)]
    again = await run_command(sim, mover, "hand")
    left = [words_of(one) for one in await private_messages(sim, mover)]
    assert words_of(again) in left
    assert len(left) == 5


async def test_answer_turned_into_hand_is_not_deleted(sim: LocalBot) -> None:
    mover = await sim.mover()
    await sim.place_tile()
    (told,) = await private_messages(sim, mover)
    await sim.answered(mover, await mover.click(told, label="My hand"))
    newest = await run_command(sim, mover, "draw")
    assert [one["id"] for one in await private_messages(sim, mover)] == [told["id"], newest["id"]]


async def test_answer_with_expired_token_is_left(sim: LocalBot) -> None:
    mover = await sim.mover()
    old = await run_command(sim, mover, "board")
    sim.skipped[0] += TRACKED_MS + 1
    sim.faults.lines.clear()
    newest = await run_command(sim, mover, "board")
    assert [one["id"] for one in await private_messages(sim, mover)] == [old["id"], newest["id"]]
    assert not any(line.startswith("DELETE") for line in sim.faults.lines)


async def test_dismissed_answer_causes_no_error(sim: LocalBot) -> None:
    mover = await sim.mover()
    await mover.dismiss(await run_command(sim, mover, "board"))
    newest = await run_command(sim, mover, "board")
    assert [one["id"] for one in await private_messages(sim, mover)] == [newest["id"]]


async def test_known_answers_are_bounded_and_forgotten_with_user() -> None:
    answers, webhook = PrivateAnswerTracker(lambda: 0), object()
    for number in range(MAX_TRACKED + 10):
        await answers.track(number, 1, "board", number, webhook)  # type: ignore[arg-type]
    answers.forget(MAX_TRACKED)
    assert len(answers) == MAX_TRACKED - 1
