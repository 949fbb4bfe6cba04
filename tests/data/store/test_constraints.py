"""The constraints of the SQL tables refuse invalid rows."""

import pytest
from sqlalchemy.exc import IntegrityError

from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

SECRET = bytes(32)


@pytest.fixture
async def match(sql: Sql) -> int:
    await _insert_match(sql)
    return 1


async def _insert_match(sql: Sql, **changes: object) -> None:
    defaults: dict[str, object] = {
        "game": "triominoes",
        "guild_id": 1,
        "channel_id": 2,
        "host_id": 3,
        "state": "open",
        "seq": 1,
        "shown_seq": 0,
        "turn_seat": None,
        "turn_user": None,
        "due_at": None,
        "due_kind": None,
        "secret": SECRET,
        "created_at": 1,
        "updated_at": 1,
    }
    await _insert(sql, "matches", **(defaults | changes))


async def _insert(sql: Sql, name: str, **values: object) -> None:
    await sql(f"INSERT INTO {name} ({', '.join(values)}) VALUES ({', '.join(':' + key for key in values)})", **values)


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "paused"},
        {"shown_seq": 2},
        {"due_at": 5},
        {"due_kind": "remind"},
        {"turn_user": 5},
        {"state": "done", "turn_seat": 0},
        {"state": "void", "due_at": 5, "due_kind": "remind"},
        {"secret": bytes(31)},
        {"game": None},
    ],
)
@BOTH_DATABASES
async def test_contradictory_match_row_is_refused(sql: Sql, wrong: dict[str, object]):
    with pytest.raises(IntegrityError):
        await _insert_match(sql, **wrong)
    assert await sql("SELECT count(*) FROM matches") == [(0,)]


async def test_user_has_one_seat_and_seat_has_one_user(sql: Sql, match: int):
    await _insert(sql, "seats", match_id=match, seat=0, user_id=5, joined_at=1)
    for wrong in (
        {"seat": 1, "user_id": 5},
        {"seat": 0, "user_id": 6},
        {"seat": 1, "user_id": 6, "computer": "greedy"},
    ):
        with pytest.raises(IntegrityError):
            await _insert(sql, "seats", match_id=match, joined_at=1, **wrong)


async def test_participant_number_and_user_are_unique_per_match(sql: Sql, match: int):
    await _insert(sql, "participants", match_id=match, number=0, user_id=5)
    for wrong in ({"number": 0, "user_id": 6}, {"number": 1, "user_id": 5}):
        with pytest.raises(IntegrityError):
            await _insert(sql, "participants", match_id=match, **wrong)


@pytest.mark.parametrize("wrong", [{"dedupe": "same"}, {"dedupe": "x" * 26}, {"next_at": 5, "message_id": 6}])
async def test_post_that_could_be_sent_twice_is_refused(sql: Sql, match: int, wrong: dict[str, object]):
    usual: dict[str, object] = {
        "match_id": match,
        "channel_id": 2,
        "kind": "turn",
        "dedupe": "same",
        "body": "{}",
        "attempts": 0,
        "created_at": 1,
    }
    await _insert(sql, "outbox", **usual)
    # For a text that is too long, PostgreSQL raises another error of the same class.
    with pytest.raises(Exception, match=r"(?i)unique|check|too long"):
        await _insert(sql, "outbox", **(usual | {"dedupe": "other"} | wrong))
    assert await sql("SELECT count(*) FROM outbox") == [(1,)]


@pytest.mark.parametrize("name", ["events", "participants", "requests", "seats", "outbox"])
async def test_rows_cannot_refer_to_missing_match(sql: Sql, name: str):
    values: dict[str, dict[str, object]] = {
        "events": {"seq": 1, "kind": "left", "body": "{}", "at": 1},
        "participants": {"number": 0, "user_id": 5},
        "requests": {"interaction_id": 1, "seq": 1, "at": 1},
        "seats": {"seat": 0, "joined_at": 1},
        "outbox": {"channel_id": 1, "kind": "x", "dedupe": "y", "body": "{}", "attempts": 0, "created_at": 1},
    }
    with pytest.raises(IntegrityError):
        await _insert(sql, name, match_id=404, **values[name])


async def test_deleting_match_deletes_its_rows_but_keeps_results(sql: Sql, match: int):
    await _insert(sql, "events", match_id=match, seq=1, kind="joined", body="{}", at=1)
    await _insert(sql, "seats", match_id=match, seat=0, joined_at=1)
    await _insert(sql, "participants", match_id=match, number=0, user_id=5)
    facts = dict.fromkeys(("guild_id", "place", "seats", "people", "score", "best_move", "hexagons", "bridges"), 1)
    await _insert(sql, "results", match_id=match, user_id=5, game="g", rated=False, won=True, ended_at=1, **facts)
    await sql("DELETE FROM matches")
    left = [
        (await sql(f"SELECT count(*) FROM {name}"))[0][0] for name in ("events", "seats", "participants", "results")
    ]
    assert left == [0, 0, 0, 1]


async def test_incomplete_rating_is_refused(sql: Sql):
    sums = dict.fromkeys(("matches", "wins", "points", "best_score", "best_move", "hexagons", "bridges"), 1)
    with pytest.raises(IntegrityError):
        await _insert(sql, "standings", guild_id=0, game="g", user_id=1, updated_at=1, mu=25.0, **sums)


async def test_unknown_mention_setting_is_refused(sql: Sql):
    with pytest.raises(IntegrityError):
        await _insert(sql, "people", user_id=1, quick=False, pings="pigeon", created_at=1)
