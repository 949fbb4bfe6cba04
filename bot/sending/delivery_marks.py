"""Marks on a post, by which it is found again in its channel when nobody knows whether it arrived.

The mark of a button is letters only, so that nobody can read a tile into it.
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import discord
from discord import ui

from bot.core.layout import parse


def mark_of(nonce: str, version: int | None = None) -> str:
    """The mark of the post with this nonce: 16 letters, and four more for the state it shows, where that can change."""
    mark = _letters(blake2b(nonce.encode(), digest_size=8).digest())
    return mark if version is None else mark + _letters((version & 0xFFFF).to_bytes(2, "big"))


def _letters(data: bytes) -> str:
    return "".join(chr(ord("a") + int(digit, 16)) for digit in data.hex())


def _number(mark: str) -> int:
    """The mark as a component's number, which Discord keeps: above all those that it gives out itself."""
    return (1 << 28) + int("".join(f"{ord(letter) - ord('a'):x}" for letter in mark[:7]), 16)


def put(view: ui.LayoutView | ui.View, mark: str) -> None:
    """Mark the buttons of a view that is about to be sent; where it has none of ours, its first part."""
    pressed = [(item, parse(item.custom_id or "")) for item in view.walk_children() if isinstance(item, ui.Button)]
    ours = [(item, press) for item, press in pressed if press is not None]
    for item, press in ours:
        item.custom_id = str(replace(press, mark=mark))
    if not ours:
        for first in view.walk_children():
            first.id = _number(mark)
            break


def is_marked(message: discord.Message, nonce: str) -> bool:
    """Whether a message was made of the post with this nonce, whatever state it shows."""
    mark = mark_of(nonce)
    number = _number(mark)
    return any(getattr(part, "id", None) == number for part in _walk(message.components)) or any(
        one.startswith(mark) for one in marks(message)
    )


def marks(message: discord.Message) -> Iterator[str]:
    """The marks on the buttons of a message."""
    for part in _walk(message.components):
        press = parse(getattr(part, "custom_id", None) or "")
        if press is not None and press.mark:
            yield press.mark


def _walk(parts: Any) -> Iterator[Any]:
    for part in parts:
        yield part
        yield from _walk(getattr(part, "children", ()))
