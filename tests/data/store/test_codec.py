"""Events are encoded as text and decoded again."""

from dataclasses import fields
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.store.connection.schema import to_text
from data.store.connection.store_errors import DamagedLog
from data.store.log.codec import KINDS, get_kind, to_event
from engine.match.events import Started
from engine.match.rules import Rules
from engine.table.table_events import LogEvent, Opened
from tests.data.store.log_events import EVENTS, RULES
from tests.data.store.scene import ADA, TERMS, build_seat

MAX_KIND_LENGTH = 20


def read_back(event: LogEvent) -> LogEvent:
    return to_event(get_kind(event), to_text(event), match_id=1, seq=1)


def test_every_kind_of_event_has_test_data():
    assert set(EVENTS) == set(get_args(LogEvent))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_event_survives_write_and_read(kind: type[LogEvent], data: st.DataObject):
    event = data.draw(EVENTS[kind])
    back = read_back(event)
    assert back == event
    assert type(back) is type(event)
    assert [type(getattr(back, field.name)) for field in fields(event)] == [
        type(getattr(event, field.name)) for field in fields(event)
    ]


@pytest.mark.parametrize("reading", RULES, ids=lambda reading: f"{reading.game} {reading.target}")
def test_rules_of_every_game_keep_their_family_type(reading: Rules):
    back = read_back(Started(reading, 2, (), False, "seal"))
    assert back.rules == reading
    assert type(back.rules) is type(reading)


STARTED_JSON = (
    '{"rules":{"game":"triominoes","family":"triominoes","lattice":"triangles","tile_set":"trio56","min_seats":2,"max_seats":6,'
    '"deal":[9,7,7,6,6],"target":400,"triple_opening":10,"zero_opening_score":40,"zero_opening":"only_if_top",'
    '"opening_tie":"next_tile","opening_choice":"rule","hexagons":[50,100,150],"hexagons_stepped":[50,60,70],'
    '"hexagon_scale":"per_hexagon","bridge":40,"bridge_extension":"two_sides","bonus_stacking":"hexagon_only",'
    '"draw_limit":3,"draw_penalty":5,"voluntary_draw":"off","failed_turn":10,"empty_boneyard_penalty":10,'
    '"going_out":25,"block_detection":"full_circle","blocked_bonus":"differences","blocked_winner":"lowest_total",'
    '"blocked_tie":"each","final_round":"latched","game_winner":"most_points","game_tie":"shared"},'
    '"seats":2,"computers":[1],"by_hand":false,"commitment":"seal","shuffle":1,"contributions":[]}'
)


def test_opened_event_is_stored_with_all_fields():
    opened = Opened(TERMS, ADA, (build_seat(0, ADA),))
    assert to_text(opened) == (
        '{"terms":{"game":"triominoes","seats":4,"target":400,"by_hand":false,"preset":"default","options":{},'
        '"theme":"classic","clock":"relaxed","absent":"turn","rated":true,"guided":false,"deal":"",'
        '"deal_until":0},'
        '"host":1001,"seats":[{"seat":0,"user_id":1001,"computer":null,"joined_at":1760000000000,"contribution":""}],'
        '"commitment":""}'
    )


def test_event_kind_names_are_unique_and_fit_column():
    assert sorted(KINDS) == sorted({kind.__name__.lower() for kind in EVENTS})
    assert len(KINDS) == len(get_args(LogEvent))
    assert max(map(len, KINDS)) <= MAX_KIND_LENGTH


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("teleported", "{}", "its kind 'teleported' is unknown"),
        ("resigned", '{"seat":', "Input data was truncated"),
        ("joined", "{}", "Object missing required field `user`"),
        ("choicemade", '{"seat":0,"choice":"sleep","how":"chosen"}', "Invalid enum value 'sleep' - at `$.choice`"),
        (
            "opened",
            '{"terms":{"game":"triominoes"},"host":0,"seats":[]}',
            "Object missing required field `seats` - at `$.terms`",
        ),
        ("resigned", '{"seat":"two"}', "Expected `int`, got `str` - at `$.seat`"),
        ("passed", "{}", "Object missing required field `seat`"),
        (
            "chose",
            '{"seat":0,"option":"everything","points":0,"tiles":0}',
            "Invalid enum value 'everything' - at `$.option`",
        ),
        (
            "started",
            '{"rules":{"family":"chess"},"seats":2,"computers":[],"by_hand":true,"commitment":"",'
            '"shuffle":1,"contributions":[]}',
            "its family of rules 'chess' is unknown",
        ),
        (
            "started",
            '{"rules":{"family":"quads"},"seats":2,"computers":[],"by_hand":true,"commitment":"",'
            '"shuffle":1,"contributions":[]}',
            "Object missing required field `game`",
        ),
        ("started", STARTED_JSON.replace('"target":400', '"target":0'), "target must be from 1 to 100000"),
    ],
)
def test_damaged_event_error_names_match_and_position(kind: str, body: str, reason: str):
    with pytest.raises(DamagedLog) as damaged:
        to_event(kind, body, match_id=3, seq=7)
    assert str(damaged.value) == f"event 7 of match 3 cannot be read: {reason}"
    assert (damaged.value.match_id, damaged.value.seq) == (3, 7)
