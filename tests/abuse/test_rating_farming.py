"""An attacker wins against own accounts to raise a rating."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from bot.tables.ratings import NEW_BOARD_DISTANCE, NEWCOMER_POINTS, POINTS_PER_UNIT, compute_points
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.match.actions import Resign
from engine.table.commands import Join, TakeAction
from tests.abuse.simulated_players import GAME, GUILD, START, Population, honest
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA
from tests.depth import scaled

pytestmark = pytest.mark.deep

FARMER = 6  # A player in the middle of eleven
PEOPLE = range(1, 12)


@pytest.mark.parametrize("fresh", [True, False], ids=["many accounts", "one account"])
async def test_immediate_resignation_gives_no_rating(store: Store, fresh: bool) -> None:
    timed_table = TimedTable(store, START)
    for number in range(scaled(30)):
        account = 100 + number * fresh
        table = await timed_table.open(seats=2, channel_id=1000 + number)
        table = await timed_table.act(table.head.match_id, Join(account), request=timed_table.request())
        table = await timed_table.act(
            table.head.match_id, TakeAction(account, Resign, table.head.seq), request=timed_table.request()
        )
        assert table.head.state == "done"
    ada = await store.results.find_profile(ADA, EVERYWHERE, GAME)
    assert (compute_points(ada.rating), ada.wins, ada.rank) == (1500, 0, None)
    account = await store.results.find_profile(100, EVERYWHERE, GAME)
    assert account.finished == 0, "and it is seen who leaves"
    lately = await ProfileStore(store.transactions).find_own_row(EVERYWHERE, GAME, ADA, is_recent=True)
    assert (lately.wins, lately.rank) == (0, None)


async def play_one_another(population: Population, accounts: Sequence[int]) -> None:
    for number, (first, second) in enumerate(combinations(accounts, 2)):
        await population.thrown(*((first, second) if number % 2 else (second, first)))


async def farmed(population: Population, accounts: int, *, doors: int = 0, each: int = 3, days: int = 12) -> int:
    await population.seasons(PEOPLE, {}, days)
    before = await population.number(FARMER)
    ring = range(10_000, 10_000 + accounts)
    for account in ring[:doors]:
        await population.meet(account, 1 + account % 5)
    await play_one_another(population, ring)
    for _ in range(each):
        for account in ring:
            await population.thrown(FARMER, account)
    return await population.number(FARMER) - before


@pytest.mark.parametrize("doors", [0, 1, 3], ids=["a ring apart", "one of it knows somebody", "three of it do"])
async def test_ring_of_own_accounts_gains_no_rating(store: Store, doors: int) -> None:
    population = Population(store, seed=7, strengths=honest(len(PEOPLE)))
    assert await farmed(population, 4, doors=doors, each=scaled(3)) == 0
    ranks = [await store.results.find_profile(account, GUILD, GAME) for account in range(10_000, 10_004)]
    assert [profile.rank for profile in ranks if profile] == [None] * 4
    lately = await ProfileStore(store.transactions).load_leaderboard(GUILD, GAME, is_recent=True, size=60)
    wins = {row.user_id: row.wins for row in lately.rows}
    assert wins[FARMER] <= max(wins[user] for user in PEOPLE if user != FARMER) + 1


async def test_ring_gains_only_if_twice_as_large_as_ranked_players(store: Store) -> None:
    for accounts in (16, 30)[: scaled(1)]:
        population = Population(store, seed=7, guild=accounts, strengths=honest(len(PEOPLE)))
        gain = await farmed(population, accounts, each=1, days=25)
        print(f"{accounts} accounts, {accounts * (accounts + 1) // 2} matches: {gain} points")
        assert gain == 0 or accounts > 2 * len(PEOPLE)


async def test_ring_on_empty_leaderboard_gains_no_more_than_lucky_player(store: Store) -> None:
    population = Population(store, seed=7, strengths=honest(len(PEOPLE)))
    ring = range(10_000, 10_003)
    await play_one_another(population, ring)
    for _ in range(10):
        for account in ring:
            await population.thrown(FARMER, account)
    ahead = await population.number(FARMER) - NEWCOMER_POINTS
    assert 0 < ahead <= NEW_BOARD_DISTANCE * POINTS_PER_UNIT
    numbers = []
    # The same season without the attack.
    for one in (population, Population(store, seed=7, guild=1, strengths=honest(len(PEOPLE)))):
        one.rng = Random(7)
        await one.seasons(PEOPLE, {}, days=40)
        numbers.append(await one.number(FARMER))
    after, honestly = numbers
    print(f"ahead by {ahead} points; {after} after forty days, who played honestly has {honestly}")
    assert after - honestly < ahead / 2


async def season(store: Store, farms: int, accounts: int) -> tuple[int, int, Population]:
    population = Population(store, seed=7, strengths=honest(len(PEOPLE)))
    await population.seasons(PEOPLE, {}, days=scaled(6))
    before = await population.number(FARMER)
    for number in range(farms):
        await population.thrown(FARMER, 10_000 + number % accounts)
    return before, await population.number(FARMER), population


@pytest.mark.parametrize("accounts", [30, 1])
async def test_accounts_playing_only_their_owner_give_no_information(store: Store, accounts: int) -> None:
    before, after, _ = await season(store, scaled(30, least=20), accounts)
    assert after == before
    lately = await ProfileStore(store.transactions).load_leaderboard(GUILD, GAME, is_recent=True, size=60)
    wins = {row.user_id: row.wins for row in lately.rows}
    honestly = sum(1 for row in lately.rows if row.user_id in PEOPLE)
    assert honestly == len(PEOPLE)
    assert wins[FARMER] <= max(wins[user] for user in PEOPLE if user != FARMER) + 1


async def test_losing_friend_counts_at_most_four_matches_per_month(store: Store) -> None:
    population = Population(store, seed=8, strengths=honest(len(PEOPLE)))
    await population.seasons(PEOPLE, {}, days=scaled(12))
    friend = 1
    gains = []
    for _ in range(30):
        before = await population.number(FARMER)
        await population.thrown(FARMER, friend)
        gains.append(await population.number(FARMER) - before)
    assert sum(gains) <= 4 * max(60, gains[0])
    assert gains[-1] <= 2


async def test_recomputing_ratings_is_independent_of_deleted_users(store: Store) -> None:
    population = Population(store, seed=9, strengths=honest(len(PEOPLE)))
    await population.seasons(PEOPLE, {2: lambda course, *_: 5 if not course.first_wins else None}, days=scaled(5))
    assert await store.erasure.erase_user(3, left_match_ids=[], now=population.now)
    await population.seasons([user for user in PEOPLE if user != 3], {}, days=scaled(3))
    boards = [
        await ProfileStore(store.transactions).load_leaderboard(guild, GAME, is_recent=lately, size=50)
        for guild in (0, GUILD)
        for lately in (0, 1)
    ]
    await store.results.rebuild_standings()
    again = [
        await ProfileStore(store.transactions).load_leaderboard(guild, GAME, is_recent=lately, size=50)
        for guild in (0, GUILD)
        for lately in (0, 1)
    ]
    assert again == boards
