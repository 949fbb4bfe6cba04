"""Personal bests and the records of a server, compared with a simple computation from the results."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from data.store.profiles.store import ProfileStore
from data.store.results.bests import Best, RecordLine
from data.store.results.scores import EVERYWHERE, MatchResult, PlayerResult, RatingStep, Result
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, GUILD, LINUS, NOW, add_finished_match, build_result, rate_by_steps
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql
from tests.depth import scale_count

GAME = "triominoes"
DAY = 86_400_000
PEOPLE = (ADA, GRACE, LINUS, 1004, 1005)


def rate_with_low_weight(before: Any, players: Sequence[PlayerResult], history: Any = None) -> dict[int, RatingStep]:
    return {user: RatingStep(step.rating, 0.1) for user, step in rate_by_steps(before, players, history).items()}


def build_random_result(rng: Random, users: Sequence[int]) -> MatchResult:
    scores = {user: rng.randrange(-9, 30) for user in users}
    players = [
        PlayerResult(
            user_id=user,
            place=1 + sum(other > score for other in scores.values()),
            score=score,
            best_move=rng.choice((0, 5, 12, 40, 46)),
            hexagons=rng.choice((0, 0, 1, 2)),
            finished=rng.random() > 0.1,
            empty=rng.random() < 0.1,
        )
        for user, score in scores.items()
    ]
    rate, moves = rng.choice((rate_by_steps, rate_with_low_weight)), rng.choice((None, 0, 31, 60))
    return MatchResult(seats=4, players=players, rate=rate, rated=rng.random() < 0.8, moves=moves)


def compute_naive_bests(lines: Sequence[Result]) -> dict[str, Best]:
    found: dict[str, Best] = {}
    for number, line in enumerate(lines):
        row = 0
        for earlier in reversed(lines[: number + 1]):
            if earlier.won:
                row += 1
            elif earlier.place != 1 or not earlier.finished:
                break
        values = {
            "move": line.best_move,
            "hexagons": line.hexagons,
            "longest": line.moves,
            "score": line.score,
            "streak": row if line.won else 0,
        }
        for kind, value in values.items():
            if value and value > found.get(kind, Best(0, 0)).value:
                found[kind] = Best(value, line.match_id)
    return found


async def test_bests_and_records_match_results(store: Store, profiles: ProfileStore, sql: Sql) -> None:
    rng = Random(19)
    written: list[tuple[Result, ...]] = []
    for day in range(scale_count(40, least=20)):
        users = rng.sample(PEOPLE, rng.randint(1, 4))
        number = await add_finished_match(
            store,
            build_random_result(rng, users),
            guild_id=rng.choice((GUILD, GUILD, 77)),
            game=GAME,
            now=NOW + day * DAY,
        )
        written.append(await store.results.list_results(number))
    counting = {tuple(row) for row in await sql("SELECT match_id, user_id FROM results WHERE counts")}

    def compute_bests(user: int, *, counted: bool) -> dict[str, Best]:
        mine = [line for lines in written if len(lines) > 1 for line in lines if (line.user_id, line.guild_id) == who]
        return compute_naive_bests([line for line in mine if not counted or (line.match_id, user) in counting])

    for user in PEOPLE:
        who = (user, GUILD)
        assert await profiles.load_bests(user, GUILD, GAME) == compute_bests(user, counted=False)
    ada = await store.users.load_person(ADA)
    await store.matches.save_preferences(ada, replace(ada.preferences, listed=False), now=NOW)
    shown = []
    for user in PEOPLE[1:]:
        who = (user, GUILD)
        shown += [(kind, RecordLine(user, *best)) for kind, best in compute_bests(user, counted=True).items()]
    for kind, found in (await profiles.load_records(GUILD, GAME, most=9)).items():
        expected = [record for one, record in shown if one == kind]
        assert found == sorted(expected, key=lambda one: (-one.value, one.match_id)), kind
    before = await sql("SELECT * FROM bests ORDER BY 1, 2, 3, 4")
    await store.results.rebuild_standings()
    assert await sql("SELECT * FROM bests ORDER BY 1, 2, 3, 4") == before
    assert await profiles.load_bests(ADA, EVERYWHERE, GAME) == {}, "a server's, and nobody's everywhere"


async def test_total_of_zero_or_less_is_no_best(store: Store, profiles: ProfileStore) -> None:
    for score in (-5, 0):
        await add_finished_match(
            store, build_result((ADA, score), (GRACE, score - 10)), guild_id=GUILD, game=GAME, now=NOW
        )
        assert "score" not in await profiles.load_bests(ADA, GUILD, GAME)
        assert "score" not in await profiles.load_records(GUILD, GAME, most=3)


@BOTH_DATABASES
async def test_records_need_real_opponents_once_others_play(store: Store, profiles: ProfileStore) -> None:
    farmer, own = 6001, 6002

    async def play_farmed_match(day: int, score: int) -> None:
        players = [
            PlayerResult(user_id=farmer, place=1, score=score, best_move=score, hexagons=score),
            PlayerResult(user_id=own, place=2, score=0),
        ]
        await add_finished_match(
            store, MatchResult(seats=2, players=players, rate=rate_with_low_weight, moves=score), now=NOW + day * DAY
        )

    players = [PlayerResult(user_id=farmer, place=1, score=999)]
    await add_finished_match(store, MatchResult(seats=2, players=players, rate=rate_by_steps), now=NOW)
    assert await profiles.load_records(GUILD, GAME) == {}, "a match against computers alone sets none"
    for day in range(1, 8):
        await play_farmed_match(day, 100 + day)
    assert {one[0].user_id for one in (await profiles.load_records(GUILD, GAME)).values()} == {farmer}, (
        "two alone have theirs"
    )
    await add_finished_match(store, replace(build_result((ADA, 30), (GRACE, 20)), moves=44), now=NOW + 9 * DAY)
    records = await profiles.load_records(GUILD, GAME)
    assert {kind: one[0] for kind, one in records.items() if kind in ("score", "streak", "longest")} == {
        "score": RecordLine(ADA, 30, 9),
        "streak": RecordLine(ADA, 1, 9),
        "longest": RecordLine(ADA, 44, 9),
    }
    assert [one.user_id for one in records["score"]] == [ADA, GRACE]
    assert (await profiles.load_bests(farmer, GUILD, GAME))["streak"] == Best(7, 8), "their own card keeps it"


async def test_forgotten_player_has_no_record_and_no_rival(store: Store, profiles: ProfileStore) -> None:
    for day in range(3):
        await add_finished_match(store, build_result((ADA, 50 + day), (GRACE, 20)), now=NOW + day * DAY)
    assert (await profiles.load_rivalry(GUILD, ADA, GRACE)).wins == (3, 0)
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW)
    assert [one.user_id for one in (await profiles.load_records(GUILD, GAME))["score"]] == [GRACE]
    assert (await profiles.load_rivalry(GUILD, GRACE, ADA)).meetings == ()
    assert await profiles.load_bests(ADA, GUILD, GAME) == {}


async def test_two_players_are_compared_in_shared_matches(store: Store, profiles: ProfileStore) -> None:
    rng = Random(4)
    written = []
    for day in range(scale_count(30, least=20)):
        users = rng.sample(PEOPLE[:3], rng.randint(1, 3))
        game = rng.choice((GAME, "star"))
        number = await add_finished_match(store, build_random_result(rng, users), game=game, now=NOW + day * DAY)
        written.append(await store.results.list_results(number))
    for game in (None, GAME):
        both = []
        for lines in written:
            mine = {line.user_id: line for line in lines}
            if {ADA, GRACE} <= mine.keys() and game in (None, lines[0].game):
                both.append((mine[ADA], mine[GRACE]))
        found = await profiles.load_rivalry(GUILD, ADA, GRACE, game=game)
        assert [one.match_id for one in found.meetings] == [one.match_id for one, _ in both]
        order = [[(not one.finished, one.place) for one in pair] for pair in both]
        assert found.wins == (sum(a < b for a, b in order), sum(b < a for a, b in order))
        assert found.ties == len(both) - sum(found.wins)
        assert found.lead_history[-1] == found.wins[0] - found.wins[1]
        assert found.points == (sum(one.score for one, _ in both), sum(one.score for _, one in both))
        moves = [one.moves or 0 for one, _ in both]
        assert found.longest == Best(max(moves), both[moves.index(max(moves))][0].match_id)
        for seat in range(2):
            made_by = [pair[seat].best_move for pair in both]
            assert found.best_moves[seat] == Best(max(made_by), both[made_by.index(max(made_by))][0].match_id)
    there, back = (await profiles.load_rivalry(GUILD, ADA, GRACE), await profiles.load_rivalry(GUILD, GRACE, ADA))
    assert (there.wins, there.points) == (back.wins[::-1], back.points[::-1])
    assert (await profiles.load_rivalry(77, ADA, GRACE)).meetings == (), "what they played elsewhere stays there"
