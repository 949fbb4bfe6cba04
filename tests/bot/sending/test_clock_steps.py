"""Due times written by a clock that was more than an hour ahead are corrected."""

import asyncio
from collections.abc import Sequence

import pytest

from bot.core.admission import RateLimit
from bot.sending.cleanup import ClockCorrection
from data.store.outbox.outbox import LEASE
from data.store.outbox.outbox_values import DeliveryStatus
from data.store.store import Store
from engine.table import questions
from engine.table.commands import AskPlayers, ViewHand
from engine.table.hosting import RESERVATION_SPAN
from engine.table.questions import PAUSE_SPAN
from engine.table.table_events import CLOCK_SKEW, MAX_PAUSE
from engine.table.table_events import MAX_WAIT as MAX_QUESTION_WAIT
from engine.table.table_posts import TURN_POST_DELAY
from engine.table.table_state import LOBBY_SPAN, Due
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.local_bot import LocalBot
from tests.bot.sending.posts import is_up_to_date, start_next_turn
from tests.bot.simulated_guild import TIMEOUT_SECONDS
from tests.bot.timed_table import START, TimedTable, start_match
from tests.bot.use_cases import GRACE, LINUS

CLOCK_ERROR = HOUR + 7 * MINUTE


@pytest.fixture
def timed_table(store: Store) -> TimedTable:
    return TimedTable(store, START + CLOCK_ERROR)


def restart_with_right_clock(timed_table: TimedTable) -> TimedTable:
    other = TimedTable(timed_table.store)
    other.request_ids = timed_table.request_ids
    return other


async def correct_clock(timed_table: TimedTable) -> TimedTable:
    other = restart_with_right_clock(timed_table)
    await ClockCorrection(other.store, other.acts, lambda: other.time).correct()
    return other


async def test_computer_turn_is_played_at_once_after_clock_step(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="live 5m")
    if table.find_turn_user() is not None:
        table = await timed_table.play_tentatively(table)
    assert table.head.due == Due(at=timed_table.time, kind="computer")
    other = await correct_clock(timed_table)
    await other.tick()
    after = await other.load_table(table)
    assert after.head.due == Due(at=other.time + 4 * MINUTE, kind="remind")


async def test_turn_gets_full_time_after_clock_step(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, clock="live 5m")
    other = await correct_clock(timed_table)
    after = await other.load_table(table)
    assert after.head.due == Due(at=other.time + 4 * MINUTE, kind="remind")
    await other.wait(5 * MINUTE)
    assert [kind for _, kind in other.finished_jobs] == ["remind", "deadline"]


async def test_settling_and_absence_question_keep_their_delays(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, clock="live 5m")
    await timed_table.wait(5 * MINUTE)
    tentative_table = await start_match(timed_table, LINUS, clock="1d", channel_id=8)
    await timed_table.play_tentatively(tentative_table)
    other = await correct_clock(timed_table)
    table_with_question, settling_table = [await other.load_table(one) for one in (table, tentative_table)]
    assert table_with_question.head.due.at <= other.time + 5 * MINUTE
    assert settling_table.head.due == Due(at=other.time + 20_000, kind="settle")
    await other.wait(MINUTE)
    assert (await other.load_table(tentative_table)).state.tentative_turn is None


async def test_lobby_expiry_is_moved_after_clock_step(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2)
    lobby_with_guest = await timed_table.open(seats=2, guests=(LINUS,), channel_id=8)
    other = await correct_clock(timed_table)
    assert (await other.load_table(table)).head.due == Due(at=other.time + LOBBY_SPAN, kind="expire")
    assert (await other.load_table(lobby_with_guest)).head.due == Due(at=other.time + RESERVATION_SPAN, kind="unkeep")


async def test_vacation_is_unchanged_by_clock_step(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    mover = table.find_turn_user()
    await timed_table.user_settings.set_vacation(mover, 3)
    away_until = (await timed_table.user_settings.load_preferences(mover)).away_until
    other = await correct_clock(timed_table)
    assert (await other.load_table(table)).clock.time.since == away_until


async def test_small_clock_difference_changes_nothing(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    timed_table.time -= CLOCK_SKEW
    await ClockCorrection(timed_table.store, timed_table.acts, lambda: timed_table.time).correct()
    assert (await timed_table.load_table(table)).head.seq == table.head.seq


async def test_action_before_sweep_corrects_clock(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, clock="live 5m")
    other = restart_with_right_clock(timed_table)
    after = await other.play_tentatively(table)
    assert after.head.due == Due(at=other.time + 5_000, kind="settle")
    assert after.clock.time.since == other.time
    restarted = restart_with_right_clock(timed_table)
    assert (await restarted.load_table(table)).state == after.state, "the log says the same"


def test_longest_waiting_times_cover_questions_and_reservations():
    assert (MAX_QUESTION_WAIT, MAX_PAUSE) == (questions.QUESTION_SPAN, PAUSE_SPAN)
    assert MAX_QUESTION_WAIT >= RESERVATION_SPAN


async def test_board_leased_before_clock_step_is_sent_after_lease(stage: LocalBot) -> None:
    stage.skipped[0] += CLOCK_ERROR
    services = stage.client.services
    await services.scheduler.end()  # as in a crash
    await start_next_turn(stage)
    batch = await stage.store.outbox.lease_due_posts(1, nonce="b" + "0" * 24, now=services.now())
    stage.skipped[0] -= CLOCK_ERROR
    assert await stage.store.outbox.list_due(services.now(), 10) == []
    assert await stage.store.outbox.reschedule_ahead(services.now()) == len(batch.rows)
    assert await stage.store.outbox.list_due(services.now(), 10) == [], "whoever took it may still be at it"
    await stage.skip_time(LEASE / 1000 + 1)
    await stage.settle_turn()
    assert await is_up_to_date(stage)


async def test_unleased_posts_wait_no_longer_after_clock_step(local: LocalBot) -> None:
    requested_ids: list[int] = []
    take = local.store.outbox.lease_due_posts

    async def lease_nothing(match_id: int, statuses: Sequence[DeliveryStatus] = (), **_: object) -> None:
        requested_ids.append(match_id)

    await local.start_table()
    local.skipped[0] += CLOCK_ERROR
    local.store.outbox.lease_due_posts = lease_nothing
    await local.place_tile()
    following = (await local.client.services.tables.load(1)).find_turn_user()
    await local.client.services.acts.act(1, ViewHand(following))
    local.store.outbox.lease_due_posts = take
    local.skipped[0] -= CLOCK_ERROR
    assert requested_ids
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while any(
            (row.next_at or 0) > local.client.services.now() + TURN_POST_DELAY
            for row in await local.list_pending_posts()
        ):
            await local.client.services.scheduler.sweep()
            await asyncio.sleep(0.1)
    await local.skip_time(TURN_POST_DELAY / 1000)
    await local.wait_until_all_sent()
    assert await is_up_to_date(local)


@pytest.mark.parametrize("wait", [LEASE, HOUR, DAY])
async def test_long_rate_limit_is_not_taken_for_clock_step(store: Store, wait: int) -> None:
    timed_table = TimedTable(store)
    table = await start_match(timed_table, GRACE)
    (row,) = await store.outbox.list_due(START, 10, match_id=table.head.match_id)
    assert await store.outbox.lease(row, now=START)
    await store.outbox.postpone(row, START + wait, now=START)
    assert await store.outbox.reschedule_ahead(START) == 0
    assert await store.outbox.list_due(START + wait - 1, 10) == []
    await store.outbox.postpone(row, START + CLOCK_ERROR + wait, now=START + CLOCK_ERROR)
    assert await store.outbox.reschedule_ahead(START) == 1
    assert await store.outbox.reschedule_ahead(START) == 0
    assert await store.outbox.list_due(START + LEASE - 1, 10) == []
    (row_after,) = await store.outbox.list_due(START + LEASE, 10)
    assert row_after.nonce == row.nonce


async def test_question_expires_one_day_after_clock_step(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    mover = table.find_turn_user()
    await timed_table.acts.act(table.head.match_id, AskPlayers(mover, "abort"))
    other = await correct_clock(timed_table)
    table = await other.load_table(table)
    assert table.question.until == other.time + DAY


def test_rate_limit_is_reset_after_clock_step():
    time = CLOCK_ERROR
    limit = RateLimit(lambda: time)
    assert [limit.take(1) for _ in range(11)] == [True] * 10 + [False]
    time = 0
    assert [limit.take(1) for _ in range(11)] == [True] * 10 + [False]
