"""Any event that may stand in the log of a table, for tests that try all of them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from engine.board.lattice import Cell
from engine.board.tiles import WILD
from engine.match.events import (
    Chose,
    ChosenOption,
    Dealt,
    Drew,
    Event,
    FollowUp,
    MatchEnded,
    Passed,
    Placed,
    Resigned,
    RoundEnded,
    Started,
    Undone,
)
from engine.table.table_events import LogEvent, TableEvent

NUMBER = st.integers(-(2**53), 2**53)
TILE = st.lists(st.integers(WILD, 9), min_size=3, max_size=4).map(tuple)
TILES = st.lists(TILE, max_size=8).map(tuple)
HANDS = st.lists(TILES, max_size=6).map(tuple)
NUMBERS = st.lists(NUMBER, max_size=6).map(tuple)
CELL = st.builds(Cell, st.sampled_from(["U", "D", ""]), NUMBER, NUMBER)

RULES = [load_rules(game, preset) for game in list_games() for preset in list_presets(game)]

MATCH_EVENTS: dict[type[Event], st.SearchStrategy[Any]] = {
    Started: st.builds(Started, st.sampled_from(RULES), NUMBER, NUMBERS, st.booleans(), st.text()),
    Dealt: st.builds(Dealt, NUMBER, HANDS, TILES, NUMBER, TILES, TILES),
    Placed: st.builds(
        Placed,
        seat=NUMBER,
        tile=TILE,
        cell=CELL,
        rotation=NUMBER,
        base=NUMBER,
        hexagons=NUMBER,
        bridge=st.booleans(),
        bonus=NUMBER,
        drawn=NUMBER,
        points=NUMBER,
        matched=NUMBER,
        corner=st.booleans(),
        beside=st.none() | NUMBER,
        follows=st.sampled_from(get_args(FollowUp)),
    ),
    Chose: st.builds(Chose, NUMBER, st.sampled_from(get_args(ChosenOption)), NUMBER, NUMBER),
    Drew: st.builds(Drew, NUMBER, st.none() | TILE),
    Passed: st.builds(Passed, NUMBER, NUMBER, NUMBER),
    RoundEnded: st.builds(RoundEnded, NUMBER, st.none() | NUMBER, HANDS, NUMBERS),
    Resigned: st.builds(Resigned, NUMBER),
    Undone: st.builds(Undone, NUMBER, st.booleans()),
    MatchEnded: st.builds(MatchEnded, NUMBERS, NUMBERS, st.text()),
}


def build_strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that an event has for a field."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (Union, UnionType):
        return st.one_of(map(build_strategy, parts))
    if origin is tuple:
        every, *more = parts
        return (
            st.lists(build_strategy(every), max_size=4).map(tuple)
            if more == [...]
            else st.tuples(*map(build_strategy, parts))
        )
    if origin is Mapping:
        return st.dictionaries(*map(build_strategy, parts), max_size=4)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: build_strategy(hints[field.name]) for field in fields(hint)})
    return {int: NUMBER, str: st.text(max_size=20), bool: st.booleans(), NoneType: st.none()}[hint]


EVENTS: dict[type[LogEvent], st.SearchStrategy[Any]] = {
    **MATCH_EVENTS,
    **{kind: build_strategy(kind) for kind in get_args(TableEvent)},
}
"""By its class, any event of that kind with any values in its fields."""
