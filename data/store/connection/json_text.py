"""JSON in text columns."""

from collections.abc import Mapping
from typing import Any

import msgspec


def to_text(value: object) -> str:
    """JSON text."""
    return msgspec.json.encode(value).decode()


def to_mapping(text: str) -> Mapping[str, Any]:
    """The JSON object of a settings or body column."""
    return msgspec.json.decode(text, type=dict[str, Any])
