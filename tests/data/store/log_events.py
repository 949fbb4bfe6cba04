"""Strategies for all events of a table log."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from engine.board.lattice import Cell
from engine.match.events import Started
from engine.table.table_events import LogEvent

NUMBER = st.integers(-(2**53), 2**53)
RULES = [load_rules(game, preset) for game in list_games() for preset in list_presets(game)]
STRATEGIES: dict[Any, st.SearchStrategy[Any]] = {
    int: NUMBER,
    str: st.text(max_size=20),
    bool: st.booleans(),
    NoneType: st.none(),
    Cell: st.builds(Cell, st.sampled_from(["U", "D", ""]), NUMBER, NUMBER),
    # The codec accepts only a known shuffle, as it is by default.
    Started: st.builds(
        Started, st.sampled_from(RULES), NUMBER, st.lists(NUMBER, max_size=6).map(tuple), st.booleans(), st.text()
    ),
}


def build_strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a type that occurs in events."""
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
    if is_dataclass(hint) and hint not in STRATEGIES:
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: build_strategy(hints[field.name]) for field in fields(hint)})
    return STRATEGIES[hint]


EVENTS: dict[type[LogEvent], st.SearchStrategy[Any]] = {kind: build_strategy(kind) for kind in get_args(LogEvent)}
"""By class: a strategy for events with any values in their fields."""
