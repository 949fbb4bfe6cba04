"""Two stores use one database at the same time, and a process is killed."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from data.store.connection.store_errors import ChannelBusy, RepeatedRequest, StaleVersion
from data.store.log.match_values import Head
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE, MatchResult, PlayerResult, Rating, RatingStep
from data.store.store import Store
from engine.table.table_events import Joined
from engine.table.table_posts import Post
from tests.data.store.scene import (
    ADA,
    ANY_EVENT,
    GRACE,
    GUILD,
    LINUS,
    NOW,
    add_finished_match,
    add_match,
    build_change,
    build_new_match,
    build_result,
    build_seat,
    commit_change,
)
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql
from tests.depth import scale_count

ROOT = Path(__file__).parents[3]


async def run_rivals(refusal: type[Exception], *acts: Awaitable[Head]) -> tuple[Head, Any]:
    """Run two acts at the same time, of which one must fail with this error; return the result and the error."""
    done = await asyncio.gather(*acts, return_exceptions=True)
    won = [result for result in done if isinstance(result, Head)]
    refused = [result for result in done if isinstance(result, refusal)]
    assert (len(won), len(refused)) == (1, 1)
    return won[0], refused[0]


async def test_concurrent_commits_have_one_winner_and_no_log_gap(store: Store, other: Store, sql: Sql):
    rng = Random(5)
    head = await add_match(store)
    for race in range(races := scale_count(80)):
        # Two processes wait for the same SQLite lock, which is slow. So only every fifth race has two.
        racers = [store, other] if race % 5 == 0 else [rng.choice((store, other))] * 2
        rng.shuffle(racers)
        acts = [
            commit_change(each, head, events=[ANY_EVENT] * rng.randint(1, 3), request=race * 2 + number)
            for number, each in enumerate(racers)
        ]
        head, stale = await run_rivals(StaleVersion, *acts)
        assert stale.head_seq == head.seq
    assert await store.matches.find_head(head.match_id) == head
    log = await sql("SELECT seq FROM events WHERE match_id = :match ORDER BY seq", match=head.match_id)
    assert [seq for (seq,) in log] == list(range(1, head.seq + 1))
    assert await sql("SELECT count(*) FROM requests") == [(races,)]


@BOTH_DATABASES
async def test_interaction_delivered_twice_has_one_effect(store: Store, other: Store, head: Head):
    for request in range(25):
        change = build_change(head, request=request)
        head, again = await run_rivals(
            RepeatedRequest, *(each.matches.commit(change, now=NOW) for each in (store, other))
        )
        assert (again.match_id, again.seq) == (head.match_id, head.seq)


@BOTH_DATABASES
async def test_one_of_two_tables_opened_concurrently_in_channel_remains(store: Store, other: Store):
    for channel in range(1, 16):
        won, busy = await run_rivals(
            ChannelBusy,
            add_match(store, channel_id=channel, request=channel * 2),
            add_match(other, channel_id=channel, request=channel * 2 + 1),
        )
        assert busy.match_id == won.match_id


async def test_new_command_delivered_twice_opens_one_table(store: Store, other: Store):
    for request in range(15):
        new = build_new_match(channel_id=1000 + request)
        acts = (each.matches.create(new, now=NOW, request=request) for each in (store, other))
        won, again = await run_rivals(RepeatedRequest, *acts)
        assert again.match_id == won.match_id


@BOTH_DATABASES
async def test_concurrent_endings_of_two_matches_both_count(store: Store, other: Store):
    heads = [
        await add_match(store, channel_id=channel, seats=[build_seat(0, ADA), build_seat(1, GRACE)])
        for channel in range(12)
    ]
    results = [build_result((ADA, 10), (GRACE, 5)), build_result((GRACE, 5), (ADA, 10))]
    await asyncio.gather(
        *(
            commit_change((store, other)[number % 2], head, state="done", result=results[number % 2])
            for number, head in enumerate(heads)
        )
    )
    for guild in (0, GUILD):
        ada = await store.results.find_profile(ADA, guild, "triominoes")
        grace = await store.results.find_profile(GRACE, guild, "triominoes")
        assert (ada.matches, ada.wins, ada.points, ada.rating and ada.rating.mu) == (12, 12, 120, 37.0)
        assert (grace.matches, grace.wins, grace.points, grace.rating and grace.rating.mu) == (12, 0, 60, 13.0)


async def test_player_hiding_while_match_ends_is_on_no_leaderboard(store: Store, profiles: ProfileStore, other: Store):
    users = range(1, 9)
    for user in users:
        head = await add_match(store, channel_id=user, seats=[build_seat(0, user), build_seat(1, GRACE)])
        ends = build_change(head, state="done", result=build_result((user, 10), (GRACE, 5)))
        before = await store.users.load_person(user)
        hides = other.matches.save_preferences(before, replace(before.preferences, listed=False), now=NOW)
        await asyncio.gather(store.matches.commit(ends, now=NOW), hides)
    for guild in (0, GUILD):
        for is_recent in (False, True):
            board = await profiles.load_leaderboard(guild, "triominoes", is_recent=is_recent)
            assert ([row.user_id for row in board.rows], board.total) == ([GRACE], 1)
    best = await profiles.load_records(GUILD, "triominoes", most=50)
    assert {line.user_id for lines in best.values() for line in lines} == {GRACE}


async def test_subscriber_forgotten_while_table_opens_leaves_no_data(store: Store, other: Store):
    users = range(10**17, 10**17 + 8)
    for number, user in enumerate(users):
        await store.alerts.subscribe(user, GUILD, "triominoes", now=NOW)
        opens = add_match(store, channel_id=number, host_id=2000 + number, seats=[])
        await asyncio.gather(opens, other.erasure.erase_user(user, left_match_ids=[], now=NOW))
    assert not {*users} & await store.erasure.list_user_ids()


async def test_concurrent_forget_requests_both_succeed(store: Store, other: Store):
    for user in range(1, 9):
        await add_finished_match(store, build_result((user, 10), (GRACE, 5)), now=NOW + user, guild_id=user)
        await store.guilds.note_guild_left(user, NOW, now=NOW)
        await store.guilds.purge_guild(user, left_by=NOW)
        twice = await asyncio.gather(
            *(each.erasure.erase_user(user, left_match_ids=[], now=NOW) for each in (store, other))
        )
        assert twice == [True, True]
    assert await store.erasure.list_user_ids() == {GRACE}


async def advance_period(store: Store, since: int, rng: Random) -> None:
    await asyncio.sleep(rng.random() * 0.03)
    await store.results.advance_recent_period(since)


@pytest.mark.deep
async def test_player_forgotten_while_results_expire_is_on_no_leaderboard(
    store: Store, profiles: ProfileStore, other: Store
):
    rng = Random(1)
    for user in range(1, 1 + scale_count(60)):
        now = NOW + 2 * user
        await add_finished_match(store, build_result((user, 10)), now=now)
        await asyncio.gather(
            advance_period(store, now + 1, rng), other.erasure.erase_user(user, left_match_ids=[], now=now)
        )
    assert await store.erasure.list_user_ids() == {ADA}, "the host of all these tables"
    assert (await profiles.load_leaderboard(GUILD, "triominoes", is_recent=True)).total == 0


@pytest.mark.deep
async def test_result_expiring_while_guild_is_purged_is_subtracted_once(
    store: Store, profiles: ProfileStore, other: Store
):
    rng = Random(1)
    for user in range(1, 1 + scale_count(40)):
        now = NOW + 100 * user
        for number, guild in enumerate((user, user, GUILD, GUILD, GUILD)):
            await add_finished_match(store, build_result((user, 10)), now=now + 10 * number, guild_id=guild)
        await store.guilds.note_guild_left(user, now, now=now)
        await asyncio.gather(advance_period(store, now + 15, rng), other.guilds.purge_guild(user, left_by=now))
        mine = await profiles.find_own_row(EVERYWHERE, "triominoes", user, is_recent=True)
        assert (mine and mine.matches) == 3


async def test_failed_rating_leaves_match_unchanged(store: Store, head: Head):
    players = [PlayerResult(user_id=ADA, place=1, score=1), PlayerResult(user_id=GRACE, place=2, score=0)]
    result = MatchResult(seats=2, players=players, rate=lambda *_: {LINUS: RatingStep(Rating(1, 1), 1.0)})
    with pytest.raises(ValueError, match="ratings of people who played"):
        await commit_change(store, head, state="done", result=result, request=5)
    assert await store.matches.find_head(head.match_id) == head
    assert await store.matches.find_request(5) is None
    assert await store.results.find_profile(ADA, 0, "triominoes") is None


async def test_reader_sees_match_of_one_instant_while_it_is_written(store: Store, other: Store):
    head = await add_match(store, seats=[])

    async def write() -> None:
        now_at = head
        for _ in range(40):
            await store.users.set_person(now_at.seq, quick=True, now=NOW)
            seats = [build_seat(seat, seat + 1) for seat in range(now_at.seq)]
            now_at = await commit_change(store, now_at, events=[Joined(now_at.seq)], seats=seats)

    writing = asyncio.create_task(write())
    reads = 0
    while not writing.done():
        loaded = await other.matches.load(head.match_id)
        assert [entry.event for entry in loaded.log[1:]] == [Joined(user) for user in range(1, loaded.head.seq)]
        context = await other.matches.find_context(head.match_id, None)
        assert len(context.people) == context.head.seq - 1
        reads += 1
    await writing
    assert reads > 1


async def test_commit_of_cancelled_caller_completes_in_background(store: Store):
    rng = Random(7)
    head = await add_match(store)
    cancelled = 0
    for request in range(60):
        change = build_change(head, events=[ANY_EVENT] * 3, request=request, outbox=[Post(kind="note")])
        act = asyncio.create_task(store.matches.commit(change, now=NOW))
        await asyncio.sleep(rng.random() * 0.006)
        act.cancel()
        await asyncio.wait([act])
        cancelled += act.cancelled()
        for _ in range(1000):
            if await store.matches.find_request(request):
                break
            await asyncio.sleep(0.002)  # PostgreSQL answers queries while the change is running
        assert await store.matches.find_request(request) == (head.match_id, head.seq + 3)
        now_at = await store.matches.find_head(head.match_id)
        assert now_at.seq == head.seq + 3
        head = now_at
    assert cancelled > 0
    assert len(await store.outbox.list_due(NOW, 1000)) == 60


async def test_closing_store_finishes_running_operations(url: str):
    store = await Store.open(url)
    head = await add_match(store)
    act = asyncio.create_task(commit_change(store, head, request=5))
    await asyncio.sleep(0)
    act.cancel()
    await store.close()
    assert act.cancelled()
    again = await Store.open(url)
    assert await again.matches.find_request(5) == (head.match_id, 2)
    await again.close()


@pytest.mark.deep
def test_killed_process_keeps_acknowledged_commits_and_no_partial_ones(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/boneyard.db"
    acknowledged: list[tuple[int, int]] = []
    for _ in range(scale_count(3)):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.data.store.writer", url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(15):
            match_id, seq = child.stdout.readline().split()
            acknowledged.append((int(match_id), int(seq)))
        child.send_signal(signal.SIGKILL)
        rest = child.communicate()[0].splitlines(keepends=True)
        acknowledged += [(int(line.split()[0]), int(line.split()[1])) for line in rest if line.endswith("\n")]
        assert child.returncode == -signal.SIGKILL
    asyncio.run(_check_acknowledged(url, acknowledged))


async def _check_acknowledged(url: str, acknowledged: list[tuple[int, int]]) -> None:
    store = await Store.open(url)
    reached: dict[int, int] = {}
    for match_id, seq in acknowledged:
        assert seq > reached.get(match_id, 0)
        reached[match_id] = seq
    for match_id, seq in reached.items():
        loaded = await store.matches.load(match_id)
        # At most the last act was stored without an acknowledgement.
        assert loaded.head.seq in (seq, seq + 2)
        assert len(loaded.log) == loaded.head.seq
        assert len(await store.matches.list_events(match_id)) == loaded.head.seq - 1
        acts = (loaded.head.seq - 1) // 2
        posts = [row for row in await store.outbox.list_due(NOW, 10_000) if row.match_id == match_id]
        assert [row.body["act"] for row in posts] == list(range(acts))
        for act in range(acts):
            assert await store.matches.find_request(match_id * 100_000 + act) == (match_id, 3 + 2 * act)
        assert await store.matches.find_request(match_id * 100_000 + acts) is None
    await store.close()
