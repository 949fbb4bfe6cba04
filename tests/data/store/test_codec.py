"""Events as text."""

from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import rules
from data.store import LogDamaged
from data.store.codec import KINDS, kind_of, to_body, to_event
from engine.events import Started
from engine.rules import Rules
from engine.table.events import LogEvent, Opened, Revised
from tests.data.store.log_events import EVENTS, RULES
from tests.data.store.scene import ADA, TERMS, person

LONGEST = 20


def read_back(event: LogEvent) -> LogEvent:
    return to_event(kind_of(event), to_body(event), match_id=1, seq=1)


def test_every_kind_of_event_is_tried():
    assert set(EVENTS) == set(get_args(LogEvent))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_event_is_read_back_as_it_was_written(kind: type[LogEvent], data: st.DataObject):
    event = data.draw(EVENTS[kind])
    back = read_back(event)
    assert back == event
    assert type(back) is type(event)
    assert [type(getattr(back, field.name)) for field in fields(event)] == [
        type(getattr(event, field.name)) for field in fields(event)
    ]


@pytest.mark.parametrize("reading", RULES, ids=lambda reading: f"{reading.game} {reading.target}")
def test_rules_of_every_game_are_read_back_as_those_of_their_family(reading: Rules):
    back = read_back(Started(reading, 2, (), False, "seal"))
    assert back.rules == reading
    assert type(back.rules) is type(reading)


OLD_START = (
    '{"rules":{"game":"triominoes","lattice":"triangles","tile_set":"trio56","min_seats":2,"max_seats":6,'
    '"deal":[9,7,7,6,6],"target":400,"triple_opening":10,"zero_opening_score":40,"zero_opening":"only_if_top",'
    '"opening_tie":"next_tile","opening_choice":"rule","hexagons":[50,100,150],"hexagons_stepped":[50,60,70],'
    '"hexagon_scale":"per_hexagon","bridge":40,"bridge_extension":"two_sides","bonus_stacking":"hexagon_only",'
    '"draw_limit":3,"draw_penalty":5,"voluntary_draw":"off","failed_turn":10,"empty_boneyard_penalty":10,'
    '"going_out":25,"block_detection":"full_circle","blocked_bonus":"differences","blocked_winner":"lowest_total",'
    '"blocked_tie":"each","final_round":"latched","game_winner":"most_points","game_tie":"shared"},'
    '"seats":2,"computers":[1],"by_hand":false,"commitment":"seal"}'
)


OLD_NONE = OLD_START.replace('"differences"', '"none"')
OLD_TERMS = (
    '{"terms":{"game":"triominoes","seats":2,"target":400,"by_hand":false,"options":{"blocked_bonus":"none"}},'
    '"host":1001,"seats":[]}'
)


def test_match_and_lobby_keep_meaning_of_word_that_has_changed_it():
    started = to_event("started", OLD_NONE, match_id=1, seq=1)
    opened = to_event("opened", OLD_TERMS, match_id=1, seq=1)
    revised = to_event("revised", OLD_TERMS, match_id=1, seq=2)
    assert started.rules == rules("triominoes").with_option("blocked_bonus", "lose_own")
    assert opened.terms.options == revised.terms.options == {"blocked_bonus": "lose_own"}


def test_word_means_what_it_means_today_in_what_is_written_today():
    reading = rules("triominoes").with_option("blocked_bonus", "none")
    terms = replace(TERMS, options={"blocked_bonus": "none"})
    for event in (Started(reading, 2, (), False, "seal"), Opened(terms, ADA, (person(0, ADA),)), Revised(terms)):
        assert read_back(event) == event
        assert to_body(event).endswith(',"edition":2}')
        # Once more, as a log that is copied or cleaned is.
        assert to_body(read_back(event)) == to_body(event)


def test_match_from_before_there_were_families_is_one_of_triominoes():
    assert to_event("started", OLD_START, match_id=1, seq=1) == Started(
        rules("triominoes"), 2, (1,), by_hand=False, commitment="seal"
    )


def test_what_happened_before_tiles_were_set_aside_and_turns_had_choices_is_read_too():
    dealt = to_event(
        "dealt", '{"round":1,"hands":[[[0,0,1]]],"boneyard":[],"opener":0,"choices":[]}', match_id=1, seq=2
    )
    placed = to_event(
        "placed",
        '{"seat":0,"tile":[0,0,1],"cell":["U",0,0],"rotation":0,"base":1,"hexagons":0,"bridge":false,"bonus":0,'
        '"drawn":0,"points":1}',
        match_id=1,
        seq=3,
    )
    assert dealt.aside == ()
    assert (placed.matched, placed.corner, placed.beside, placed.follows) == (0, False, None, "next")


def test_what_table_opens_with_is_written_out():
    opened = Opened(TERMS, ADA, (person(0, ADA),))
    assert to_body(opened) == (
        '{"terms":{"game":"triominoes","seats":4,"target":400,"by_hand":false,"preset":"default","options":{},'
        '"theme":"classic","clock":"relaxed","absent":"turn","rated":true,"guided":false,"deal":"",'
        '"deal_until":0},'
        '"host":1001,"seats":[{"seat":0,"user_id":1001,"computer":null,"joined_at":1760000000000,"contribution":""}],'
        '"commitment":""}'
    )


def test_no_two_kinds_of_events_have_same_name_and_each_fits_its_column():
    assert sorted(KINDS) == sorted({kind.__name__.lower() for kind in EVENTS})
    assert len(KINDS) == len(get_args(LogEvent))
    assert max(map(len, KINDS)) <= LONGEST


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("teleported", "{}", "event 7 of match 3 cannot be read: its kind 'teleported' is unknown"),
        ("resigned", '{"seat":', "event 7 of match 3 cannot be read: Input data was truncated"),
        ("joined", "{}", "event 7 of match 3 cannot be read: Object missing required field `user`"),
        (
            "choicemade",
            '{"seat":0,"choice":"sleep","how":"chosen"}',
            "event 7 of match 3 cannot be read: Invalid enum value 'sleep' - at `$.choice`",
        ),
        (
            "opened",
            '{"terms":{"game":"triominoes"},"host":0,"seats":[]}',
            "event 7 of match 3 cannot be read: Object missing required field `seats` - at `$.terms`",
        ),
        ("resigned", '{"seat":"two"}', "event 7 of match 3 cannot be read: Expected `int`, got `str` - at `$.seat`"),
        ("passed", "{}", "event 7 of match 3 cannot be read: Object missing required field `seat`"),
        (
            "chose",
            '{"seat":0,"option":"everything","points":0,"tiles":0}',
            "event 7 of match 3 cannot be read: Invalid enum value 'everything' - at `$.option`",
        ),
        (
            "started",
            '{"rules":{"family":"chess"},"seats":2,"computers":[],"by_hand":true,"commitment":""}',
            "event 7 of match 3 cannot be read: its family of rules 'chess' is unknown",
        ),
        (
            "started",
            '{"rules":{"family":"quads"},"seats":2,"computers":[],"by_hand":true,"commitment":""}',
            "event 7 of match 3 cannot be read: Object missing required field `game`",
        ),
        (
            "started",
            OLD_START.replace('"target":400', '"target":0'),
            "event 7 of match 3 cannot be read: target must be from 1 to 100000",
        ),
    ],
)
def test_log_with_hole_is_not_read(kind: str, body: str, reason: str):
    with pytest.raises(LogDamaged) as damaged:
        to_event(kind, body, match_id=3, seq=7)
    assert str(damaged.value) == reason
    assert (damaged.value.match_id, damaged.value.seq) == (3, 7)
