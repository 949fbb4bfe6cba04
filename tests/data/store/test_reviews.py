"""Reviews are stored with their matches, name players only by seat, and are shown at most once a day."""

import asyncio
import json

from data.store.reviews.store import ReviewStore
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, GUILD, NOW, add_finished_match, build_result
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

DAY = 86_400_000
TEXT = json.dumps({"version": 1, "choices": ["…"] * 1000})
FACTS = {0: {"accuracy": 87.5}, 1: {"accuracy": 61.0}}


async def add_ended_match(store: Store, *, game: str = "triominoes", now: int = NOW) -> int:
    return await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), game=game, now=now)


async def test_stored_review_is_found_and_later_one_replaces_it(store: Store, reviews: ReviewStore, other: Store):
    match = await add_ended_match(store)
    assert await reviews.find_review(match) is None
    assert await reviews.save_review(match, TEXT, FACTS, now=NOW + 5)
    stored = await ReviewStore(other.transactions).find_review(match)
    assert (stored.text, stored.made_at, stored.shown_at) == (TEXT, NOW + 5, None)
    assert await ReviewStore(other.transactions).save_review(match, "{}", {}, now=NOW + 6)
    again = await reviews.find_review(match)
    assert (again.text, again.made_at) == ("{}", NOW + 6)


async def test_deleted_match_has_no_review(store: Store, reviews: ReviewStore, sql: Sql):
    match = await add_ended_match(store)
    assert await reviews.save_review(match, TEXT, FACTS, now=NOW)
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    await store.guilds.purge_guild(GUILD, left_by=NOW)
    assert await sql("SELECT count(*) FROM reviews") == [(0,)]
    assert not await reviews.save_review(match, TEXT, FACTS, now=NOW), "it may go while somebody looks back on it"
    assert await sql("SELECT count(*) FROM reviews") == [(0,)]


async def test_damaged_review_is_read_as_missing(store: Store, reviews: ReviewStore, sql: Sql):
    match = await add_ended_match(store)
    await reviews.save_review(match, TEXT, FACTS, now=NOW)
    for broken in (b"", b"no zip", b"x\x9c\x03"):
        await sql("UPDATE reviews SET body = :body", body=broken)
        assert await reviews.find_review(match) is None


async def test_concurrent_review_posts_show_once_and_again_next_day(store: Store, reviews: ReviewStore, other: Store):
    match = await add_ended_match(store)
    assert not await reviews.begin_showing(match, again=NOW - DAY, now=NOW), "there is nothing to show"
    await reviews.save_review(match, TEXT, FACTS, now=NOW)
    won = await asyncio.gather(
        *(ReviewStore(one.transactions).begin_showing(match, again=NOW - DAY, now=NOW) for one in (store, other) * 2)
    )
    assert sorted(won) == [False, False, False, True]
    assert not await reviews.begin_showing(match, again=NOW + 5 - DAY, now=NOW + 5)
    assert await reviews.begin_showing(match, again=NOW + 1, now=NOW + DAY + 1)


async def test_review_that_failed_to_post_can_be_shown_again(store: Store, reviews: ReviewStore):
    match = await add_ended_match(store)
    await reviews.save_review(match, TEXT, FACTS, now=NOW)
    assert await reviews.begin_showing(match, again=NOW - DAY, now=NOW)
    await reviews.cancel_showing(match, at=NOW - 1, before=None)
    assert not await reviews.begin_showing(match, again=NOW - DAY, now=NOW), "that was another attempt"
    await reviews.cancel_showing(match, at=NOW, before=None)
    assert await reviews.begin_showing(match, again=NOW - DAY, now=NOW + 1)


async def test_failed_second_showing_keeps_first_shown_time(store: Store, reviews: ReviewStore):
    match = await add_ended_match(store)
    await reviews.save_review(match, TEXT, FACTS, now=NOW)
    assert await reviews.begin_showing(match, again=NOW - DAY, now=NOW)
    assert await reviews.begin_showing(match, again=NOW + 1, now=NOW + DAY)
    await reviews.cancel_showing(match, at=NOW + DAY, before=NOW)
    stored = await reviews.find_review(match)
    assert stored.shown_at == NOW


async def test_player_gets_and_exports_own_review_facts_newest_first(store: Store, reviews: ReviewStore):
    first, second = await add_ended_match(store), await add_ended_match(store, now=NOW + 10)
    await reviews.save_review(first, TEXT, FACTS, now=NOW)
    await reviews.save_review(second, TEXT, {1: {"accuracy": 70.0}}, now=NOW)
    await reviews.save_review(await add_ended_match(store, game="star", now=NOW + 20), TEXT, FACTS, now=NOW)
    facts = [(one.match_id, one.facts) for one in await reviews.list_own_reviews(GRACE, "triominoes", limit=10)]
    assert facts == [(second, {"accuracy": 70.0}), (first, FACTS[1])]
    assert [one.match_id for one in await reviews.list_own_reviews(ADA, "triominoes", limit=10)] == [first]
    held = (await store.erasure.export_user(ADA))["reviews"]
    assert [one["facts"] for one in held] == [FACTS[0], FACTS[0]], "of both games, and nothing of Grace's"


async def test_review_does_not_name_forgotten_player(store: Store, reviews: ReviewStore):
    match = await add_ended_match(store)
    await reviews.save_review(match, TEXT, FACTS, now=NOW)
    assert await store.erasure.erase_user(ADA, left_match_ids=set(), now=NOW)
    assert await reviews.list_own_reviews(ADA, "triominoes", limit=10) == []
    assert (await store.erasure.export_user(ADA))["reviews"] == []
    assert len(await reviews.list_own_reviews(GRACE, "triominoes", limit=10)) == 1
    assert await reviews.find_review(match) is not None, "the match and its review stay for those who played it"


@BOTH_DATABASES
async def test_shared_reviews_need_facts_for_both_seats(store: Store, reviews: ReviewStore):
    first, second, third = (
        await add_ended_match(store),
        await add_ended_match(store, now=NOW + 10),
        await add_ended_match(store, now=NOW + 20),
    )
    star = await add_ended_match(store, game="star", now=NOW + 30)
    for match in (first, third, star):
        await reviews.save_review(match, TEXT, FACTS, now=NOW)
    await reviews.save_review(second, TEXT, {1: {"accuracy": 70.0}}, now=NOW)
    met = await reviews.list_shared_reviews(GUILD, GRACE, ADA, game="triominoes", limit=10)
    assert [(one.match_id, one.seats, one.facts) for one in met] == [
        (third, 2, (FACTS[1], FACTS[0])),
        (first, 2, (FACTS[1], FACTS[0])),
    ]
    assert [one.match_id for one in await reviews.list_shared_reviews(GUILD, ADA, GRACE, limit=2)] == [star, third]
    assert await reviews.list_shared_reviews(GUILD + 1, ADA, GRACE, limit=10) == []
    await store.erasure.erase_user(GRACE, left_match_ids=[], now=NOW + 40)
    assert await reviews.list_shared_reviews(GUILD, ADA, GRACE, limit=10) == []
