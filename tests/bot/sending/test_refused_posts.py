"""A post that Discord rejects is dropped after three attempts, and later posts are sent."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.core.discord_errors import MAX_REJECTIONS
from bot.core.environment import Settings
from bot.core.layout import build_text_view
from bot.operating.doctor import run_checks
from bot.sending.sender import Outgoing
from bot.tables.service import Table
from data.store.log.match_values import Change
from data.store.outbox.outbox_values import OutboxRow
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from tests.bot.local_bot import LocalBot, run_local_bot, words_of
from tests.bot.messages import shown_seq
from tests.bot.sending.posts import EDIT, SEND, is_up_to_date
from tests.wording import en

INVALID, TOO_LARGE = 50035, 40005


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        yield found


async def pass_hours(sim: LocalBot, count: int) -> None:
    for _ in range(4 * count):
        await sim.later(900)


async def queue_two_posts(sim: LocalBot, status: int, times: int, code: int = 0) -> None:
    """Queue two posts that Discord refuses so many times. The bot may send them at once, so the fault comes first."""
    head = await sim.table()

    async def write_post(_: Table, row: OutboxRow) -> Outgoing:
        return Outgoing(build_text_view(f"The {row.body['which']} post."))

    sim.client.services.announcer.publisher.writers["test"] = write_post
    sim.faults.inject_status(SEND, status, times=times, code=code)
    sim.asked()
    posts = [Post(kind="test", body={"which": which}) for which in ("first", "second")]
    change = Change(match_id=1, expected_seq=head.seq, events=[Rearmed()], outbox=posts)
    await sim.store.matches.commit(change, now=sim.client.services.now())


@pytest.mark.parametrize(("status", "code"), [(400, INVALID), (413, TOO_LARGE)])
async def test_refused_post_is_dropped_and_next_one_sent(sim: LocalBot, status: int, code: int) -> None:
    await queue_two_posts(sim, status, MAX_REJECTIONS, code)
    await sim.later(0)
    assert [row.attempts for row in await sim.pending() if row.kind == "test"] == [1, 0]
    await pass_hours(sim, 1)
    before = await sim.head()
    assert [line.split()[0] for line in sim.asked()].count("POST") == MAX_REJECTIONS + 1
    told = [words_of(one) for one in await sim.public()]
    assert "The second post." in told
    assert "The first post." not in told
    assert (await sim.store.operations.load_backlog(now=sim.client.services.now())).refused == {code: 1}
    await pass_hours(sim, 24)
    asked, head = sim.asked(), await sim.head()
    # The posts are not retried. The background sweep can take the skipped hours for an outage and credit them.
    # Each credit edits the board once.
    assert set(asked) <= {f"{EDIT}/{sim.place}/messages/{head.board_message_id}"}
    assert len(asked) <= head.seq - before.shown_seq
    assert await is_up_to_date(sim)


async def test_refused_call_is_dropped_and_next_one_sent(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(SEND, 400, times=MAX_REJECTIONS, code=INVALID)
    await sim.move()
    await pass_hours(sim, 1)
    assert await sim.pending() == []
    await sim.move()
    assert await is_up_to_date(sim)


async def test_refused_board_edit_is_dropped_until_next_move(sim: LocalBot) -> None:
    await sim.table()
    sim.faults.inject_status(EDIT, 400, times=MAX_REJECTIONS, code=INVALID)
    await sim.move()
    await pass_hours(sim, 1)
    head = await sim.head()
    assert (head.shown_seq, await sim.pending()) == (head.seq, [])
    (board,) = await sim.boards()
    assert shown_seq(board) < head.seq
    assert (await sim.store.operations.load_backlog(now=sim.client.services.now())).refused == {INVALID: 1}
    await sim.move()
    assert await is_up_to_date(sim)


async def test_post_is_retried_on_server_errors(sim: LocalBot) -> None:
    await queue_two_posts(sim, 503, MAX_REJECTIONS + 2)
    await sim.later(0)
    await pass_hours(sim, 2)
    told = [words_of(one) for one in await sim.public()]
    assert (told.count("The first post."), told.count("The second post.")) == (1, 1)
    assert (await sim.store.operations.load_backlog(now=sim.client.services.now())).refused == {}


async def test_both_doctors_report_dropped_posts(sim: LocalBot, url: str) -> None:
    await queue_two_posts(sim, 400, MAX_REJECTIONS, INVALID)
    await sim.later(0)
    await pass_hours(sim, 1)
    answer = words_of(await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles-admin", "doctor")))
    assert f"✗ **{en('doctor.refused', posts=1)}** · " in answer
    assert en("doctor.refused_fix", codes=INVALID) in answer
    found = await asyncio.to_thread(run_checks, Settings("a.b.c", url), sim.client.services.now())
    (refused,) = [one for one in found if one.summary.startswith("posts refused")]
    assert refused.summary == "posts refused by Discord in the last 7 days: 1"
    assert not refused.is_ok
    assert f"Discord's code: {INVALID}." in refused.fix
    later = sim.client.services.now() + 8 * 24 * 3600 * 1000
    assert (await sim.store.operations.load_backlog(now=later)).refused == {}, "some day it is history"
