"""Events as text."""

from dataclasses import fields
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.rulebook import presets, rules
from data.store import LobbyEvent, LobbyKind, LogDamaged
from data.store.codec import decode, encode, kind_of
from engine.events import Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started
from engine.lattice import Cell
from tests.data.store.scene import played

NUMBER = st.integers(-(2**53), 2**53)
TILE = st.lists(st.integers(0, 9), min_size=3, max_size=4).map(tuple)
TILES = st.lists(TILE, max_size=8).map(tuple)
HANDS = st.lists(TILES, max_size=6).map(tuple)
NUMBERS = st.lists(NUMBER, max_size=6).map(tuple)
CELL = st.builds(Cell, st.sampled_from("UD"), NUMBER, NUMBER)

RULES = [rules("triominoes", preset) for preset in presets("triominoes")]

EVENTS = {
    Started: st.builds(Started, st.sampled_from(RULES), NUMBER, NUMBERS, st.booleans(), st.text()),
    Dealt: st.builds(Dealt, NUMBER, HANDS, TILES, NUMBER, TILES),
    Placed: st.builds(Placed, NUMBER, TILE, CELL, NUMBER, NUMBER, NUMBER, st.booleans(), NUMBER, NUMBER, NUMBER),
    Drew: st.builds(Drew, NUMBER, st.none() | TILE),
    Passed: st.builds(Passed, NUMBER, NUMBER, NUMBER),
    RoundEnded: st.builds(RoundEnded, NUMBER, st.none() | NUMBER, HANDS, NUMBERS),
    Resigned: st.builds(Resigned, NUMBER),
    MatchEnded: st.builds(MatchEnded, NUMBERS, NUMBERS, st.text()),
}


def read_back(event: Event) -> Event | None:
    """The event after a journey through text."""
    return decode(kind_of(event), encode(event), match_id=1, seq=1)


def test_every_kind_of_event_is_tried():
    assert set(EVENTS) == set(get_args(Event))


@given(st.one_of(*EVENTS.values()))
def test_any_event_is_read_back_as_it_was_written(event: Event):
    back = read_back(event)
    assert back == event
    assert type(back) is type(event)
    assert [type(getattr(back, field.name)) for field in fields(event)] == [
        type(getattr(event, field.name)) for field in fields(event)
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_whole_matches_are_read_back_as_they_were_written(seats: int):
    log = played(seats, seats, resigning=Random(seats).randrange(seats) if seats > 2 else None)
    assert [read_back(event) for event in log] == log


def test_an_event_has_its_own_name_in_the_log():
    assert kind_of(Resigned(1)) == "resigned"
    assert encode(Resigned(1)) == '{"seat":1}'
    assert kind_of(LobbyEvent(kind="left", facts={"seat": 2})) == "left"
    assert encode(LobbyEvent(kind="left", facts={"seat": 2})) == '{"seat":2}'


def test_no_event_of_the_lobby_has_the_name_of_one_of_the_engine():
    assert {kind.__name__.lower() for kind in get_args(Event)} & set(get_args(LobbyKind)) == set()


def test_what_happened_around_the_match_is_not_an_event_of_the_engine():
    assert decode("joined", '{"seat":0}', match_id=1, seq=1) is None


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("teleported", "{}", "event 7 of match 3 cannot be read: its kind 'teleported' is unknown"),
        ("resigned", '{"seat":', "event 7 of match 3 cannot be read: Input data was truncated"),
        (
            "resigned",
            '{"seat":"two"}',
            "event 7 of match 3 cannot be read: Expected `int`, got `str` - at `$.seat`",
        ),
        ("passed", "{}", "event 7 of match 3 cannot be read: Object missing required field `seat`"),
    ],
)
def test_a_log_with_a_hole_is_not_read(kind: str, body: str, reason: str):
    with pytest.raises(LogDamaged) as damaged:
        decode(kind, body, match_id=3, seq=7)
    assert str(damaged.value) == reason
    assert (damaged.value.match_id, damaged.value.seq) == (3, 7)
