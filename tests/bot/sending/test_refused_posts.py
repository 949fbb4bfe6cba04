"""A post that Discord rejects is dropped after three attempts, and later posts are sent."""

import asyncio

import pytest

from bot.core.discord_errors import MAX_REJECTIONS
from bot.core.environment import Settings
from bot.operating.doctor import run_checks
from tests.bot.local_bot import LocalBot, read_text
from tests.bot.messages import read_shown_seq
from tests.bot.sending.posts import EDIT, SEND, is_up_to_date, queue_posts
from tests.wording import en

INVALID, TOO_LARGE = 50035, 40005


async def pass_hours(sim: LocalBot, count: int) -> None:
    for _ in range(4 * count):
        await sim.skip_time(900)


async def queue_two_posts(sim: LocalBot, status: int, times: int, code: int = 0) -> None:
    """Queue two posts that Discord refuses so many times. The bot may send them at once, so the fault comes first."""
    await sim.start_table()
    sim.faults.inject_status(SEND, status, times=times, code=code)
    sim.take_requests()
    await queue_posts(sim, "The first post.", "The second post.")


@pytest.mark.parametrize(("status", "code"), [(400, INVALID), (413, TOO_LARGE)])
async def test_refused_post_is_dropped_and_next_one_sent(local: LocalBot, status: int, code: int) -> None:
    await queue_two_posts(local, status, MAX_REJECTIONS, code)
    await local.skip_time(0)
    assert [row.attempts for row in await local.list_pending_posts() if row.kind == "test"] == [1, 0]
    await pass_hours(local, 1)
    before = await local.load_head()
    assert [line.split()[0] for line in local.take_requests()].count("POST") == MAX_REJECTIONS + 1
    texts = [read_text(one) for one in await local.list_public_messages()]
    assert "The second post." in texts
    assert "The first post." not in texts
    assert (await local.store.operations.load_backlog(now=local.client.services.now())).refused == {code: 1}
    await pass_hours(local, 24)
    requests, head = local.take_requests(), await local.load_head()
    # The posts are not retried. The background sweep can take the skipped hours for an outage and credit them.
    # Each credit edits the board once.
    assert set(requests) <= {f"{EDIT}/{local.channel_id}/messages/{head.board_message_id}"}
    assert len(requests) <= head.seq - before.shown_seq
    assert await is_up_to_date(local)


async def test_refused_call_is_dropped_and_next_one_sent(stage: LocalBot) -> None:
    stage.faults.inject_status(SEND, 400, times=MAX_REJECTIONS, code=INVALID)
    await stage.move()
    await pass_hours(stage, 1)
    assert await stage.list_pending_posts() == []
    await stage.move()
    assert await is_up_to_date(stage)


async def test_refused_board_edit_is_dropped_until_next_move(stage: LocalBot) -> None:
    stage.faults.inject_status(EDIT, 400, times=MAX_REJECTIONS, code=INVALID)
    await stage.move()
    await pass_hours(stage, 1)
    head = await stage.load_head()
    assert (head.shown_seq, await stage.list_pending_posts()) == (head.seq, [])
    (board,) = await stage.list_boards()
    assert read_shown_seq(board) < head.seq
    assert (await stage.store.operations.load_backlog(now=stage.client.services.now())).refused == {INVALID: 1}
    await stage.move()
    assert await is_up_to_date(stage)


async def test_post_is_retried_on_server_errors(local: LocalBot) -> None:
    await queue_two_posts(local, 503, MAX_REJECTIONS + 2)
    await local.skip_time(0)
    await pass_hours(local, 2)
    texts = [read_text(one) for one in await local.list_public_messages()]
    assert (texts.count("The first post."), texts.count("The second post.")) == (1, 1)
    assert (await local.store.operations.load_backlog(now=local.client.services.now())).refused == {}


async def test_both_doctors_report_dropped_posts(local: LocalBot, url: str) -> None:
    await queue_two_posts(local, 400, MAX_REJECTIONS, INVALID)
    await local.skip_time(0)
    await pass_hours(local, 1)
    answer = read_text(await local.use_command(local.ada, "tiles-admin", "doctor"))
    assert f"✗ **{en('doctor.refused', posts=1)}** · " in answer
    assert en("doctor.refused_fix", codes=INVALID) in answer
    found = await asyncio.to_thread(run_checks, Settings("a.b.c", url), local.client.services.now())
    (refused,) = [one for one in found if one.summary.startswith("messages refused")]
    assert refused.summary == "messages refused by Discord in the last 7 days: 1"
    assert not refused.is_ok
    assert f"code: {INVALID}." in refused.fix
    later = local.client.services.now() + 8 * 24 * 3600 * 1000
    assert (await local.store.operations.load_backlog(now=later)).refused == {}, "some day it is history"
