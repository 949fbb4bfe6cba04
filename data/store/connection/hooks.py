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
class StalledItem:
    """An object on a server that cannot continue without help, such as a season of a league."""

    number: int
    name: str
    guild_id: int
    channel_id: int
    trouble: int
    """Discord's error code; 0 if there is none."""


UserEraser = Callable[[AsyncConnection, int], Awaitable[bool]]
"""Erase a user's data, given the user id; return whether there was any."""
UserExporter = Callable[[AsyncConnection, int], Awaitable[Any]]
"""Return a user's data as JSON."""
GuildPurger = Callable[[AsyncConnection, int], Awaitable[None]]
MatchEnder = Callable[[AsyncConnection, int], Awaitable[None]]
"""Apply the consequences of the end of a match, in the same transaction."""
StalledFinder = Callable[[AsyncConnection, Callable[[Column[int]], ColumnElement[bool]]], Awaitable[list[StalledItem]]]
"""Find what cannot continue in the guilds that a condition on a column of guild ids selects."""
Rebuilder = Callable[[AsyncConnection], Awaitable[int]]
"""Compute derived rows again; return their number."""


@dataclass(frozen=True, slots=True)
class Hooks:
    user_tables: list[Table] = field(default_factory=list)
    """Tables in which each row belongs to one `user_id`: exported and erased as they are."""
    user_columns: list[Column[int]] = field(default_factory=list)
    guild_columns: list[Column[int]] = field(default_factory=list)
    """Columns of guild ids; a guild in one of them is known."""
    user_erasers: list[UserEraser] = field(default_factory=list)
    """Run before the rows of `user_tables` are deleted."""
    user_exporters: dict[str, UserExporter] = field(default_factory=dict)
    """By the name of their part of the export."""
    guild_purgers: list[GuildPurger] = field(default_factory=list)
    match_enders: list[MatchEnder] = field(default_factory=list)
    stalled_finders: list[StalledFinder] = field(default_factory=list)
    rebuilders: dict[str, Rebuilder] = field(default_factory=dict)
    """By the name of what they compute."""


_HOOKS: Final = Hooks()


def _build_registrar(hooks: list[T]) -> Callable[[T], T]:
    def register(hook: T) -> T:
        hooks.append(hook)
        return hook

    return register


register_user_table: Final = _HOOKS.user_tables.append
register_user_column: Final = _HOOKS.user_columns.append
register_guild_column: Final = _HOOKS.guild_columns.append
register_user_eraser: Final = _build_registrar(_HOOKS.user_erasers)
register_user_exporters: Final = _HOOKS.user_exporters.update
register_guild_purger: Final = _build_registrar(_HOOKS.guild_purgers)
register_match_ender: Final = _build_registrar(_HOOKS.match_enders)
register_stalled_finder: Final = _build_registrar(_HOOKS.stalled_finders)
register_rebuilders: Final = _HOOKS.rebuilders.update


@cache
def load_hooks() -> Hooks:
    """Return the hooks of all packages of `data.store` that have a `store` module."""
    root = Path(__file__).parents[1]
    for found in sorted(root.glob("*/store.py")):
        import_module(f"data.store.{found.parent.name}.store")
    return _HOOKS
