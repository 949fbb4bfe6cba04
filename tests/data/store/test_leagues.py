"""Seasons in the store are announced once, advanced by one process at a time, and started together with their
matches.
"""

from dataclasses import replace

import pytest

from data.store.connection.store_errors import StaleVersion
from data.store.leagues.seasons import DUE_NOW, SeasonChange, SeasonHead
from data.store.leagues.store import FixtureOpener, SeasonStore
from data.store.store import Store
from engine.leagues import replay_season
from engine.leagues.season_events import FixtureOpened, SeasonBegan, SignedUp
from tests.data.store.scene import ADA, CHANNEL, GRACE, GUILD, NOW, add_match, commit_change
from tests.data.store.seasons import DUE_AT, add_running_season, build_new_season
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql, record_statements


def build_opener(head: SeasonHead, number: int = 1) -> FixtureOpener:
    change = SeasonChange(season_id=head.season_id, expected_seq=head.seq, state="running", due_at=DUE_AT)
    return FixtureOpener(change=change, number=number)


async def test_season_survives_write_and_read(store: Store, seasons: SeasonStore) -> None:
    head = await add_running_season(store)
    stored = await seasons.find_season(head.season_id)
    season = replay_season(stored.log)
    assert (season.state, season.players, len(season.fixtures)) == ("running", (1, 2, 3, 4), 6)
    assert stored.user_ids == {1: ADA, 2: GRACE, 3: 7001, 4: 7002}
    assert isinstance(stored.log[-1], SeasonBegan)


async def test_season_announced_twice_is_created_once(seasons: SeasonStore) -> None:
    first = await seasons.announce_season(build_new_season(), now=NOW, request=5)
    assert await seasons.announce_season(build_new_season(), now=NOW, request=5) == first
    following = await seasons.announce_season(build_new_season(previous_id=first.season_id), now=NOW)
    assert await seasons.announce_season(build_new_season(previous_id=first.season_id), now=NOW) == following
    assert [head.season_id for head in await seasons.list_seasons(GUILD)] == [following.season_id, first.season_id]


async def test_season_change_on_older_version_is_stale(seasons: SeasonStore) -> None:
    head = await seasons.announce_season(build_new_season(), now=NOW)
    change = SeasonChange(
        season_id=head.season_id, expected_seq=1, events=[SignedUp(1)], state="signup", due_at=DUE_AT, signup=(1, ADA)
    )
    await seasons.change_season(change, now=NOW)
    with pytest.raises(StaleVersion):
        await seasons.change_season(replace(change, signup=(1, GRACE)), now=NOW)
    stored = await seasons.find_season(head.season_id)
    assert stored.user_ids == {1: ADA}


async def test_second_match_of_fixture_is_not_written(store: Store, sql: Sql) -> None:
    head = await add_running_season(store)
    await add_match(store, extra_write=build_opener(head))
    with pytest.raises(StaleVersion):
        await add_match(store, channel_id=CHANNEL + 1, extra_write=build_opener(head))
    assert await sql("SELECT count(*) FROM matches") == [(1,)]
    assert await sql("SELECT season_id, number FROM fixtures") == [(head.season_id, 1)]


async def test_season_log_names_opened_match(store: Store, seasons: SeasonStore) -> None:
    head = await add_running_season(store)
    match = await add_match(store, extra_write=build_opener(head))
    stored = await seasons.find_season(head.season_id)
    assert stored.log[-1] == FixtureOpened(1, match.match_id)
    assert await seasons.find_season_of_match(match.match_id) == head.season_id


async def test_season_is_due_when_one_of_its_matches_ends(store: Store, seasons: SeasonStore) -> None:
    head = await add_running_season(store)
    match = await add_match(store, extra_write=build_opener(head))
    assert await seasons.list_due_seasons(NOW, 10) == []
    await commit_change(store, match, state="void")
    assert [one.season_id for one in await seasons.list_due_seasons(NOW, 10)] == [head.season_id]


@BOTH_DATABASES
async def test_ended_seasons_of_entrant_are_listed_newest_first(store: Store, seasons: SeasonStore) -> None:
    first, second, elsewhere = [await add_running_season(store, guild_id=guild) for guild in (GUILD, GUILD, GUILD + 1)]
    under_way = await add_running_season(store)
    for head in (first, second, elsewhere):
        change = SeasonChange(season_id=head.season_id, expected_seq=head.seq, state="over", due_at=None)
        await seasons.change_season(change, now=NOW)
    found = await seasons.list_past_seasons(GRACE, GUILD, limit=10)
    assert [(one.season_id, one.player) for one in found] == [(second.season_id, 2), (first.season_id, 2)]
    assert under_way.season_id not in {one.season_id for one in found}
    assert [one.season_id for one in await seasons.list_past_seasons(GRACE, GUILD, limit=1)] == [second.season_id]
    assert await store.erasure.erase_user(GRACE, left_match_ids=[], now=NOW)
    assert await seasons.list_past_seasons(GRACE, GUILD, limit=10) == []


@BOTH_DATABASES
async def test_forgotten_entrant_is_not_named_and_season_becomes_due(
    store: Store, seasons: SeasonStore, sql: Sql
) -> None:
    head = await add_running_season(store)
    assert [line["season_id"] for line in (await store.erasure.export_user(ADA))["seasons"]] == [head.season_id]
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW)
    assert (await store.erasure.export_user(ADA))["seasons"] == []
    assert ADA not in await store.erasure.list_user_ids()
    assert await sql("SELECT user_id FROM entrants ORDER BY player LIMIT 2") == [(None,), (GRACE,)]
    assert len(await seasons.list_due_seasons(NOW, 10)) == 1


async def test_many_leagues_without_due_work_cost_one_query(seasons: SeasonStore) -> None:
    for number in range(300):
        await seasons.announce_season(build_new_season(guild_id=GUILD + number), now=NOW)
    with record_statements() as statements:
        assert await seasons.list_due_seasons(DUE_AT - 1, 50) == []
    asked = [text for text, _ in statements if text.startswith("SELECT")]
    assert len(asked) <= 1
    assert len(await seasons.list_due_seasons(DUE_AT, 50)) == 50


async def test_season_shown_concurrently_is_shown_again(seasons: SeasonStore) -> None:
    head = await seasons.announce_season(build_new_season(), now=NOW)
    message = await seasons.begin_season_message(head, now=NOW)
    change = SeasonChange(
        season_id=head.season_id, expected_seq=1, events=[SignedUp(1)], state="signup", due_at=DUE_NOW, signup=(1, ADA)
    )
    newer = await seasons.change_season(change, now=NOW)
    assert await seasons.lease_season(newer, until=DUE_AT)
    await seasons.note_season_shown(message, message_id=70, before=head.shown_seq, seq=newer.seq)
    await seasons.note_season_shown(message, message_id=70, before=head.shown_seq, seq=head.seq)
    await seasons.release_season(head.season_id, taken=DUE_AT, at=DUE_AT + 1, trouble=None)
    (due,) = await seasons.list_due_seasons(NOW, 10)
    assert due.shown_seq < due.seq
    await seasons.note_season_shown(message, message_id=70, before=due.shown_seq, seq=due.seq)
    assert [one.shown_seq for one in await seasons.list_due_seasons(NOW, 10)] == [due.seq]
