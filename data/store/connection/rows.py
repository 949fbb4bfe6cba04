"""Rows of SQL tables as values."""

from typing import Any, TypeVar

T = TypeVar("T")


def to_value(kind: type[T], row: Any, **others: Any) -> T:
    """Make a dataclass from the columns of a row that have the names of its fields; `others` are its other fields."""
    columns, names = row._mapping, kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**others, **{name: columns[name] for name in names if name not in others})
