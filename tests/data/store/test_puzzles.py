"""Daily puzzles: ratings follow from the tries, and a server's table lists only its members."""

import random
from datetime import date, timedelta

from sqlalchemy import delete, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.puzzles.service import MAX_SOLVER_SIGMA, rate_puzzle, rate_try
from data.store.puzzles.store import PuzzleStore, compute_sort_key, puzzle_ratings
from data.store.puzzles.tries import PuzzleRating, PuzzleTry, RatePuzzle
from data.store.results.scores import Rating
from data.store.store import Store
from tests.data.store.scene import GUILD, INSERT_RESULT, NOW
from tests.data.store.server import BOTH_DATABASES
from tests.depth import scale_count

GAMES = ("trioker", "triominoes")
PEOPLE = range(101, 106)
FIRST = date(2026, 11, 2)


def format_day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


async def finish_try(
    puzzles: PuzzleStore, user: int, on: str, *, misses: int = 0, at: int = NOW, rate: RatePuzzle = rate_try
) -> PuzzleTry:
    game = GAMES[1]
    await puzzles.begin_puzzle(user, game, on, counted=True, now=at)
    attempt = None
    for number in range(min(3, misses + 1)):
        right = number == misses
        attempt = await puzzles.add_answer(
            user, game, on, f"{number}{right}", right=right, counts=True, now=at, rate=rate
        )
    assert attempt is not None
    return attempt


async def play_days(puzzles: PuzzleStore, days: int, rng: random.Random) -> list[PuzzleTry]:
    found = []
    for number in range(days):
        for user in rng.sample(PEOPLE, len(PEOPLE)):
            if rng.random() < 0.7:
                if rng.random() < 0.3:
                    await puzzles.begin_puzzle(user, GAMES[1], format_day(number), counted=True, now=NOW)
                    await puzzles.note_hint(user, GAMES[1], format_day(number))
                found.append(
                    await finish_try(
                        puzzles,
                        user,
                        format_day(number),
                        misses=rng.randrange(4),
                        at=NOW + len(found),
                        rate=rate_puzzle,
                    )
                )
    return found


async def load_ratings(puzzles: PuzzleStore, days: int) -> list[PuzzleRating | None]:
    return [await puzzles.find_puzzle_rating(game, format_day(number)) for game in GAMES for number in range(days)]


async def test_recount_restores_ratings(store: Store, puzzles: PuzzleStore, engine: AsyncEngine) -> None:
    days = scale_count(4, least=3)
    await play_days(puzzles, days, random.Random(3))
    before = await load_ratings(puzzles, days)
    rated = [one for one in before if one is not None]
    assert len(rated) == days
    assert (await store.operations.rebuild_features())["puzzles"] == days
    assert await load_ratings(puzzles, days) == before
    for tampered in (
        update(puzzle_ratings).values(mu=99.0, tried=1000),
        delete(puzzle_ratings).where(puzzle_ratings.c.day == format_day(1)),
        text("INSERT INTO puzzle_ratings VALUES ('trioker', '2026-11-02', 1.0, 1.0, 5, 5)"),
    ):
        async with engine.begin() as connection:
            await connection.execute(tampered)
        assert await load_ratings(puzzles, days) != before
        assert (await store.operations.rebuild_features())["puzzles"] == days
        assert await load_ratings(puzzles, days) == before


async def test_stored_puzzle_ratings_equal_rating_all_tries_in_order(puzzles: PuzzleStore) -> None:
    days = scale_count(4, least=3)
    tries = await play_days(puzzles, days, random.Random(4))
    people: dict[int, Rating] = {}
    by_day: dict[str, Rating] = {}
    for tried in tries:
        people[tried.user_id], by_day[tried.day] = rate_puzzle(people.get(tried.user_id), by_day.get(tried.day), tried)
    for on, rating in by_day.items():
        stored = await puzzles.find_puzzle_rating(GAMES[1], on)
        mine = [tried for tried in tries if tried.day == on]
        assert stored == PuzzleRating(rating, len(mine), sum(bool(tried.solved) for tried in mine))
    assert {user: await puzzles.find_solver_rating(user, GAMES[1]) for user in people} == people


async def test_puzzle_rating_excludes_forgotten_player(store: Store, puzzles: PuzzleStore) -> None:
    days = scale_count(4, least=3)
    tries = await play_days(puzzles, days, random.Random(5))
    forgotten = tries[-1].user_id
    others = [tried for tried in tries if tried.user_id != forgotten]
    theirs = {user: await puzzles.find_solver_rating(user, GAMES[1]) for user in PEOPLE if user != forgotten}
    assert await store.erasure.erase_user(forgotten, left_match_ids=(), now=NOW)
    ratings_after = await load_ratings(puzzles, days)
    for number, stored in enumerate(ratings_after[days:]):
        mine = [tried for tried in others if tried.day == format_day(number)]
        assert (
            (stored.tried, stored.solved) == (len(mine), sum(bool(one.solved) for one in mine)) if stored else not mine
        )
    (await store.operations.rebuild_features())["puzzles"]
    assert await load_ratings(puzzles, days) == ratings_after
    assert {user: await puzzles.find_solver_rating(user, GAMES[1]) for user in theirs} == theirs
    alone = await finish_try(puzzles, 500, format_day(99))
    assert await store.erasure.erase_user(alone.user_id, left_match_ids=(), now=NOW)
    assert await puzzles.find_puzzle_rating(GAMES[1], format_day(99)) is None


async def test_viewed_puzzle_ends_as_practice_and_started_one_as_lost(puzzles: PuzzleStore) -> None:
    game = GAMES[1]
    for on in (format_day(0), format_day(1), format_day(2)):
        await puzzles.begin_puzzle(1, game, on, counted=True, now=NOW)
    await puzzles.note_hint(1, game, format_day(1))
    assert await puzzles.end_puzzles(1, format_day(2), now=NOW + 1, rate=rate_try) == 1
    stored = [await puzzles.find_try(1, game, on) for on in (format_day(0), format_day(1), format_day(2))]
    assert [(one.counted, one.solved) for one in stored if one] == [(False, None), (True, False), (True, None)]
    await puzzles.note_hint(1, game, format_day(0))
    assert await puzzles.end_puzzles(1, format_day(2), now=NOW + 2, rate=rate_try) == 0
    assert await puzzles.find_puzzle_rating(game, format_day(0)) is None


async def test_accounts_losing_on_purpose_do_not_raise_puzzle_rating(puzzles: PuzzleStore) -> None:
    for user in range(600, 600 + 12):
        await finish_try(puzzles, user, format_day(0), misses=3)
    honest = await puzzles.find_puzzle_rating(GAMES[1], format_day(1))
    lost_on_purpose = await puzzles.find_puzzle_rating(GAMES[1], format_day(0))
    assert honest is None
    assert lost_on_purpose.tried == 12
    for on in (format_day(0), format_day(1)):
        await finish_try(puzzles, 700 + int(on == format_day(1)), on)
    after = [await puzzles.find_solver_rating(user, GAMES[1]) for user in (700, 701)]
    assert after[0] == after[1], "it is worth no more to solve the one that they lost on purpose"
    for number in range(2, 12):
        await finish_try(puzzles, 800, format_day(number))
    known = await puzzles.find_solver_rating(800, GAMES[1])
    assert known.sigma <= MAX_SOLVER_SIGMA
    await finish_try(puzzles, 800, format_day(0), misses=3)
    moved = await puzzles.find_puzzle_rating(GAMES[1], format_day(0))
    assert moved.rating.mu > lost_on_purpose.rating.mu, "of somebody who is known it is learnt"


@BOTH_DATABASES
async def test_puzzle_table_lists_only_rated_players_once_guild_has_any(
    puzzles: PuzzleStore, engine: AsyncEngine
) -> None:
    tries = [
        await finish_try(puzzles, user, format_day(0), misses=2 - number, at=NOW + 10)
        for number, user in enumerate((1, 2, 3))
    ]
    assert await puzzles.share_puzzle(GUILD, tries[0], now=NOW + 20) == "listed", "nobody has"
    async with engine.begin() as connection:
        for user, rated, at, guild in (
            (2, True, NOW, GUILD),
            (3, True, NOW + 15, GUILD),
            (1, False, NOW, GUILD),
            (1, True, NOW + 1, GUILD + 1),
        ):
            await connection.execute(text(INSERT_RESULT), {"user": user, "rated": rated, "at": at, "guild": guild})
    assert await puzzles.share_puzzle(GUILD, tries[1], now=NOW + 20) == "listed"
    assert await puzzles.share_puzzle(GUILD, tries[1], now=NOW + 21) == "before"
    assert await puzzles.share_puzzle(GUILD, tries[2], now=NOW + 20) == "unlisted", "hers was after the puzzle"
    assert [row.user_id for row in await puzzles.list_shared_tries(GUILD, GAMES[1], format_day(0))] == [2, 1]
    await puzzles.unshare_puzzle(GUILD, 1, GAMES[1], format_day(0))
    assert await puzzles.share_puzzle(GUILD, tries[0], now=NOW + 22) == "unlisted", "it was not rated, or elsewhere"


def test_puzzle_rank_orders_by_solved_tries_hint_and_time() -> None:
    def build_try(answers: int, *, solved: bool = True, hinted: bool = False, at: int = NOW) -> PuzzleTry:
        return PuzzleTry(1, "triominoes", format_day(0), True, hinted, ("a",) * answers, solved, at, None)

    best_first = [
        build_try(1),
        build_try(1, at=NOW + 1),
        build_try(1, hinted=True),
        build_try(2, at=NOW - 9),
        build_try(3, hinted=True),
        build_try(3, solved=False, at=NOW - 9),
        build_try(3, solved=False, hinted=True, at=NOW - 9),
    ]
    ranks = [compute_sort_key(one) for one in best_first]
    assert ranks == sorted(ranks)
    assert len({*ranks}) == len(ranks)
