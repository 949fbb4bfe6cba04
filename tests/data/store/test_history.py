"""The match history of a player, compared with a simple reading of all rows."""

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

from data.store.history.store import HistoryQuery, HistoryStore, compute_month_start
from data.store.results.scores import Result
from data.store.store import Store
from tests.data.store.scene import (
    ADA,
    GRACE,
    GUILD,
    LINUS,
    NOW,
    add_finished_match,
    add_match,
    build_result,
    build_seat,
    commit_change,
)
from tests.data.store.server import BOTH_DATABASES
from tests.depth import scale_count

DAY = 86_400_000
PEOPLE = (ADA, GRACE, LINUS, 1004)


async def add_random_matches(store: Store, rng: Random, count: int) -> list[tuple[Result, ...]]:
    found = []
    for _ in range(count):
        users = rng.sample(PEOPLE, rng.randint(1, 3))
        scores = [(user, rng.randrange(-20, 60)) for user in users]
        number = await add_finished_match(
            store,
            build_result(*scores, rated=rng.random() < 0.7),
            guild_id=rng.choice((GUILD, 77)),
            game=rng.choice(("triominoes", "star")),
            now=NOW + rng.randrange(100) * DAY,
        )
        found.append(await store.results.list_results(number))
    return found


def list_naive_history(matches: Sequence[tuple[Result, ...]], search: HistoryQuery) -> list[int]:
    found = []
    for lines in matches:
        mine = next((line for line in lines if line.user_id == search.user_id), None)
        if mine is None or mine.guild_id != search.guild_id or search.game not in (None, mine.game):
            continue
        if search.other is not None and search.other not in {line.user_id for line in lines}:
            continue
        if (search.since or 0) <= mine.ended_at < (search.until or 2**62):
            found.append((mine.ended_at, mine.match_id))
    return [number for _, number in sorted(found, reverse=True)]


async def test_history_pages_equal_naive_reading(store: Store, histories: HistoryStore) -> None:
    rng = Random(16)
    matches = await add_random_matches(store, rng, scale_count(40))
    for _ in range(scale_count(15)):
        since = NOW + rng.randrange(100) * DAY
        search = HistoryQuery(
            user_id=rng.choice(PEOPLE),
            guild_id=rng.choice((GUILD, 77)),
            game=rng.choice((None, "triominoes", "star")),
            other=rng.choice((None, *PEOPLE)),
            since=rng.choice((None, since)),
            until=rng.choice((None, since + rng.randrange(60) * DAY)),
        )
        expected = list_naive_history(matches, search)
        first = await histories.load_page(search, size=3)
        assert (first.total, first.pages) == (len(expected), max(1, -(-len(expected) // 3)))
        read = []
        for number in range(first.pages):
            read += [row.any_result.match_id for row in (await histories.load_page(search, page=number, size=3)).rows]
        assert read == expected
        past_the_end = await histories.load_page(search, page=99, size=3)
        assert past_the_end.page == first.pages - 1
        for row in first.rows:
            lines = next(lines for lines in matches if lines[0].match_id == row.any_result.match_id)
            assert row.own_result is not None
            assert sorted((row.own_result, *row.other_results), key=lambda one: (one.place, one.user_id)) == list(lines)
            assert row.head.match_id == row.any_result.match_id


async def test_months_with_matches_are_listed_newest_first(store: Store, histories: HistoryStore) -> None:
    matches = await add_random_matches(store, Random(5), scale_count(30))
    ends = [line.ended_at for lines in matches for line in lines if (line.user_id, line.guild_id) == (ADA, GUILD)]
    months = sorted({datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m") for at in ends}, reverse=True)
    found = await histories.list_months(ADA, GUILD)
    assert [datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m") for at in found] == months
    assert set(found) <= set(ends)
    assert await histories.list_months(ADA, GUILD, limit=1) == found[:1]
    assert await histories.list_months(4711, GUILD) == []


def test_month_starts_at_midnight_utc() -> None:
    first = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp()) * 1000
    assert {compute_month_start(first), compute_month_start(first + 1), compute_month_start(first + 30 * DAY - 1)} == {
        first
    }
    assert compute_month_start(first - 1) == int(datetime(2026, 10, 1, tzinfo=UTC).timestamp()) * 1000


async def test_history_counts_computers_and_forgotten_players(store: Store, histories: HistoryStore) -> None:
    computer = build_seat(2, 0)
    seats = [build_seat(0, ADA), build_seat(1, GRACE), computer.__class__(seat=2, computer="hard", joined_at=NOW)]
    head = await add_match(store, seats=seats)
    await commit_change(store, head, state="done", result=build_result((ADA, 5), (GRACE, 4), seats=3))
    before = await histories.find_match(ADA, head.match_id)
    assert ([one.user_id for one in before.other_results], before.computers, before.unknown_player_count) == (
        [GRACE],
        1,
        0,
    )
    assert await histories.find_match(LINUS, head.match_id) is None
    assert await store.erasure.erase_user(GRACE, left_match_ids=[], now=NOW)
    after = await histories.find_match(ADA, head.match_id)
    assert (after.other_results, after.computers, after.unknown_player_count) == ((), 1, 1)
    assert await histories.find_match(GRACE, head.match_id) is None


async def add_substituted_match(
    store: Store, *, substitute: int, owner: int, now: int, game: str = "triominoes", state: str = "done"
) -> int:
    seats = [build_seat(0, substitute), build_seat(1, GRACE)]
    head = await add_match(store, seats=seats, game=game)
    result = build_result((owner, 5), (GRACE, 4)) if state == "done" else build_result((GRACE, 4), seats=2)
    await commit_change(store, head, state=state, result=result, now=now)
    return head.match_id


@BOTH_DATABASES
async def test_substitutes_matches_are_in_their_history_in_order(store: Store, histories: HistoryStore) -> None:
    own = [
        await add_finished_match(store, build_result((LINUS, 5), (ADA, 4)), now=NOW + day * DAY)
        for day in range(0, 12, 2)
    ]
    borrowed = [
        await add_substituted_match(store, substitute=LINUS, owner=ADA, now=NOW + day * DAY) for day in (3, 40, 5)
    ]
    star = await add_substituted_match(store, substitute=LINUS, owner=ADA, game="star", now=NOW + 41 * DAY)
    closed = await add_substituted_match(store, substitute=LINUS, owner=ADA, state="void", now=NOW + 42 * DAY)
    search = HistoryQuery(user_id=LINUS, guild_id=GUILD, game="triominoes")
    pages = [await histories.load_page(search, page=number, size=4) for number in range(3)]
    order = [borrowed[1], own[5], own[4], own[3], borrowed[2], own[2], borrowed[0], own[1], own[0]]
    assert [row.any_result.match_id for page in pages for row in page.rows] == order
    assert {(page.total, page.pages) for page in pages} == {(9, 3)}
    row = pages[0].rows[0]
    assert row.own_result is None
    assert ([one.user_id for one in row.other_results], row.unknown_player_count) == ([ADA, GRACE], 0)
    assert (await histories.load_page(HistoryQuery(user_id=LINUS, guild_id=GUILD, other=GRACE), size=9)).total == 4
    assert (
        await histories.load_page(HistoryQuery(user_id=LINUS, guild_id=GUILD, since=NOW + 40 * DAY), size=9)
    ).total == 2
    assert (await histories.load_page(HistoryQuery(user_id=LINUS, guild_id=GUILD + 1), size=9)).total == 0
    assert await histories.list_months(LINUS, GUILD) == [
        NOW + 41 * DAY,
        *(await histories.list_months(LINUS, GUILD))[1:],
    ]
    assert (await histories.find_match(LINUS, star)) is not None
    assert (await histories.find_match(LINUS, closed)) is None, "it came to nothing, and the result is of whoever left"
    assert (await histories.find_match(1004, star)) is None
    await store.erasure.erase_user(LINUS, left_match_ids=[], now=NOW + 50 * DAY)
    assert (await histories.load_page(search, size=9)).total == 0
