"""What features add to the work of the core: they register it when their package in `data.store` is imported.

The core knows no feature. A feature that is deleted registers nothing, and nothing else changes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Table
from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUp:
    """Something on a server that cannot go on by itself, such as a season of a league."""

    number: int
    name: str
    guild_id: int
    channel_id: int
    trouble: int
    """Discord's number of what keeps it from going on; 0 where that has none."""


Erases = Callable[[AsyncConnection, int], Awaitable[bool]]
"""Erase a user's data, given the user id; returns whether there was any."""
Exports = Callable[[AsyncConnection, int], Awaitable[Any]]
"""Read what is held about a user, as JSON."""
Purges = Callable[[AsyncConnection, int], Awaitable[None]]
"""Delete what is held about a guild."""
Ends = Callable[[AsyncConnection, int], Awaitable[None]]
"""Do what follows from the end of a match, in the same transaction."""
FindsHeldUp = Callable[[AsyncConnection, Callable[[Column[int]], ColumnElement[bool]]], Awaitable[list[HeldUp]]]
"""Find what cannot go on in the guilds that a condition on a column of guild ids chooses."""
Rebuilds = Callable[[AsyncConnection], Awaitable[int]]
"""Compute derived rows again; returns their number."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Everything that features have registered."""

    user_tables: list[Table] = field(default_factory=list)
    """Tables whose rows each belong to one `user_id`: exported and erased as they are."""
    user_columns: list[Column[int]] = field(default_factory=list)
    """Columns of user ids in other tables."""
    guild_columns: list[Column[int]] = field(default_factory=list)
    """Columns of guild ids: a guild that stands in one is known."""
    user_erasers: list[Erases] = field(default_factory=list)
    """Run before the rows of `user_tables` are deleted."""
    user_exporters: dict[str, Exports] = field(default_factory=dict)
    """By the name of their part of an export."""
    guild_purgers: list[Purges] = field(default_factory=list)
    match_enders: list[Ends] = field(default_factory=list)
    held_up: list[FindsHeldUp] = field(default_factory=list)
    rebuilders: dict[str, Rebuilds] = field(default_factory=dict)
    """By the name of what they compute again."""


_HOOKS: Final = Hooks()


def register_user_table(table: Table) -> Table:
    """Register a table whose rows each belong to one user."""
    _HOOKS.user_tables.append(table)
    return table


def register_user_column(column: Column[int]) -> None:
    """Register another column of user ids."""
    _HOOKS.user_columns.append(column)


def register_guild_column(column: Column[int]) -> None:
    """Register a column of guild ids."""
    _HOOKS.guild_columns.append(column)


def erases_user(hook: Erases) -> Erases:
    """Register what erases a user's data in a feature."""
    _HOOKS.user_erasers.append(hook)
    return hook


def exports_user(name: str) -> Callable[[Exports], Exports]:
    """Register a feature's part of the export of a user's data."""

    def register(hook: Exports) -> Exports:
        _HOOKS.user_exporters[name] = hook
        return hook

    return register


def purges_guild(hook: Purges) -> Purges:
    """Register what deletes a guild's data in a feature."""
    _HOOKS.guild_purgers.append(hook)
    return hook


def ends_match(hook: Ends) -> Ends:
    """Register what a feature does when a match has ended, whatever its result."""
    _HOOKS.match_enders.append(hook)
    return hook


def finds_held_up(hook: FindsHeldUp) -> FindsHeldUp:
    """Register what finds things of a feature that cannot go on."""
    _HOOKS.held_up.append(hook)
    return hook


def rebuilds(name: str) -> Callable[[Rebuilds], Rebuilds]:
    """Register what computes a feature's derived rows again."""

    def register(hook: Rebuilds) -> Rebuilds:
        _HOOKS.rebuilders[name] = hook
        return hook

    return register


@cache
def registered() -> Hooks:
    """Return everything that features register, of all packages of `data.store` that have a `store` module."""
    root = Path(__file__).parents[1]
    for found in sorted(root.glob("*/store.py")):
        import_module(f"data.store.{found.parent.name}.store")
    return _HOOKS
