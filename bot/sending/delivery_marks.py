"""Marks on a post that identify it in its channel when it is unknown whether it arrived.

The mark of a button is letters only, so it cannot be mistaken for a tile.
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import discord
from discord import ui

from bot.core.layout import parse_custom_id


def compute_mark(nonce: str, version: int | None = None) -> str:
    """Return the mark for a nonce: 16 letters, and four more for the shown state if it can change."""
    mark = _to_letters(blake2b(nonce.encode(), digest_size=8).digest())
    return mark if version is None else mark + _to_letters((version & 0xFFFF).to_bytes(2, "big"))


def _to_letters(data: bytes) -> str:
    return "".join(chr(ord("a") + int(digit, 16)) for digit in data.hex())


def _to_component_id(mark: str) -> int:
    """Return the mark as a component id, above all ids that Discord assigns."""
    return (1 << 28) + int("".join(f"{ord(letter) - ord('a'):x}" for letter in mark[:7]), 16)


def mark_view(view: ui.LayoutView | ui.View, mark: str) -> None:
    """Mark the buttons of a view before it is sent; without such buttons, its first component."""
    buttons = [item for item in view.walk_children() if isinstance(item, ui.Button)]
    ours = [(item, press) for item in buttons if (press := parse_custom_id(item.custom_id or "")) is not None]
    for item, press in ours:
        item.custom_id = str(replace(press, mark=mark))
    if not ours:
        for first in view.walk_children():
            first.id = _to_component_id(mark)
            break


def is_marked(message: discord.Message, nonce: str) -> bool:
    """Return whether a message was made with this nonce, whatever state it shows."""
    mark = compute_mark(nonce)
    number = _to_component_id(mark)
    return any(getattr(part, "id", None) == number for part in _walk(message.components)) or any(
        one.startswith(mark) for one in iterate_marks(message)
    )


def iterate_marks(message: discord.Message) -> Iterator[str]:
    for part in _walk(message.components):
        press = parse_custom_id(getattr(part, "custom_id", None) or "")
        if press is not None and press.mark:
            yield press.mark


def _walk(parts: Any) -> Iterator[Any]:
    for part in parts:
        yield part
        yield from _walk(getattr(part, "children", ()))
