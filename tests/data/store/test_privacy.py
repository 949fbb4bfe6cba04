"""The data of a user is exported completely and deleted completely."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from bot.puzzles.service import rate_try
from data.store.connection.open_database import open_engine
from data.store.connection.privacy_key import PrivacyKey, compute_fingerprint, hash_user_id
from data.store.connection.schema import metadata, to_text
from data.store.connection.store_errors import StaleVersion
from data.store.duplicates.deals import SealedDeal
from data.store.duplicates.store import DealStore
from data.store.leagues.seasons import SeasonChange
from data.store.leagues.store import SeasonStore
from data.store.log.match_values import Moderation
from data.store.operations.erasure import erase_user, export_user, remove_user_id
from data.store.outbox.outbox_values import BoardShown
from data.store.profiles.store import ProfileStore
from data.store.puzzles.store import PuzzleStore
from data.store.results.scores import EVERYWHERE
from data.store.reviews.store import ReviewStore
from data.store.solo.store import SoloStore, StoredFigure
from data.store.store import Store
from engine.leagues.season_events import SignedUp
from engine.table.preferences import Preferences
from engine.table.table_events import Asked, Joined, Paused, Replaced, Stopped
from engine.table.table_posts import Post
from engine.table.table_state import Premove, Turn
from tests.data.store.scene import ADA as HOST
from tests.data.store.scene import (
    CHANNEL,
    GUILD,
    NOW,
    add_finished_match,
    add_match,
    build_result,
    build_seat,
    commit_change,
)
from tests.data.store.seasons import build_new_season
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

DAY = "2026-11-02"
ADA, GRACE, LINUS = 111_222_333_444_555_661, 111_222_333_444_555_662, 111_222_333_444_555_663


def format_change(change: dict[str, Any]) -> str:
    return " ".join([*change, *(type(event).__name__ for event in change.get("events", ()))])


async def read_tables(sql: Sql) -> dict[str, str]:
    return {name: repr(await sql(f"SELECT * FROM {name}")) for name in metadata.tables}


async def write_match_data(store: Store) -> int:
    await store.users.set_person(ADA, quick=True, preferences=Preferences(zone="Europe/Berlin"), now=NOW)
    await add_finished_match(store, build_result((ADA, 400), (GRACE, 300), (LINUS, 200)), now=NOW)
    seats = [build_seat(0, GRACE), build_seat(1, ADA), build_seat(2, LINUS)]
    head = await add_match(
        store, channel_id=CHANNEL, host_id=ADA, state="open", seats=seats, turn=Turn(seat=1, user=ADA), request=77
    )
    posts = [Post(kind="remind", body={"user": ADA, "seat": 1, "asked": {str(ADA): 1, "all": [str(ADA), GRACE]}})]
    events = [Paused(ADA, "tea"), Asked("substitute", 0, 2, NOW + 9, person=ADA), Replaced(2, LINUS)]
    await commit_change(store, head, events=events, outbox=posts, now=NOW + 1)
    await store.guilds.set_guild(GUILD, {"asked": [ADA], "channels": [5]}, now=NOW)
    await store.alerts.subscribe(ADA, GUILD, "star", now=NOW)
    assert await store.alerts.note_alert(ADA, head.match_id, now=NOW)
    now_at = await store.matches.find_head(head.match_id)
    assert now_at is not None
    await store.matches.save_premove(now_at, ADA, Premove(seat=1, round=1, placement=None))
    assert await store.users.save_note(head.match_id, ADA, f"{ADA} wrote this", now=NOW)
    return head.match_id


async def write_other_data(store: Store, sql: Sql, match: int) -> None:
    solo, puzzles, seasons = (kind(store.transactions) for kind in (SoloStore, PuzzleStore, SeasonStore))
    await solo.save_figure(ADA, StoredFigure("bar", acts="+U0,0=012"), now=NOW)
    begun = await solo.begin_attack(ADA, DAY, practice=False, began=NOW, now=NOW)
    assert await solo.save_attack(replace(begun, acts="+", points=90, guild_id=GUILD, ended_at=NOW))
    await puzzles.begin_puzzle(ADA, "star", DAY, counted=True, now=NOW)
    tried = await puzzles.add_answer(ADA, "star", DAY, "9", right=True, counts=True, now=NOW, rate=rate_try)
    await puzzles.share_puzzle(GUILD, tried, now=NOW)
    season = await seasons.announce_season(build_new_season(), now=NOW)
    change = SeasonChange(
        season_id=season.season_id,
        expected_seq=season.seq,
        events=[SignedUp(1)],
        state="signup",
        due_at=NOW,
        signup=(1, ADA),
    )
    await seasons.change_season(change, now=NOW)
    deal = SealedDeal(
        guild_id=GUILD, channel_id=CHANNEL, name="amber-otter", terms={}, secret=bytes(32), made_at=NOW, closes_at=NOW
    )
    stored = await DealStore(store.transactions).create_deal(deal)
    insert_sitter = "INSERT INTO deal_sitters (deal_id, user_id, match_id) VALUES (:deal, :user, :match)"
    await sql(insert_sitter, deal=stored.deal_id, user=ADA, match=match)


USER_TABLES = {name for name, known in metadata.tables.items() if {"user_id", "host_id"} & {*known.columns.keys()}}


@BOTH_DATABASES
async def test_forgotten_user_is_left_in_no_column(store: Store, sql: Sql):
    match = await write_match_data(store)
    await write_other_data(store, sql, match)
    before = await read_tables(sql)
    holding = {name for name, text in before.items() if str(ADA) in text}
    assert holding == {*USER_TABLES, "outbox", "guilds"}, "every table that can, and the log is not among them"
    assert await store.erasure.erase_user(ADA, left_match_ids=[match], now=NOW + 2)
    after = await read_tables(sql)
    assert [name for name, text in after.items() if str(ADA) in text] == []
    assert await store.erasure.list_user_ids() == {GRACE, LINUS, HOST}


async def test_forgetting_user_keeps_data_of_others(store: Store, profiles: ProfileStore, sql: Sql):
    match = await write_match_data(store)
    ratings = "SELECT * FROM standings WHERE user_id <> :user ORDER BY 1, 2, 3"
    lines = "SELECT * FROM results WHERE user_id <> :user ORDER BY 1, 2"
    others = await sql(ratings, user=ADA), await sql(lines, user=ADA)
    await store.erasure.erase_user(ADA, left_match_ids=[match], now=NOW + 2)
    assert (await sql(ratings, user=ADA), await sql(lines, user=ADA)) == others
    assert [row.user_id for row in await store.matches.list_seats(match)] == [GRACE, None, LINUS]
    head = await store.matches.find_head(match)
    assert head.host_id == 0
    (post,) = await store.outbox.list_due(NOW + 2, 10)
    assert post.body == {"user": None, "seat": 1, "asked": {"all": [None, GRACE]}}
    assert head.is_board_outdated, "the board that shows the name is drawn again"
    assert (await store.guilds.load_guild(GUILD)).settings == {"asked": [None], "channels": [5]}
    for is_recent in (False, True):
        board = await profiles.load_leaderboard(EVERYWHERE, "triominoes", is_recent=is_recent)
        assert ([row.user_id for row in board.rows], board.total) == ([GRACE, LINUS], 2)
    assert await store.matches.list_moderations(match) == (
        Moderation(match_id=match, seq=2, kind="paused", reason="tea", seat=None, user_id=None, at=NOW + 1),
    )


async def test_user_named_only_in_log_or_json_is_known(store: Store):
    head = await add_match(store, state="open")
    asked = Asked("substitute", 0, 0, NOW + 86_400_000, person=ADA)
    posts = [Post(kind="settled", body={"asked": [str(GRACE)], "by": None})]
    typed = Paused(None, f"<@{LINUS}> has asked for it")
    await commit_change(store, head, events=[asked, typed], outbox=posts)
    assert await store.erasure.list_user_ids() == {ADA, GRACE, LINUS, HOST}


async def test_board_naming_forgotten_substitute_is_drawn_again(store: Store):
    opened = await add_match(store, state="open")
    head = await commit_change(store, opened, events=[Asked("substitute", 0, 0, NOW + 9, person=ADA)])
    await store.outbox.note_shown(head.match_id, seq=head.seq, message_id=5)
    assert await store.erasure.erase_user(GRACE, left_match_ids=[], now=NOW)
    assert await store.matches.list_outdated_heads(10) == []
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW)
    assert [dirty.match_id for dirty in await store.matches.list_outdated_heads(10)] == [head.match_id]


async def test_seated_player_is_not_forgotten_before_leaving_match(store: Store, sql: Sql):
    await write_match_data(store)
    before = await read_tables(sql)
    assert not await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW + 2)
    assert await read_tables(sql) == before


@pytest.mark.parametrize(
    "change",
    [
        {"state": "done", "result": build_result((ADA, 400), (GRACE, 300))},
        {"turn": Turn(seat=1, user=ADA)},
        {"seats": [build_seat(0, GRACE), build_seat(1, ADA)]},
        {"host_id": ADA},
        {"events": [Asked("substitute", 0, 0, NOW + 9, person=ADA)]},
        {"events": [Joined(ADA)]},
        {"events": [Replaced(0, ADA)]},
        {"events": [Paused(ADA, "tea")]},
        {"outbox": [Post(kind="agreement", body={"user": ADA})]},
    ],
    ids=format_change,
)
async def test_stale_commit_does_not_restore_forgotten_user(store: Store, sql: Sql, change: dict[str, Any]):
    seats = [build_seat(0, GRACE), build_seat(1, ADA)]
    head = await add_match(store, state="open", seats=seats)
    assert await store.erasure.erase_user(ADA, left_match_ids=[head.match_id], now=NOW)
    with pytest.raises(StaleVersion):
        await commit_change(store, head, **change)
    assert str(ADA) not in repr(await read_tables(sql))
    log = await sql("SELECT seq, kind, body FROM events ORDER BY seq")
    assert log[head.seq :] == [(head.seq + 1, "forgotten", "{}")], "the log has no gap"


async def test_board_in_progress_is_drawn_again_after_user_is_forgotten(store: Store):
    head = await add_match(store, state="open", seats=[build_seat(0, ADA)])
    batch = await store.outbox.lease_due_posts(head.match_id, nonce="n", now=NOW)
    assert await store.erasure.erase_user(ADA, left_match_ids=[head.match_id], now=NOW)
    await store.outbox.note_statuses([BoardShown(batch.rows[0], head, 5)], now=NOW)
    assert [dirty.match_id for dirty in await store.matches.list_outdated_heads(10)] == [head.match_id]


async def test_forgetting_twice_or_unknown_user_changes_nothing(store: Store, sql: Sql):
    match = await write_match_data(store)
    await store.erasure.erase_user(ADA, left_match_ids=[match], now=NOW + 2)
    once = await read_tables(sql)
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW + 2)
    assert await read_tables(sql) == once
    assert await store.erasure.erase_user(5, left_match_ids=[], now=NOW + 2)


async def test_fingerprint_of_forgotten_user_does_not_reveal_user(store: Store):
    await write_match_data(store)
    await store.erasure.erase_user(HOST, left_match_ids=[1, 2], now=NOW)
    ((mark, at),) = (await store.erasure.load_fingerprints()).items()
    assert (len(mark), at) == (64, NOW)
    # One fingerprint in seventy contains a given number of three digits by chance.
    long = 10**17 + HOST
    assert str(long) not in compute_fingerprint(bytes(32), long)
    assert mark not in {hash_user_id(user_id) for user_id in range(HOST - 500, HOST + 500)}, (
        "who counts through all ids"
    )
    theirs = {compute_fingerprint(bytes(32), GRACE): NOW - 5}
    await store.erasure.save_fingerprints({**theirs, mark: NOW - 5})
    assert await store.erasure.load_fingerprints() == {mark: NOW - 5, **theirs}


async def test_returning_user_is_recognised_by_fingerprint(store: Store):
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW)
    (mark,) = await store.erasure.load_fingerprints()
    await write_match_data(store)
    assert await store.erasure.list_users_by_fingerprint([mark]) == [ADA]
    assert await store.erasure.list_users_by_fingerprint([hash_user_id(ADA), compute_fingerprint(bytes(32), ADA)]) == []


@BOTH_DATABASES
async def test_export_has_all_data_of_user_and_no_others(store: Store):
    match = await write_match_data(store)
    held = await store.erasure.export_user(ADA)
    json.dumps(held)
    assert held["settings"][0]["quick"] is True
    assert held["settings"][0]["preferences"] == json.loads(to_text(Preferences(zone="Europe/Berlin")))
    assert [(row["match_id"], row["seat"], row["state"]) for row in held["seats"]] == [
        (1, 0, "done"),
        (match, 1, "open"),
    ]
    assert (held["hosted"], held["turns"]) == ([match], [match])
    assert not re.search(r"\b77\b", json.dumps(held)), (
        "a number that stands for a press tells of nobody, and may be somebody else's"
    )
    assert [(row["match_id"], row["place"], row["score"]) for row in held["results"]] == [(1, 1, 400)]
    assert [row["guild_id"] for row in held["standings"]] == [EVERYWHERE, GUILD]
    assert [(row["match_id"], row["seq"]) for row in held["moderations"]] == [(match, 2)]
    assert held["named_in"] == [
        {"table": "outbox", "dedupe": f"{match:x}-4-0-{NOW // 1000:x}"},
        {"table": "guilds", "guild_id": GUILD},
    ]
    assert str(GRACE) not in json.dumps(held)


async def test_export_covers_every_table_with_user_column(store: Store, reviews: ReviewStore, sql: Sql):
    match = await write_match_data(store)
    await write_other_data(store, sql, match)
    await reviews.save_review(1, "{}", {0: {"accuracy": 87.5}}, now=NOW)
    held = await store.erasure.export_user(ADA)
    export_names = {"people": "settings", "matches": "hosted", "participants": "tables", "entrants": "seasons"}
    assert [name for name in sorted(USER_TABLES) if not held[export_names.get(name, name)]] == []
    assert [one["facts"] for one in held["reviews"]] == [{"accuracy": 87.5}]
    assert await store.erasure.erase_user(ADA, left_match_ids=[match], now=NOW + 2)
    assert [name for name, rows in (await store.erasure.export_user(ADA)).items() if rows] == []


async def test_export_lists_moderation_reasons_that_name_user(store: Store):
    opened = await add_match(store, state="open")
    head = await commit_change(store, opened, events=[Paused(HOST, "tea")])
    await commit_change(store, head, events=[Stopped(HOST, f"<@{ADA}> has left")], state="void")
    assert (await store.erasure.export_user(ADA))["named_in"] == [
        {"table": "events", "match_id": head.match_id, "seq": 3}
    ]
    assert (await store.erasure.export_user(HOST))["named_in"] == []


@pytest.mark.parametrize(
    "tie",
    [
        {"seats": [build_seat(0, GRACE), build_seat(1, ADA)]},
        {"host_id": ADA},
        {"by": ADA},
        {"by": LINUS},
        {"outbox": [Post(kind="settled", body={"asked": [ADA]})]},
        {"state": "open"},
    ],
    ids=format_change,
)
async def test_match_of_user_is_found_by_any_link(store: Store, sql: Sql, tie: dict[str, Any]):
    head = await add_match(store, host_id=GRACE, seats=[build_seat(0, GRACE)])
    tie = dict(tie)
    stopped = Stopped(tie.pop("by", None), f"asked by <@{ADA}>")
    await commit_change(store, head, **{"events": [stopped], "state": "void"} | tie)
    position = {"table": "events", "match_id": head.match_id, "seq": 2}
    assert position in (await store.erasure.export_user(ADA))["named_in"]
    assert await store.erasure.erase_user(ADA, left_match_ids=[head.match_id], now=NOW)
    ((body,),) = await sql("SELECT body FROM events WHERE seq = 2")
    assert json.loads(str(body))["reason"] == f"asked by <@{ADA}>", "what a moderator typed stays as it was typed"
    assert ADA not in {act.user_id for act in await store.matches.list_moderations(head.match_id)}


async def test_export_and_forgetting_use_index_on_events(tmp_path: Path):
    engine = await open_engine(f"sqlite:///{tmp_path}/boneyard.db")
    asked: list[tuple[str, Any]] = []
    event.listen(engine.sync_engine, "before_cursor_execute", lambda *said: asked.append((said[2], said[3])))
    store = Store(engine)
    head = await add_match(store)
    await commit_change(store, head, events=[Paused(ADA, "tea")])
    async with engine.begin() as connection:
        await export_user(connection, ADA)
        assert await erase_user(connection, ADA, [head.match_id], PrivacyKey(engine.url), NOW)
        plans = [
            [row.detail for row in await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)]
            for statement, given in asked.copy()
            if "FROM events" in statement
        ]
    await engine.dispose()
    assert len(plans) == 2
    for plan in plans:
        assert any("events USING INDEX ix_events_rulings" in step for step in plan), plan


async def test_export_of_unknown_user_is_empty(store: Store):
    held = await store.erasure.export_user(ADA)
    assert set(map(len, held.values())) == {0}


def test_user_id_is_removed_from_json_at_any_depth():
    held = {"a": [1, {"b": ADA, "c": str(ADA)}], str(ADA): {"x": 1}, "d": True, "e": None, "f": 1.5}
    assert remove_user_id(held, ADA) == {"a": [1, {"b": None, "c": None}], "d": True, "e": None, "f": 1.5}
