"""Stored data of a server, and its deletion after the bot has left."""

from dataclasses import replace

from data.store.log.match_values import Guild, Head
from data.store.outbox.outbox_values import ALERT, Backlog, PostRejected
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.table.questions import QUESTION_SPAN
from engine.table.table_events import Paused
from engine.table.table_posts import QUESTION_EXPIRED, Post
from engine.table.table_state import Due
from tests.data.store.scene import (
    ADA,
    CHANNEL,
    GRACE,
    GUILD,
    NOW,
    add_finished_match,
    add_match,
    build_result,
    commit_change,
)
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

OTHER_GUILD = GUILD + 1
DAY = 86_400_000


async def test_store_keeps_server_settings_and_leaving_time(store: Store):
    await store.guilds.set_guild(GUILD, {"themes": ["classic"]}, now=NOW)
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    assert await store.guilds.load_guild(GUILD) == Guild(guild_id=GUILD, settings={"themes": ["classic"]}, left_at=NOW)
    await store.guilds.note_guild_left(GUILD, None, now=NOW + 1)
    assert await store.guilds.load_guild(GUILD) == Guild(guild_id=GUILD, settings={"themes": ["classic"]})


async def test_purging_guild_deletes_only_its_own_data(store: Store, profiles: ProfileStore, sql: Sql):
    for number in range(120):
        await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), guild_id=GUILD, now=NOW + number)
    elsewhere = await add_finished_match(
        store, build_result((ADA, 400), (GRACE, 300)), guild_id=OTHER_GUILD, now=NOW + 500
    )
    assert await store.operations.compress_logs(NOW + 501, limit=200) == 121
    open_ = await add_match(store, guild_id=GUILD, channel_id=CHANNEL, request=9)
    await commit_change(store, open_, events=[Paused(ADA, "tea")], outbox=[Post(kind="round", body={"seq": 1})])
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    await store.guilds.purge_guild(GUILD, left_by=NOW)
    for name in ("matches", "results", "standings", "recents", "bests", "bands", "guilds"):
        assert await sql(f"SELECT count(*) FROM {name} WHERE guild_id = :guild", guild=GUILD) == [(0,)]
    for name in ("events", "archives", "seats", "outbox", "requests", "participants"):
        assert await sql(f"SELECT count(*) FROM {name} WHERE match_id <> :match", match=elsewhere) == [(0,)]
    assert len(await store.results.list_results(elsewhere)) == 2
    profile = await store.results.find_profile(ADA, EVERYWHERE, "triominoes")
    assert profile.matches == 121, "what somebody did everywhere is theirs"
    recent_row = await profiles.find_own_row(EVERYWHERE, "triominoes", ADA, is_recent=True)
    assert recent_row.matches == 1, "the last days are added up from results that are there"


@BOTH_DATABASES
async def test_guild_that_reinvited_bot_is_not_purged(store: Store):
    match = await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), now=NOW)
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    await store.guilds.note_guild_left(GUILD, None, now=NOW + 1)
    await store.guilds.purge_guild(GUILD, left_by=NOW + DAY)
    assert len(await store.results.list_results(match)) == 2


async def test_left_guilds_are_due_in_order_of_leaving(store: Store):
    for guild, at in ((3, NOW + 2), (4, NOW), (5, NOW + 1), (6, NOW + 9)):
        await store.guilds.note_guild_left(guild, at, now=at)
    await store.guilds.set_guild(7, {}, now=NOW)
    assert await store.guilds.list_left_guilds(NOW + 2) == [4, 5, 3]


async def test_guilds_with_stored_data_are_known(store: Store):
    await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), guild_id=GUILD, now=NOW)
    await add_match(store, guild_id=OTHER_GUILD)
    await store.guilds.set_guild(7, {}, now=NOW)
    await store.guilds.set_guild(8, {}, now=NOW)
    await store.guilds.note_guild_left(8, NOW, now=NOW)
    assert await store.guilds.list_known_guilds() == {GUILD, OTHER_GUILD, 7}


async def test_guild_with_alert_subscription_is_known_without_tables(store: Store):
    await store.alerts.subscribe(ADA, GUILD, "star", now=NOW)
    assert await store.guilds.list_known_guilds() == {GUILD}
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    await store.guilds.purge_guild(GUILD, left_by=NOW)
    assert await store.erasure.list_user_ids() == set()


async def test_running_tables_of_server_are_counted(store: Store):
    await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), now=NOW)
    await add_match(store, channel_id=1)
    await add_match(store, channel_id=2, state="open")
    await add_match(store, channel_id=3, guild_id=OTHER_GUILD)
    assert await store.guilds.count_running(GUILD) == 2


async def test_backlog_counts_waiting_posts_and_their_age(store: Store):
    assert await store.operations.load_backlog(now=NOW) == Backlog(posts=0, oldest=0, boards=0)
    head = await add_match(store)
    await commit_change(store, head, outbox=[Post(kind="a"), Post(kind="b")], now=NOW + 10)
    assert await store.operations.load_backlog(now=NOW + 70) == Backlog(posts=2, oldest=60, boards=1)
    for row in await store.outbox.list_due(NOW + 70, limit=2):
        await store.outbox.note_sent(row, 5)
    await store.outbox.note_shown(head.match_id, seq=2, message_id=7)
    assert await store.operations.load_backlog(now=NOW + 70) == Backlog(posts=0, oldest=0, boards=0)


@BOTH_DATABASES
async def test_backlog_of_guild_excludes_other_guilds(store: Store):
    ours = await add_match(store, channel_id=1)
    theirs = await add_match(store, channel_id=2, guild_id=OTHER_GUILD)
    await commit_change(store, ours, outbox=[Post(kind="a")])
    await commit_change(store, theirs, outbox=[Post(kind="a"), Post(kind="b")])
    first, _ = await store.outbox.list_due(NOW, limit=9, match_id=theirs.match_id)
    await store.outbox.note_statuses([PostRejected(first, theirs, 50035)], now=NOW)
    assert await store.operations.load_backlog(now=NOW, guild_id=GUILD) == Backlog(posts=1, oldest=0, boards=1)
    assert await store.operations.load_backlog(now=NOW, guild_id=OTHER_GUILD) == Backlog(
        posts=1, oldest=0, boards=1, refused={50035: 1}
    )
    assert await store.operations.load_backlog(now=NOW) == Backlog(posts=2, oldest=0, boards=2, refused={50035: 1})


async def test_posts_for_closed_channel_are_listed_outside_backlog(store: Store):
    ours = await add_match(store, channel_id=1)
    theirs = await add_match(store, channel_id=2, guild_id=OTHER_GUILD)
    for head in (ours, theirs):
        await commit_change(store, head, outbox=[Post(kind="a")])
        await store.outbox.block(head.match_id, head.channel_id, 50013, now=NOW)
    nothing, later = Backlog(posts=0, oldest=0, boards=0), NOW + 10**9
    both = {ours.match_id: 1, theirs.match_id: 2}
    assert await store.operations.load_backlog(now=later) == replace(nothing, closed=both)
    assert await store.operations.load_backlog(now=later, guild_id=GUILD) == replace(nothing, closed={ours.match_id: 1})
    head = await store.matches.find_head(ours.match_id)
    await commit_change(store, head, state="void", now=later)
    assert await store.operations.load_backlog(now=later, guild_id=GUILD) == nothing
    await store.outbox.reopen_channel(theirs.match_id)
    assert await store.operations.load_backlog(now=later, guild_id=OTHER_GUILD) == Backlog(
        posts=1, oldest=10**9, boards=1
    )


MINUTE = 60_000


async def load_backlog(store: Store, now: int) -> tuple[int, int]:
    found = await store.operations.load_backlog(now=now)
    return found.posts, found.oldest


async def test_scheduled_post_counts_as_waiting_from_its_due_time(store: Store, head: Head) -> None:
    await commit_change(store, head, outbox=[Post(kind=QUESTION_EXPIRED, at=NOW + QUESTION_SPAN)])
    assert await load_backlog(store, NOW + QUESTION_SPAN - 1) == (0, 0)
    later = NOW + QUESTION_SPAN + MINUTE
    assert await load_backlog(store, later) == (1, MINUTE)
    (row,) = await store.outbox.list_due(later, 10)
    assert await store.outbox.lease(row, now=later)
    assert await load_backlog(store, later) == (1, MINUTE), "while it is being said, too"


async def test_failed_post_keeps_its_waiting_time(store: Store, head: Head) -> None:
    await commit_change(store, head, outbox=[Post(kind="round")])
    (row,) = await store.outbox.list_due(NOW, 10)
    assert await store.outbox.lease(row, now=NOW)
    await store.outbox.postpone(row, NOW + 60 * MINUTE, now=NOW)
    assert await load_backlog(store, NOW + 7 * MINUTE) == (1, 7 * MINUTE)


async def test_alert_postponed_for_quiet_hours_is_no_backlog(store: Store, head: Head) -> None:
    await commit_change(store, head, outbox=[Post(kind=ALERT)])
    (row,) = await store.alerts.list_due_alerts(NOW, 10)
    assert await store.outbox.lease(row, now=NOW)
    await store.outbox.postpone(row, NOW + 60 * MINUTE, now=NOW)
    assert await load_backlog(store, NOW + 7 * MINUTE) == (0, 0)


@BOTH_DATABASES
async def test_table_is_overdue_from_due_time_of_its_clock(store: Store, head: Head) -> None:
    await commit_change(store, head, due=Due(at=NOW + MINUTE, kind="remind"))
    assert (await store.operations.load_backlog(now=NOW + MINUTE - 1)).due == 0
    found = await store.operations.load_backlog(now=NOW + 3 * MINUTE)
    assert (found.due, found.due_age) == (1, 2 * MINUTE)
