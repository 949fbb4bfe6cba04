"""Limits of running matches hold even under concurrent requests."""

import asyncio

import pytest

from data.store.connection.store_errors import TooManyMatches
from data.store.log.match_values import Head, Limits
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, GUILD, add_match, build_seat, commit_change
from tests.data.store.server import BOTH_DATABASES


async def run_concurrently(*acts: object) -> tuple[int, list[TooManyMatches]]:
    done = await asyncio.gather(*acts, return_exceptions=True)  # type: ignore[call-overload]
    refused = [one for one in done if isinstance(one, TooManyMatches)]
    others = [one for one in done if isinstance(one, BaseException) and one not in refused]
    assert others == []
    return len(done) - len(refused), refused


async def test_concurrent_table_openings_respect_guild_limit(store: Store, other: Store):
    limits = Limits(user_id=ADA, server=3)
    acts = [
        add_match(each, channel_id=channel, limits=limits)
        for channel in range(1, 5)
        for each, channel in ((store, channel * 2), (other, channel * 2 + 1))
    ]
    went, refused = await run_concurrently(*acts)
    assert (went, len(refused)) == (3, 5)
    assert {(one.scope, one.limit) for one in refused} == {("server", 3)}
    assert await store.guilds.count_running(GUILD) == 3


@BOTH_DATABASES
async def test_concurrent_joins_respect_user_limit(store: Store, other: Store):
    heads = [await add_match(store, channel_id=channel) for channel in range(1, 9)]
    limits = Limits(user_id=GRACE, person=2)
    seats = [build_seat(0, ADA), build_seat(1, GRACE)]
    acts = [
        commit_change(each, head, seats=seats, limits=limits)
        for head, each in zip(heads, [store, other] * 4, strict=True)
    ]
    went, refused = await run_concurrently(*acts)
    assert (went, len(refused)) == (2, 6)
    assert {(one.scope, one.limit) for one in refused} == {("person", 2)}
    assert len(await store.matches.list_heads_of_user(GRACE)) == 2


async def test_refused_limit_changes_nothing(store: Store, head: Head):
    with pytest.raises(TooManyMatches):
        await commit_change(store, head, seats=[build_seat(0, GRACE)], request=7, limits=Limits(user_id=ADA, person=1))
    assert await store.matches.find_head(head.match_id) == head
    assert await store.matches.list_seats(head.match_id) == (build_seat(0, ADA),)
    assert await store.matches.find_request(7) is None


async def test_ended_or_foreign_matches_do_not_count_for_limits(store: Store):
    over = await add_match(store, channel_id=1)
    await commit_change(store, over, state="void")
    await add_match(store, channel_id=2, guild_id=GUILD + 1)
    await store.guilds.check_limits(GUILD, Limits(user_id=ADA, person=1, server=1))
    await add_match(store, channel_id=3, limits=Limits(user_id=ADA, person=1, server=1))
    with pytest.raises(TooManyMatches):
        await store.guilds.check_limits(GUILD, Limits(user_id=GRACE, person=1, server=1))
