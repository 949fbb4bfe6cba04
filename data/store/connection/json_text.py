"""JSON in text columns."""

from collections.abc import Mapping
from typing import Any

import msgspec


def to_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def to_mapping(text: str) -> Mapping[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])
