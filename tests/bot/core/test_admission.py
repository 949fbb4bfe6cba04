"""Admission of interactions: rate limits, duplicates, and shutdown."""

import asyncio
from collections.abc import AsyncIterator
from random import Random

import pytest

from bot.core.admission import MAX_USERS, Admission, AdmissionResult, RateLimit, create_unlimited_admission
from tests.bot.local_bot import LocalBot, list_button_labels, read_text, run_local_bot
from tests.wording import en

ADA, GRACE = 1, 2


class FakeClock:
    time = 1_000_000

    def __call__(self) -> int:
        return self.time


@pytest.fixture
def fake_clock() -> FakeClock:
    return FakeClock()


def test_rate_limit_allows_burst_then_one_per_second(fake_clock: FakeClock) -> None:
    limit = RateLimit(fake_clock, burst=10, per_second=1)
    assert [limit.take(ADA) for _ in range(12)] == [True] * 10 + [False] * 2
    fake_clock.time += 999
    assert not limit.take(ADA)
    fake_clock.time += 1
    assert [limit.take(ADA) for _ in range(2)] == [True, False]
    fake_clock.time += 60_000
    assert [limit.take(ADA) for _ in range(11)] == [True] * 10 + [False]


def test_rate_limit_is_separate_for_each_user(fake_clock: FakeClock) -> None:
    limit = RateLimit(fake_clock, burst=1)
    assert limit.take(ADA)
    assert not limit.take(ADA)
    assert limit.take(GRACE)


def test_rate_limit_forgets_users_with_full_bucket(fake_clock: FakeClock) -> None:
    limit = RateLimit(fake_clock, burst=10)
    for user in range(500):
        limit.take(user)
    fake_clock.time += 10_000
    limit.take(ADA)
    assert len(limit) == 1


def test_rate_limit_remembers_bounded_number_of_users(fake_clock: FakeClock) -> None:
    limit = RateLimit(fake_clock, burst=10)
    for user in range(MAX_USERS + 500):
        limit.take(user)
    assert len(limit) == MAX_USERS


async def test_repeated_interaction_is_admitted_once(fake_clock: FakeClock) -> None:
    admission = create_unlimited_admission()
    assert [admission.admit(7, ADA), admission.admit(7, ADA), admission.admit(8, ADA)] == [
        AdmissionResult.COME_IN,
        AdmissionResult.AGAIN,
        AdmissionResult.COME_IN,
    ]


async def test_closing_admission_waits_for_running_requests() -> None:
    admission = create_unlimited_admission()
    with admission.track():
        closing = asyncio.create_task(admission.close())
        await asyncio.sleep(0)
        assert admission.admit(1, ADA) is AdmissionResult.CLOSING
        assert admission.admit_suggestion(2, ADA) is AdmissionResult.CLOSING
        assert not closing.done()
    await closing


@pytest.fixture
async def limited_bot(url: str, fake_clock: FakeClock) -> AsyncIterator[LocalBot]:
    async with run_local_bot(
        url, admission=Admission(RateLimit(fake_clock, burst=3), RateLimit(fake_clock, burst=2))
    ) as found:
        yield found


async def test_too_fast_clicks_are_refused_privately(limited_bot: LocalBot, fake_clock: FakeClock) -> None:
    await limited_bot.start_table()
    board = (await limited_bot.list_boards())[0]
    answers = [await limited_bot.click(limited_bot.grace, board, "Text board") for _ in range(3)]
    assert en("text.places") in read_text(answers[1]) or "Ada" in read_text(answers[1])
    assert read_text(answers[2]) == en("admission.too_fast")
    assert answers[2]["flags"] & 64, "nobody else sees it"
    assert "My hand" not in list_button_labels(await limited_bot.click(limited_bot.ada, board, "My hand"))
    fake_clock.time += 1000
    later_answer = await limited_bot.click(limited_bot.grace, board, "Scores")
    assert "Scores" in read_text(later_answer)


async def test_too_fast_typing_gets_no_suggestions(limited_bot: LocalBot, fake_clock: FakeClock) -> None:
    await limited_bot.start_table()
    mover = await limited_bot.get_mover()

    async def count_suggestions() -> int:
        return len(await mover.fetch_choices(limited_bot.channel_id, "tiles", "play", focused="tile", tile=""))

    assert [bool(await count_suggestions()) for _ in range(3)] == [True, True, False]
    fake_clock.time += 1000
    assert await count_suggestions()


async def test_interaction_delivered_twice_is_answered_once(stage: LocalBot) -> None:
    stage.faults.deliver_twice(4)
    before = len(await stage.list_events())
    answer = await stage.move()
    assert answer.startswith("You played "), "the second delivery does not paint over the answer"
    after = (await stage.list_events())[before:]
    assert [type(event).__name__ for event in after].count("Placed") == 1


async def test_lost_acknowledgement_does_not_lose_answer(stage: LocalBot) -> None:
    board = (await stage.list_boards())[0]
    stage.faults.lose_responses(1.0, Random(1), part="/callback", times=1)
    hand = await stage.click(stage.grace, board, "My hand")
    assert stage.faults.lost_responses == 1
    assert "Your hand" in read_text(hand) or "Your turn" in read_text(hand)
