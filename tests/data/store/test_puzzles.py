"""Puzzles of the day: their ratings are a fold of the tries, and a server's table lists whom people there know."""

import random
from datetime import date, timedelta

from sqlalchemy import delete, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.puzzles.service import MOST_SOLVER_SIGMA, rate_puzzle, rate_try
from data.store.puzzles.store import PuzzleStore, compute_sort_key, puzzle_ratings
from data.store.puzzles.tries import PuzzleRating, PuzzleTry, RatePuzzle
from data.store.results.scores import Rating
from data.store.store import Store
from tests.data.store.scene import GUILD, NOW, RESULT
from tests.data.store.server import BOTH_DATABASES
from tests.depth import scaled

GAMES = ("trioker", "triominoes")
PEOPLE = range(101, 106)
FIRST = date(2026, 11, 2)


def day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


async def ended(
    store: Store, user: int, on: str, *, misses: int = 0, at: int = NOW, rate: RatePuzzle = rate_try
) -> PuzzleTry:
    game = GAMES[1]
    await PuzzleStore(store.transactions).begin_puzzle(user, game, on, counted=True, now=at)
    tried = None
    for number in range(min(3, misses + 1)):
        right = number == misses
        tried = await PuzzleStore(store.transactions).add_answer(
            user, game, on, f"{number}{right}", right=right, counts=True, now=at, rate=rate
        )
    assert tried is not None
    return tried


async def season(store: Store, days: int, rng: random.Random) -> list[PuzzleTry]:
    found = []
    for number in range(days):
        for user in rng.sample(PEOPLE, len(PEOPLE)):
            if rng.random() < 0.7:
                if rng.random() < 0.3:
                    await PuzzleStore(store.transactions).begin_puzzle(
                        user, GAMES[1], day(number), counted=True, now=NOW
                    )
                    await PuzzleStore(store.transactions).note_hint(user, GAMES[1], day(number))
                found.append(
                    await ended(
                        store, user, day(number), misses=rng.randrange(4), at=NOW + len(found), rate=rate_puzzle
                    )
                )
    return found


async def ratings(store: Store, days: int) -> list[PuzzleRating | None]:
    return [
        await PuzzleStore(store.transactions).find_puzzle_rating(game, day(number))
        for game in GAMES
        for number in range(days)
    ]


async def test_recount_restores_ratings(store: Store, engine: AsyncEngine) -> None:
    days = scaled(4, least=3)
    await season(store, days, random.Random(3))
    before = await ratings(store, days)
    rated = [one for one in before if one is not None]
    assert len(rated) == days
    assert (await store.operations.rebuild_features())["puzzles"] == days
    assert await ratings(store, days) == before
    for tampered in (
        update(puzzle_ratings).values(mu=99.0, tried=1000),
        delete(puzzle_ratings).where(puzzle_ratings.c.day == day(1)),
        text("INSERT INTO puzzle_ratings VALUES ('trioker', '2026-11-02', 1.0, 1.0, 5, 5)"),
    ):
        async with engine.begin() as connection:
            await connection.execute(tampered)
        assert await ratings(store, days) != before
        assert (await store.operations.rebuild_features())["puzzles"] == days
        assert await ratings(store, days) == before


async def test_stored_puzzle_ratings_equal_rating_all_tries_in_order(store: Store) -> None:
    days = scaled(4, least=3)
    tries = await season(store, days, random.Random(4))
    people: dict[int, Rating] = {}
    puzzles: dict[str, Rating] = {}
    for tried in tries:
        people[tried.user_id], puzzles[tried.day] = rate_puzzle(
            people.get(tried.user_id), puzzles.get(tried.day), tried
        )
    for on, rating in puzzles.items():
        kept = await PuzzleStore(store.transactions).find_puzzle_rating(GAMES[1], on)
        mine = [tried for tried in tries if tried.day == on]
        assert kept == PuzzleRating(rating, len(mine), sum(bool(tried.solved) for tried in mine))
    assert {user: await PuzzleStore(store.transactions).find_solver_rating(user, GAMES[1]) for user in people} == people


async def test_puzzle_rating_excludes_forgotten_player(store: Store) -> None:
    days = scaled(4, least=3)
    tries = await season(store, days, random.Random(5))
    gone = tries[-1].user_id
    others = [tried for tried in tries if tried.user_id != gone]
    theirs = {
        user: await PuzzleStore(store.transactions).find_solver_rating(user, GAMES[1])
        for user in PEOPLE
        if user != gone
    }
    assert await store.erasure.erase_user(gone, left_match_ids=(), now=NOW)
    stands = await ratings(store, days)
    for number, kept in enumerate(stands[days:]):
        mine = [tried for tried in others if tried.day == day(number)]
        assert (kept.tried, kept.solved) == (len(mine), sum(bool(one.solved) for one in mine)) if kept else not mine
    (await store.operations.rebuild_features())["puzzles"]
    assert await ratings(store, days) == stands
    assert {user: await PuzzleStore(store.transactions).find_solver_rating(user, GAMES[1]) for user in theirs} == theirs
    alone = await ended(store, 500, day(99))
    assert await store.erasure.erase_user(alone.user_id, left_match_ids=(), now=NOW)
    assert await PuzzleStore(store.transactions).find_puzzle_rating(GAMES[1], day(99)) is None


async def test_viewed_puzzle_ends_as_practice_and_started_one_as_lost(store: Store) -> None:
    game = GAMES[1]
    for on in (day(0), day(1), day(2)):
        await PuzzleStore(store.transactions).begin_puzzle(1, game, on, counted=True, now=NOW)
    await PuzzleStore(store.transactions).note_hint(1, game, day(1))
    assert await PuzzleStore(store.transactions).end_puzzles(1, day(2), now=NOW + 1, rate=rate_try) == 1
    kept = [await PuzzleStore(store.transactions).find_try(1, game, on) for on in (day(0), day(1), day(2))]
    assert [(one.counted, one.solved) for one in kept if one] == [(False, None), (True, False), (True, None)]
    await PuzzleStore(store.transactions).note_hint(1, game, day(0))
    assert await PuzzleStore(store.transactions).end_puzzles(1, day(2), now=NOW + 2, rate=rate_try) == 0
    assert await PuzzleStore(store.transactions).find_puzzle_rating(game, day(0)) is None


async def test_accounts_losing_on_purpose_do_not_raise_puzzle_rating(store: Store) -> None:
    for user in range(600, 600 + 12):
        await ended(store, user, day(0), misses=3)
    honest = await PuzzleStore(store.transactions).find_puzzle_rating(GAMES[1], day(1))
    made = await PuzzleStore(store.transactions).find_puzzle_rating(GAMES[1], day(0))
    assert honest is None
    assert made.tried == 12
    for on in (day(0), day(1)):
        await ended(store, 700 + int(on == day(1)), on)
    after = [await PuzzleStore(store.transactions).find_solver_rating(user, GAMES[1]) for user in (700, 701)]
    assert after[0] == after[1], "it is worth no more to solve the one that they lost on purpose"
    for number in range(2, 12):
        await ended(store, 800, day(number))
    known = await PuzzleStore(store.transactions).find_solver_rating(800, GAMES[1])
    assert known.sigma <= MOST_SOLVER_SIGMA
    await ended(store, 800, day(0), misses=3)
    moved = await PuzzleStore(store.transactions).find_puzzle_rating(GAMES[1], day(0))
    assert moved.rating.mu > made.rating.mu, "of somebody who is known it is learnt"


@BOTH_DATABASES
async def test_puzzle_table_lists_only_rated_players_once_guild_has_any(store: Store, engine: AsyncEngine) -> None:
    tries = [await ended(store, user, day(0), misses=2 - number, at=NOW + 10) for number, user in enumerate((1, 2, 3))]
    assert await PuzzleStore(store.transactions).share_puzzle(GUILD, tries[0], now=NOW + 20) == "listed", "nobody has"
    async with engine.begin() as connection:
        for user, rated, at, guild in (
            (2, True, NOW, GUILD),
            (3, True, NOW + 15, GUILD),
            (1, False, NOW, GUILD),
            (1, True, NOW + 1, GUILD + 1),
        ):
            await connection.execute(text(RESULT), {"user": user, "rated": rated, "at": at, "guild": guild})
    assert await PuzzleStore(store.transactions).share_puzzle(GUILD, tries[1], now=NOW + 20) == "listed"
    assert await PuzzleStore(store.transactions).share_puzzle(GUILD, tries[1], now=NOW + 21) == "before"
    assert await PuzzleStore(store.transactions).share_puzzle(GUILD, tries[2], now=NOW + 20) == "unlisted", (
        "hers was after the puzzle"
    )
    assert [
        row.user_id for row in await PuzzleStore(store.transactions).list_shared_tries(GUILD, GAMES[1], day(0))
    ] == [
        2,
        1,
    ]
    await PuzzleStore(store.transactions).unshare_puzzle(GUILD, 1, GAMES[1], day(0))
    assert await PuzzleStore(store.transactions).share_puzzle(GUILD, tries[0], now=NOW + 22) == "unlisted", (
        "it was not rated, or elsewhere"
    )


def test_puzzle_rank_orders_by_solved_tries_hint_and_time() -> None:
    def tried(answers: int, *, solved: bool = True, hinted: bool = False, at: int = NOW) -> PuzzleTry:
        return PuzzleTry(1, "triominoes", day(0), True, hinted, ("a",) * answers, solved, at, None)

    best_first = [
        tried(1),
        tried(1, at=NOW + 1),
        tried(1, hinted=True),
        tried(2, at=NOW - 9),
        tried(3, hinted=True),
        tried(3, solved=False, at=NOW - 9),
        tried(3, solved=False, hinted=True, at=NOW - 9),
    ]
    ranks = [compute_sort_key(one) for one in best_first]
    assert ranks == sorted(ranks)
    assert len({*ranks}) == len(ranks)
