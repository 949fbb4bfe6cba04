"""Results, standings and leaderboards, compared with simple sums over all rows."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from bot.tables.ratings import rate
from data.store.log.match_values import Head
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE, History, LeaderboardPage, LeaderRow, MatchResult, PlayerResult, Rating
from data.store.store import Store
from tests.data.store.scene import (
    ADA,
    GRACE,
    GUILD,
    LINUS,
    NOW,
    add_finished_match,
    build_result,
    commit_change,
    rate_by_steps,
)
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql
from tests.depth import scale_count

GAME = "triominoes"
DAY = 86_400_000
MONTH = 30 * DAY


async def test_finished_match_writes_results_of_all_players(store: Store):
    players = [
        PlayerResult(user_id=ADA, place=2, score=-15, best_move=30, hexagons=1, bridges=2),
        PlayerResult(user_id=GRACE, place=1, score=410, best_move=66, hexagons=2, bridges=0),
    ]
    number = await add_finished_match(store, MatchResult(seats=3, players=players, rate=rate_by_steps), now=NOW)
    lines = await store.results.list_results(number)
    assert {(one.match_id, one.guild_id, one.game, one.seats, one.people, one.rated) for one in lines} == {
        (number, GUILD, GAME, 3, 2, True)
    }
    assert [(one.user_id, one.place, one.score, one.best_move, one.hexagons, one.bridges) for one in lines] == [
        (GRACE, 1, 410, 66, 2, 0),
        (ADA, 2, -15, 30, 1, 2),
    ]
    assert [(one.won, one.before, one.after, one.ended_at) for one in lines] == [
        (True, None, Rating(26.0, 7.5), NOW),
        (False, None, Rating(24.0, 7.5), NOW),
    ]
    ada = await store.results.find_profile(ADA, GUILD, GAME)
    assert (ada.matches, ada.wins, ada.points, ada.best_score) == (1, 0, -15, -15)
    assert (ada.best_move, ada.hexagons, ada.bridges) == (30, 1, 2)
    assert (ada.rating, ada.opponents, ada.finished, ada.rank) == (Rating(24.0, 7.5), 1, 1, None)


async def test_profile_adds_up_matches(store: Store):
    for day, scores in enumerate([((ADA, 300), (GRACE, 400)), ((ADA, 402), (GRACE, 120)), ((ADA, 401), (LINUS, 401))]):
        await add_finished_match(store, build_result(*scores), now=NOW + day * DAY)
    ada = await store.results.find_profile(ADA, GUILD, GAME)
    assert (ada.matches, ada.wins, ada.points, ada.best_score) == (3, 2, 1103, 402)
    assert (ada.rating, ada.opponents, ada.finished, ada.rank) == (Rating(25.0, 6.5), 2, 3, None)
    assert ada.average == 1103 / 3
    assert await store.results.find_profile(4711, GUILD, GAME) is None
    assert await store.results.find_profile(ADA, GUILD, "trioker") is None


async def test_result_shows_rating_of_its_guild(store: Store):
    await add_finished_match(store, build_result((ADA, 2), (GRACE, 1)), guild_id=1, now=NOW)
    elsewhere = await add_finished_match(store, build_result((ADA, 2), (GRACE, 1)), guild_id=2, now=NOW + 1)
    ada, _ = await store.results.list_results(elsewhere)
    assert (ada.before, ada.after) == (None, Rating(26.0, 7.5))
    outside = await add_finished_match(store, build_result((ADA, 2), (GRACE, 1)), guild_id=EVERYWHERE, now=NOW + 2)
    ada, _ = await store.results.list_results(outside)
    assert (ada.before, ada.after) == (Rating(27.0, 7.0), Rating(28.0, 6.5))


async def test_match_against_only_computers_counts_but_is_unrated(store: Store):
    number = await add_finished_match(store, build_result((ADA, 400), seats=4), now=NOW)
    (line,) = await store.results.list_results(number)
    assert (line.rated, line.people, line.seats, line.won, line.before, line.after) == (False, 1, 4, True, None, None)
    ada = await store.results.find_profile(ADA, GUILD, GAME)
    assert (ada.matches, ada.wins, ada.points, ada.rating) == (1, 1, 400, None)


async def test_unrated_match_changes_no_rating_even_after_rebuild(store: Store, sql: Sql):
    await add_finished_match(store, build_result((ADA, 2), (GRACE, 1)), now=NOW)
    unrated = await add_finished_match(store, build_result((GRACE, 9), (ADA, 1), (LINUS, 0), rated=False), now=NOW + 1)
    assert [(line.rated, line.before, line.after) for line in await store.results.list_results(unrated)] == [
        (False, None, None)
    ] * 3
    profiles = [await store.results.find_profile(user, GUILD, GAME) for user in (ADA, GRACE, LINUS)]
    assert [(one.matches, one.wins, one.rating) for one in profiles if one] == [
        (2, 1, Rating(26.0, 7.5)),
        (2, 1, Rating(24.0, 7.5)),
        (1, 0, None),
    ]
    await add_finished_match(store, build_result((ADA, 2), (GRACE, 1)), now=NOW + 2)
    written = await read_standings(sql)
    await store.results.rebuild_standings()
    assert await read_standings(sql) == written


async def test_match_in_which_only_computers_were_left_writes_nothing(store: Store, profiles: ProfileStore):
    number = await add_finished_match(store, MatchResult(seats=3, players=[], rate=rate_by_steps), now=NOW)
    assert await store.results.list_results(number) == ()
    assert (await profiles.load_leaderboard(GUILD, GAME)).total == 0


async def test_unfinished_match_writes_no_result(store: Store, head: Head):
    with pytest.raises(ValueError, match="must be done"):
        await commit_change(store, head, result=build_result((ADA, 1)))


async def test_empty_leaderboard_has_one_empty_page(profiles: ProfileStore):
    for is_recent in (False, True):
        board = await profiles.load_leaderboard(GUILD, GAME, is_recent=is_recent)
        assert board == LeaderboardPage(rows=(), total=0, page=0, pages=1)
        assert await profiles.find_own_row(GUILD, GAME, ADA, is_recent=is_recent) is None


@BOTH_DATABASES
async def test_all_time_leaderboard_lists_unranked_players_last(store: Store, profiles: ProfileStore):
    await add_finished_match(store, build_result((7, 900)), now=NOW)  # only computers, one win
    await add_finished_match(store, build_result((8, 10)), now=NOW + 1)  # only computers, one win, fewer points
    await add_finished_match(store, build_result((9, 10)), now=NOW + 2)  # the same as 8
    first = build_result((ADA, 3), (GRACE, 2), (LINUS, 2), (4, 1))
    await add_finished_match(store, first, now=NOW + 3)
    board = await profiles.load_leaderboard(GUILD, GAME)
    assert {row.rank for row in board.rows} == {None}, "nobody is sure enough after one match"
    await add_finished_match(store, first, now=NOW + 4)
    await add_finished_match(store, build_result((5, 9), (LINUS, 0)), now=NOW + 5)  # has met one opponent
    board = await profiles.load_leaderboard(GUILD, GAME)
    assert [(row.rank, row.user_id, row.rating and row.rating.mu) for row in board.rows] == [
        (1, ADA, 31.0),
        (2, GRACE, 25.0),
        (3, LINUS, 24.0),
        (4, 4, 19.0),
        (None, 7, None),
        (None, 9, None),
        (None, 8, None),
        (None, 5, 26.0),
    ]
    assert board.rows[0] == LeaderRow(
        rank=1, user_id=ADA, rating=Rating(31.0, 7.0), opponents=3, matches=2, wins=2, points=6
    )


@BOTH_DATABASES
async def test_hidden_player_is_on_no_leaderboard_and_others_move_up(store: Store, profiles: ProfileStore, sql: Sql):
    match = build_result((ADA, 3), (GRACE, 2), (LINUS, 1), (4, 0))
    for number in range(2):
        await add_finished_match(store, match, now=NOW + number)
    before = await read_standings(sql)
    person = await store.users.load_person(ADA)
    hidden = replace(person.preferences, listed=False)
    await store.matches.save_preferences(person, hidden, now=NOW)
    for is_recent in (False, True):
        board = await profiles.load_leaderboard(GUILD, GAME, is_recent=is_recent)
        assert [(row.rank, row.user_id) for row in board.rows] == [(1, GRACE), (2, LINUS), (3, 4)]
        mine = await profiles.find_own_row(GUILD, GAME, ADA, is_recent=is_recent)
        assert (mine.rank, mine.hidden, mine.matches) == (None, True, 2)
    profile = await store.results.find_profile(ADA, GUILD, GAME)
    assert (profile.rank, profile.rating, profile.matches) == (None, Rating(31.0, 7.0), 2)
    await add_finished_match(store, match, guild_id=GUILD + 1, now=NOW + 2)
    assert [row.user_id for row in (await profiles.load_leaderboard(GUILD + 1, GAME)).rows] == [GRACE, LINUS, 4]
    written = await read_standings(sql)
    await store.results.rebuild_standings()
    assert await read_standings(sql) == written
    await sql("DELETE FROM results WHERE guild_id <> :guild", guild=GUILD)
    await store.matches.save_preferences(replace(person, preferences=hidden), person.preferences, now=NOW)
    await store.results.rebuild_standings()
    assert await read_standings(sql) == before, "nothing was deleted"


async def test_player_who_left_gets_result_without_win(store: Store):
    won = PlayerResult(user_id=ADA, place=1, score=9, empty=True, fair=False)
    left = PlayerResult(user_id=GRACE, place=1, score=9, finished=False, weight=0.5)
    number = await add_finished_match(store, MatchResult(seats=2, players=[won, left], rate=rate), now=NOW)
    lines = {line.user_id: line for line in await store.results.list_results(number)}
    assert {user: (line.won, line.rated, line.finished) for user, line in lines.items()} == {
        ADA: (False, False, True),
        GRACE: (False, False, False),
    }
    shown = [await store.results.find_profile(user, GUILD, GAME) for user in (ADA, GRACE)]
    assert [(one.matches, one.wins, one.finished, one.rating) for one in shown if one] == [
        (1, 0, 1, None),
        (1, 0, 0, None),
    ]


async def test_page_past_end_shows_last_page(store: Store, profiles: ProfileStore):
    for user in range(1, 24):
        await add_finished_match(store, build_result((user, user)), now=NOW + user)
    for is_recent in (False, True):
        board = await profiles.load_leaderboard(GUILD, GAME, is_recent=is_recent, page=9)
        assert [row.user_id for row in board.rows] == [3, 2, 1]
        assert (board.page, board.pages, board.total) == (2, 3, 23)
        assert (await profiles.load_leaderboard(GUILD, GAME, is_recent=is_recent, page=-1)).page == 0


@dataclass
class NaiveLeaderboard:
    results: list[tuple[int, int, MatchResult]] = field(default_factory=list)

    def compute_ranks(self, ratings: dict[int, Rating], guild_opponents: dict[int, set[int]]) -> dict[int, float]:
        certain_ratings = {
            user: rating for user, rating in ratings.items() if rating.sigma <= 7 and len(guild_opponents[user]) > 2
        }
        return {user: round(rating.mu, 4) for user, rating in certain_ratings.items()}

    def find_ranked_users(
        self, ratings: dict[int, Rating], guild_opponents: dict[int, set[int]], users: list[int]
    ) -> frozenset[int] | None:
        ranks = self.compute_ranks(ratings, guild_opponents)
        return frozenset(ranks) & set(users) if len(ranks) > 3 and 3 * len(ranks) >= len(ratings) else None

    def compute_lines(self, guild: int, since: int | None) -> list[tuple[int | None, int, int, int, int]]:
        ratings: dict[int, Rating] = {}
        opponents: dict[int, set[int]] = defaultdict(set)
        guild_opponents: dict[int, set[int]] = defaultdict(set)
        meetings: list[tuple[int, frozenset[int]]] = []
        left: list[tuple[int, int]] = []
        sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
        for where, when, result in self.results:
            users = [player.user_id for player in result.players]
            counting = [(at, pair) for at, pair in meetings if at >= when - MONTH]
            history = History(
                repeat_counts={
                    pair: sum(both == set(pair) for _, both in counting) for pair in combinations(sorted(users), 2)
                },
                opponents={user: frozenset(opponents[user]) for user in users},
                unfinished_counts=Counter(user for at, user in left if at >= when - MONTH),
            )
            counts = guild in (EVERYWHERE, where)
            known = {user: ratings[user] for user in users if user in ratings} if counts else {}
            if counts:
                history = replace(history, ranked=self.find_ranked_users(ratings, guild_opponents, users))
            settled = rate(known, result.players, history) if result.rated and len(users) > 1 else {}
            if counts:
                ratings |= {user: found.rating for user, found in settled.items()}
            for one, two in combinations(sorted(settled), 2):
                meetings.append((when, frozenset((one, two))))
                for mine, other in ((one, two), (two, one)):
                    opponents[mine].add(other)
                    if counts:
                        guild_opponents[mine].add(other)
            left += [(when, player.user_id) for player in result.players if not player.finished]
            if not counts or (since is not None and when < since):
                continue
            for player in result.players:
                own_sums, user = sums[player.user_id], player.user_id
                weighs = len(users) == 1 or (user in settled and settled[user].weight >= 1 / 3)
                own_sums[0] += 1
                own_sums[1] += player.won and (weighs or since is None)
                own_sums[2] += player.score
                own_sums[3] |= user in settled
        ranked = self.compute_ranks(ratings, guild_opponents)

        def compute_key(user: int) -> tuple[object, ...]:
            matches, wins, points, rated, _ = sums[user]
            if since is not None:
                return (-(rated and len(guild_opponents[user]) > 2), -wins, -Fraction(points, matches))
            if user in ranked:
                return (0, -ranked[user])
            return (1, -wins, -points)

        order = sorted(
            sums, key=lambda user: (compute_key(user), *[-n for n in sums[user][1:3]] * (since is None), -user)
        )
        keys = [compute_key(user) for user in order]
        has_rank = [bool(keys[place][0]) if since is not None else user in ranked for place, user in enumerate(order)]
        return [
            (1 + keys.index(compute_key(user)) if has_rank[place] else None, user, *sums[user][:3])  # type: ignore[misc]
            for place, user in enumerate(order)
        ]


async def test_leaderboard_of_many_results_equals_naive_ranking(store: Store, profiles: ProfileStore, sql: Sql):
    rng = Random(20)
    naive = NaiveLeaderboard()
    for number in range(results := scale_count(80)):
        users = rng.sample(range(1, 90), rng.choice([1, 2, 3, 5, 6, 6]))
        if rng.random() < 0.2:
            users = [90 + rng.randrange(20)]  # players who never meet another player
        scores = [(user, rng.randrange(-3, 5) * 10) for user in users]
        guild, now = rng.choice([1, 1, 1, 2]), NOW + number * 90 * DAY // results
        result = build_result(*scores, rate=rate, rated=rng.random() < 0.7)
        result = replace(result, players=[randomize_conduct(player, rng) for player in result.players])
        naive.results.append((guild, now, result))
        await add_finished_match(store, result, guild_id=guild, now=now)
    assert sum(len(result.players) for _, _, result in naive.results) > 2.3 * results
    for since in (None, NOW, NOW + 60 * DAY, NOW + 85 * DAY):
        if since is not None:
            while not await store.results.advance_recent_period(since, limit=40):
                pass
        is_recent = since is not None
        for guild in (1, 2, EVERYWHERE):
            expected = naive.compute_lines(guild, since)
            found: list[LeaderRow] = []
            for page in range(-(-len(expected) // 7)):
                board = await profiles.load_leaderboard(guild, GAME, is_recent=is_recent, page=page, size=7)
                assert (board.page, board.total) == (page, len(expected))
                found += board.rows
            assert [(row.rank, row.user_id, row.matches, row.wins, row.points) for row in found] == expected
            for row in rng.sample(found, min(5, len(found))):
                assert await profiles.find_own_row(guild, GAME, row.user_id, is_recent=is_recent) == row
                profile = await store.results.find_profile(row.user_id, guild, GAME)
                assert profile.rating == row.rating
                if since is None:
                    assert (profile.rank, profile.wins, profile.points) == (row.rank, row.wins, row.points)
    written = await read_standings(sql)
    await store.results.rebuild_standings()
    assert await read_standings(sql) == written


def randomize_conduct(player: PlayerResult, rng: Random) -> PlayerResult:
    finished = rng.random() > 0.1
    return replace(player, fair=rng.random() > 0.1, finished=finished, weight=1.0 if finished else rng.random())


async def read_standings(sql: Sql) -> list[object]:
    tables = ("standings", "recents", "bests", "bands WHERE people <> 0")
    return [await sql(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]


async def test_expired_results_leave_recent_standings_in_batches_once(store: Store, profiles: ProfileStore):
    for minute in range(6):
        await add_finished_match(store, build_result((ADA, 10 + minute), (GRACE, 5)), now=NOW + minute)
    assert not await store.results.advance_recent_period(NOW + 5, limit=3)
    ada = await profiles.find_own_row(GUILD, GAME, ADA, is_recent=True)
    assert (ada.matches, ada.points) == (4, 12 + 13 + 14 + 15), "a match leaves with all of its results"
    assert not await store.results.advance_recent_period(NOW + 5, limit=3)
    assert await store.results.advance_recent_period(NOW + 5, limit=3)
    assert await store.results.advance_recent_period(NOW, limit=3), "what is out stays out"
    ada = await profiles.find_own_row(GUILD, GAME, ADA, is_recent=True)
    assert (ada.matches, ada.wins, ada.points) == (1, 1, 15)
    assert await store.results.advance_recent_period(NOW + 9)
    for guild in (GUILD, EVERYWHERE):
        assert (await profiles.load_leaderboard(guild, GAME, is_recent=True)).total == 0
        assert (await profiles.load_leaderboard(guild, GAME)).total == 2


async def test_recent_rank_lasts_until_matches_with_opponents_expire(store: Store, profiles: ProfileStore):
    await add_finished_match(store, build_result((ADA, 10), (GRACE, 20), (4, 0), (5, 0)), now=NOW)
    await add_finished_match(store, build_result((ADA, 500)), now=NOW + 1)
    await add_finished_match(store, build_result((LINUS, 1), (GRACE, 2), (4, 0), (5, 0)), now=NOW + 2)
    ranks = [(row.rank, row.user_id) for row in (await profiles.load_leaderboard(GUILD, GAME, is_recent=True)).rows]
    assert ranks[:3] == [(1, GRACE), (2, ADA), (3, LINUS)]
    await store.results.advance_recent_period(NOW + 1)
    ranks = [(row.rank, row.user_id) for row in (await profiles.load_leaderboard(GUILD, GAME, is_recent=True)).rows]
    assert (ranks[0], ranks[1], ranks[-1]) == ((1, GRACE), (2, LINUS), (None, ADA))
