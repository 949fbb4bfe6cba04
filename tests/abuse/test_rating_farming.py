"""An attacker wins against own accounts to raise a rating."""

from collections.abc import Sequence
from itertools import combinations, product
from random import Random

import pytest

from bot.tables.ratings import NEW_BOARD_DISTANCE, NEWCOMER_POINTS, POINTS_PER_UNIT, compute_points
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.match.actions import Resign
from engine.table.commands import Join, TakeAction
from tests.abuse.simulated_players import GAME, GUILD, Population, build_strengths
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA
from tests.depth import scale_count

FARMER = 6  # A player in the middle of eleven
PEOPLE = range(1, 12)


@pytest.mark.parametrize("fresh", [True, False], ids=["many accounts", "one account"])
async def test_immediate_resignation_gives_no_rating(store: Store, timed_table: TimedTable, fresh: bool) -> None:
    for number in range(scale_count(30)):
        account = 100 + number * fresh
        table = await timed_table.open(seats=2, channel_id=1000 + number)
        table = await timed_table.interact(table, Join(account))
        table = await timed_table.interact(table, TakeAction(account, Resign, table.head.seq))
        assert table.head.state == "done"
    ada = await store.results.find_profile(ADA, EVERYWHERE, GAME)
    assert (compute_points(ada.rating), ada.wins, ada.rank) == (1500, 0, None)
    account = await store.results.find_profile(100, EVERYWHERE, GAME)
    assert account.finished == 0, "and it is seen who leaves"
    recent_row = await ProfileStore(store.transactions).find_own_row(EVERYWHERE, GAME, ADA, is_recent=True)
    assert (recent_row.wins, recent_row.rank) == (0, None)


async def play_one_another(population: Population, accounts: Sequence[int]) -> None:
    for number, (first, second) in enumerate(combinations(accounts, 2)):
        await population.throw_match(*((first, second) if number % 2 else (second, first)))


async def measure_farming_gain(
    population: Population, accounts: int, *, doors: int = 0, matches_each: int = 3, days: int = 12
) -> int:
    await population.play_days(PEOPLE, {}, days)
    before = await population.load_points(FARMER)
    ring = range(10_000, 10_000 + accounts)
    for account in ring[:doors]:
        await population.play_match(account, 1 + account % 5)
    await play_one_another(population, ring)
    for _ in range(matches_each):
        for account in ring:
            await population.throw_match(FARMER, account)
    return await population.load_points(FARMER) - before


@pytest.mark.parametrize("doors", [0, 1, 3], ids=["a ring apart", "one of it knows somebody", "three of it do"])
async def test_ring_of_own_accounts_gains_no_rating(store: Store, doors: int) -> None:
    population = Population(store, seed=7, strengths=build_strengths(len(PEOPLE)))
    assert await measure_farming_gain(population, 4, doors=doors, matches_each=scale_count(3)) == 0
    ranks = [await store.results.find_profile(account, GUILD, GAME) for account in range(10_000, 10_004)]
    assert [profile.rank for profile in ranks if profile] == [None] * 4
    recent_board = await ProfileStore(store.transactions).load_leaderboard(GUILD, GAME, is_recent=True, size=60)
    wins = {row.user_id: row.wins for row in recent_board.rows}
    assert wins[FARMER] <= max(wins[user] for user in PEOPLE if user != FARMER) + 1


async def test_ring_gains_only_if_twice_as_large_as_ranked_players(store: Store) -> None:
    for accounts in (16, 30)[: scale_count(1)]:
        population = Population(store, seed=7, guild=accounts, strengths=build_strengths(len(PEOPLE)))
        gain = await measure_farming_gain(population, accounts, matches_each=1, days=25)
        assert gain == 0 or accounts > 2 * len(PEOPLE)


async def test_ring_on_empty_leaderboard_gains_no_more_than_lucky_player(store: Store) -> None:
    population = Population(store, seed=7, strengths=build_strengths(len(PEOPLE)))
    ring = range(10_000, 10_003)
    await play_one_another(population, ring)
    for _ in range(10):
        for account in ring:
            await population.throw_match(FARMER, account)
    gain = await population.load_points(FARMER) - NEWCOMER_POINTS
    assert 0 < gain <= NEW_BOARD_DISTANCE * POINTS_PER_UNIT
    numbers = []
    # The same season without the attack.
    for one in (population, Population(store, seed=7, guild=1, strengths=build_strengths(len(PEOPLE)))):
        one.rng = Random(7)
        await one.play_days(PEOPLE, {}, days=40)
        numbers.append(await one.load_points(FARMER))
    after, honest_points = numbers
    assert after - honest_points < gain / 2


@pytest.mark.parametrize("accounts", [30, 1])
async def test_accounts_playing_only_their_owner_give_no_information(store: Store, accounts: int) -> None:
    population = Population(store, seed=7, strengths=build_strengths(len(PEOPLE)))
    await population.play_days(PEOPLE, {}, days=scale_count(6))
    before = await population.load_points(FARMER)
    for number in range(scale_count(30, least=20)):
        await population.throw_match(FARMER, 10_000 + number % accounts)
    assert await population.load_points(FARMER) == before
    recent_board = await ProfileStore(store.transactions).load_leaderboard(GUILD, GAME, is_recent=True, size=60)
    wins = {row.user_id: row.wins for row in recent_board.rows}
    honest_rows = sum(1 for row in recent_board.rows if row.user_id in PEOPLE)
    assert honest_rows == len(PEOPLE)
    assert wins[FARMER] <= max(wins[user] for user in PEOPLE if user != FARMER) + 1


async def test_losing_friend_counts_at_most_four_matches_per_month(store: Store) -> None:
    population = Population(store, seed=8, strengths=build_strengths(len(PEOPLE)))
    await population.play_days(PEOPLE, {}, days=scale_count(12))
    friend = 1
    gains = []
    for _ in range(30):
        before = await population.load_points(FARMER)
        await population.throw_match(FARMER, friend)
        gains.append(await population.load_points(FARMER) - before)
    assert sum(gains) <= 4 * max(60, gains[0])
    assert gains[-1] <= 2


async def test_recomputing_ratings_is_independent_of_deleted_users(store: Store) -> None:
    population = Population(store, seed=9, strengths=build_strengths(len(PEOPLE)))
    await population.play_days(
        PEOPLE, {2: lambda course, *_: 5 if not course.has_first_won else None}, days=scale_count(5)
    )
    assert await store.erasure.erase_user(3, left_match_ids=[], now=population.now)
    await population.play_days([user for user in PEOPLE if user != 3], {}, days=scale_count(3))
    profiles, boards = ProfileStore(store.transactions), list(product((0, GUILD), (False, True)))
    before = [await profiles.load_leaderboard(guild, GAME, is_recent=recent, size=50) for guild, recent in boards]
    await store.results.rebuild_standings()
    after = [await profiles.load_leaderboard(guild, GAME, is_recent=recent, size=50) for guild, recent in boards]
    assert after == before
