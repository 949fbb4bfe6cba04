"""Hooks through which features add work to the core; they register when their package in `data.store` is imported.

The core knows no feature. A deleted feature registers nothing, and nothing else changes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Column, ColumnElement, Table
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUp:
    """An object on a server that cannot continue without help, such as a season of a league."""

    number: int
    name: str
    guild_id: int
    channel_id: int
    trouble: int
    """Discord's error code; 0 if there is none."""


Erases = Callable[[AsyncConnection, int], Awaitable[bool]]
"""Erase a user's data, given the user id; return whether there was any."""
Exports = Callable[[AsyncConnection, int], Awaitable[Any]]
"""Return a user's data as JSON."""
Purges = Callable[[AsyncConnection, int], Awaitable[None]]
Ends = Callable[[AsyncConnection, int], Awaitable[None]]
"""Apply the consequences of the end of a match, in the same transaction."""
FindsHeldUp = Callable[[AsyncConnection, Callable[[Column[int]], ColumnElement[bool]]], Awaitable[list[HeldUp]]]
"""Find what cannot continue in the guilds that a condition on a column of guild ids selects."""
Rebuilds = Callable[[AsyncConnection], Awaitable[int]]
"""Compute derived rows again; return their number."""


@dataclass(frozen=True, slots=True)
class Hooks:
    user_tables: list[Table] = field(default_factory=list)
    """Tables in which each row belongs to one `user_id`: exported and erased as they are."""
    user_columns: list[Column[int]] = field(default_factory=list)
    guild_columns: list[Column[int]] = field(default_factory=list)
    """Columns of guild ids; a guild in one of them is known."""
    user_erasers: list[Erases] = field(default_factory=list)
    """Run before the rows of `user_tables` are deleted."""
    user_exporters: dict[str, Exports] = field(default_factory=dict)
    """By the name of their part of the export."""
    guild_purgers: list[Purges] = field(default_factory=list)
    match_enders: list[Ends] = field(default_factory=list)
    held_up: list[FindsHeldUp] = field(default_factory=list)
    rebuilders: dict[str, Rebuilds] = field(default_factory=dict)
    """By the name of what they compute."""


_HOOKS: Final = Hooks()


def _adds_to(hooks: list[T]) -> Callable[[T], T]:
    def register(hook: T) -> T:
        hooks.append(hook)
        return hook

    return register


def _adds_named_to(hooks: dict[str, T]) -> Callable[[str], Callable[[T], T]]:
    def name_hook(name: str) -> Callable[[T], T]:
        def register(hook: T) -> T:
            hooks[name] = hook
            return hook

        return register

    return name_hook


register_user_table: Final = _adds_to(_HOOKS.user_tables)
register_user_column: Final = _adds_to(_HOOKS.user_columns)
register_guild_column: Final = _adds_to(_HOOKS.guild_columns)
erases_user: Final = _adds_to(_HOOKS.user_erasers)
exports_user: Final = _adds_named_to(_HOOKS.user_exporters)
purges_guild: Final = _adds_to(_HOOKS.guild_purgers)
ends_match: Final = _adds_to(_HOOKS.match_enders)
finds_held_up: Final = _adds_to(_HOOKS.held_up)
rebuilds: Final = _adds_named_to(_HOOKS.rebuilders)


@cache
def registered() -> Hooks:
    """Return the hooks of all packages of `data.store` that have a `store` module."""
    root = Path(__file__).parents[1]
    for found in sorted(root.glob("*/store.py")):
        import_module(f"data.store.{found.parent.name}.store")
    return _HOOKS
