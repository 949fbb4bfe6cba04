"""The users of a log: events have numbers, and one SQL table maps them to users."""

import json
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.schema import to_text
from data.store.connection.store_errors import DamagedLog
from data.store.log.match_values import Change, Moderation
from data.store.store import Store
from engine.table.evolve import replay
from engine.table.people import list_event_users, rename_users
from engine.table.table_events import (
    RULING_EVENTS,
    Answered,
    Asked,
    Freed,
    Joined,
    Kept,
    Left,
    LogEvent,
    Opened,
    Paused,
    Replaced,
    Resumed,
    Skipped,
    Stopped,
    TableEvent,
)
from engine.table.table_state import Question
from tests.data.store.log_events import EVENTS
from tests.data.store.scene import NOW, TERMS, add_match, build_new_match, build_seat, commit_change, play_match
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

ADA, GRACE, LINUS, MARY = (111_222_333_444_555_660 + number for number in range(4))

OPENED = Opened(TERMS, ADA, (build_seat(0, ADA), build_seat(1, GRACE)))
QUESTION = Question(kind="substitute", by=0, seat=0, number=3, until=NOW + 9, person=LINUS)
NAMING_EVENTS: list[LogEvent] = [
    Joined(LINUS),
    Kept((LINUS, MARY), NOW + 9),
    Freed((LINUS, MARY), "declined"),
    Replaced(1, LINUS),
    Asked("substitute", 0, 0, NOW + 9, (1,), LINUS),
    Stopped(LINUS, "tea"),
    Paused(LINUS, "tea"),
    Resumed(LINUS, ""),
    Skipped(LINUS, "tea", 1),
]


async def create_match(store: Store) -> Any:
    return await add_match(store, host_id=ADA, seats=OPENED.seats, events=[OPENED])


async def list_events(store: Store, match_id: int) -> list[LogEvent]:
    return [entry.event for entry in await store.matches.load_log(match_id)]


def list_user_values(value: Any, *, of_moderator: bool) -> list[Any]:
    match value:
        case dict():
            own = {"user", "user_id", "host", "person", *(("by",) if of_moderator else ())}
            own_values = [part for key, part in value.items() if key in own]
            nested_values = [list_user_values(part, of_moderator=key == "pause") for key, part in value.items()]
            users = value.get("users", [])
            return [*own_values, *users, *(one for found in nested_values for one in found)]
        case list():
            return [one for part in value for one in list_user_values(part, of_moderator=False)]
        case _:
            return []


@pytest.mark.parametrize("kind", get_args(TableEvent), ids=lambda kind: kind.__name__)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_users_in_event_can_be_renamed(kind: type[LogEvent], data: st.DataObject):
    event = data.draw(EVENTS[kind])
    nameless = rename_users(event, lambda _: None)
    assert set(list_user_values(json.loads(to_text(nameless)), of_moderator=kind in RULING_EVENTS)) <= {None}
    assert list_event_users(nameless) == []
    people = list_user_values(json.loads(to_text(event)), of_moderator=kind in RULING_EVENTS)
    assert sorted(list_event_users(event)) == sorted(one for one in people if one is not None)
    assert rename_users(event, lambda one: one) == event


def test_every_event_kind_that_names_users_is_tested():
    own = {"user", "users", "host", "person", "question"}
    naming = {kind for kind in get_args(TableEvent) if own & {field.name for field in fields(kind)}}
    assert {type(event) for event in [OPENED, *NAMING_EVENTS]} == naming | set(RULING_EVENTS)


@pytest.mark.parametrize("event", NAMING_EVENTS, ids=lambda event: type(event).__name__)
async def test_stored_log_has_numbers_and_loads_with_users(store: Store, sql: Sql, event: LogEvent):
    head = await create_match(store)
    await commit_change(store, head, events=[event])
    assert await list_events(store, head.match_id) == [OPENED, event]
    for (body,) in await sql("SELECT body FROM events"):
        assert not [user for user in (ADA, GRACE, LINUS, MARY) if str(user) in str(body)], body
    linked = dict(await sql("SELECT number, user_id FROM participants"))
    assert linked == dict(enumerate([ADA, GRACE, *list_event_users(event)]))


async def test_user_has_one_number_per_log(store: Store, sql: Sql):
    head = await create_match(store)
    head = await commit_change(store, head, events=[Joined(LINUS), Paused(LINUS, "tea"), Resumed(ADA, "")])
    await commit_change(store, head, events=[Replaced(0, LINUS), Stopped(MARY, "")])
    assert await sql("SELECT number, user_id FROM participants ORDER BY number") == [
        *((0, ADA), (1, GRACE), (2, LINUS), (3, MARY))
    ]


async def test_numbers_of_one_log_say_nothing_about_another(store: Store):
    heads = []
    for channel, user in ((1, ADA), (2, GRACE)):
        seats = (build_seat(0, user),)
        new = build_new_match(channel_id=channel, host_id=user, seats=seats, events=[Opened(TERMS, user, seats)])
        heads.append(await store.matches.create(new, now=NOW))
    assert [await list_events(store, head.match_id) for head in heads] == [
        [Opened(TERMS, user, (build_seat(0, user),))] for user in (ADA, GRACE)
    ]


async def test_user_without_ties_to_match_is_unlinked(store: Store, sql: Sql):
    head = await create_match(store)
    head = await commit_change(store, head, events=[Joined(LINUS)])
    assert LINUS in await store.erasure.list_user_ids()
    head = await commit_change(store, head, events=[Left(2)], unlinked_user_ids={LINUS})
    assert LINUS not in await store.erasure.list_user_ids()
    assert await list_events(store, head.match_id) == [OPENED, Joined(None), Left(2)]
    state, _ = replay(await store.matches.load_log(head.match_id))
    assert state.seats == OPENED.seats, "the log still folds"
    await commit_change(store, head, events=[Joined(MARY), Joined(LINUS)])
    assert await sql("SELECT number, user_id FROM participants ORDER BY number") == [
        *((0, ADA), (1, GRACE), (2, None), (3, MARY), (4, LINUS))
    ], "a number is not given to anybody else"


async def test_user_who_declines_substitution_is_unlinked(store: Store):
    head = await create_match(store)
    asked = Asked("substitute", 0, 0, NOW + 9, (1,), LINUS)
    head = await commit_change(store, head, events=[asked])
    state, _ = replay(await store.matches.load_log(head.match_id))
    assert state.question.person == LINUS
    head = await commit_change(store, head, events=[Answered(None, False)], unlinked_user_ids={LINUS})
    assert LINUS not in await store.erasure.list_user_ids()
    assert await list_events(store, head.match_id) == [OPENED, replace(asked, person=None), Answered(None, False)]


async def test_user_unlinked_from_one_match_stays_linked_to_others(store: Store):
    head = await create_match(store)
    await commit_change(store, head, events=[Joined(LINUS)])
    new = build_new_match(channel_id=9, host_id=ADA, seats=OPENED.seats, events=[OPENED, Joined(LINUS)])
    other = await store.matches.create(new, now=NOW)
    await commit_change(store, other, events=[Left(2)], unlinked_user_ids={LINUS})
    assert await list_events(store, head.match_id) == [OPENED, Joined(LINUS)]


@pytest.mark.parametrize("event", NAMING_EVENTS, ids=lambda event: type(event).__name__)
async def test_log_is_read_without_names_of_forgotten_users(store: Store, event: LogEvent):
    head = await create_match(store)
    head = await commit_change(store, head, events=[event])
    for gone in (LINUS, MARY):
        assert await store.erasure.erase_user(gone, left_match_ids=[head.match_id], now=NOW)
    nobody = rename_users(event, lambda user: None if user in (LINUS, MARY) else user)
    assert (await list_events(store, head.match_id))[:2] == [OPENED, nobody]
    state, _ = replay(await store.matches.load_log(head.match_id))
    assert state.question is None or state.question.person is None
    assert not {LINUS, MARY} & {row.user_id for row in state.seats}


@BOTH_DATABASES
async def test_match_replays_same_after_all_players_are_forgotten(store: Store):
    head = await create_match(store)
    log = play_match(5, 3)
    happened = [Joined(LINUS), *log[:30], Paused(MARY, "tea"), Resumed(MARY, ""), *log[30:]]
    head = await commit_change(store, head, events=happened, state="done")
    before, _ = replay(await store.matches.load_log(head.match_id))
    for gone in (ADA, GRACE, LINUS, MARY):
        assert await store.erasure.erase_user(gone, left_match_ids=[], now=NOW)
    state, event_log = replay(await store.matches.load_log(head.match_id))
    nobody = tuple(replace(row, user_id=None) for row in before.seats)
    parts = {seat: replace(part, owner=None) for seat, part in before.ownerships.items()}
    after = replace(
        before, seats=nobody, host=None, permanent_users=frozenset(), match_players=frozenset(), ownerships=parts
    )
    assert state == after
    assert event_log.match.ended
    assert await store.matches.list_events(head.match_id) == log
    assert {act.user_id for act in await store.matches.list_moderations(head.match_id)} == {None}


async def test_moderator_acts_are_found_with_user_and_reason(store: Store):
    head = await create_match(store)
    acts: list[LogEvent] = [Paused(MARY, "tea"), Resumed(None, ""), Skipped(LINUS, "asleep", 1), Stopped(MARY, "over")]
    await store.matches.commit(
        Change(match_id=head.match_id, expected_seq=1, events=[*acts, Left(1)], state="void"), now=NOW + 5
    )
    assert await store.matches.list_moderations(head.match_id) == tuple(
        Moderation(match_id=head.match_id, seq=seq, kind=kind, reason=why, seat=seat, user_id=user, at=NOW + 5)
        for seq, (kind, why, seat, user) in enumerate(
            [
                ("paused", "tea", None, MARY),
                ("resumed", "", None, None),
                ("skipped", "asleep", 1, LINUS),
                ("stopped", "over", None, MARY),
            ],
            2,
        )
    )


async def test_participant_number_without_user_is_read_as_none(store: Store, sql: Sql):
    head = await create_match(store)
    await sql("DELETE FROM participants WHERE match_id = :match AND number = 1", match=head.match_id)
    (first, *_) = await list_events(store, head.match_id)
    assert [row.user_id for row in first.seats] == [ADA, None]


@pytest.mark.parametrize("query", ["kind = 'teleported'", "body = '{\"by\":'", "body = '[]'"])
async def test_unreadable_event_is_reported_and_not_skipped(store: Store, sql: Sql, query: str):
    head = await create_match(store)
    head = await commit_change(store, head, events=[Paused(MARY, "tea"), Resumed(MARY, "")])
    await sql(f"UPDATE events SET {query} WHERE seq = 2")
    for reading in (store.matches.load, store.matches.load_log, store.matches.list_events):
        with pytest.raises(DamagedLog, match="event 2 of match 1"):
            await reading(head.match_id)
    (entry,) = await store.matches.load_log(head.match_id, 1)
    assert entry.event == OPENED, "what came before can be read"


async def test_damaged_log_does_not_block_other_transactions(store: Store, engine: AsyncEngine, sql: Sql):
    damaged = await add_match(store, channel_id=1)
    for _ in range(3):
        damaged = await commit_change(store, damaged)
    other = await add_match(store, channel_id=2)
    await sql("UPDATE events SET kind = 'unheard-of' WHERE match_id = :match AND seq = 1", match=damaged.match_id)
    with pytest.raises(DamagedLog) as raised:
        await store.matches.load(damaged.match_id)
    other = await commit_change(store, other)
    assert await store.matches.find_head(other.match_id) == other, raised
    assert await store.matches.find_head(damaged.match_id) == damaged


@pytest.mark.parametrize("wrong", ["kind = 'unheard-of'", "body = '{\"by\":'", "body = '{}'"])
async def test_moderator_of_match_with_damaged_log_can_be_forgotten(store: Store, sql: Sql, wrong: str):
    heads = [await add_match(store, channel_id=channel) for channel in (1, 2)]
    for head in heads:
        await commit_change(store, head, events=[Paused(GRACE, "tea")])
    await sql(f"UPDATE events SET {wrong} WHERE match_id = :match AND seq = 2", match=heads[0].match_id)
    held = await store.erasure.export_user(GRACE)
    assert held["moderations"] == [{"match_id": heads[1].match_id, "seq": 2, "user_id": GRACE}]
    # Both logs are of lobbies that name her. She leaves them in the first step.
    assert await store.erasure.erase_user(GRACE, left_match_ids=[head.match_id for head in heads], now=NOW)
    assert GRACE not in await store.erasure.list_user_ids()
