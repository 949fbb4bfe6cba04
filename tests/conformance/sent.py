"""The pictures that a bot has sent, to tell how one differs from the one it should be: messages tell sizes only."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from unittest.mock import patch

import discord
from PIL import Image, ImageChops


@dataclass(frozen=True)
class Sent:
    """A file that went along with a message."""

    name: str
    data: bytes


@contextmanager
def sent() -> Iterator[list[Sent]]:
    """All files that go out as long as the block lasts."""
    found: list[Sent] = []
    described = discord.File.to_dict

    def noted(file: discord.File, index: int) -> dict[str, Any]:
        at = file.fp.tell()
        found.append(Sent(file.filename, file.fp.read()))
        file.fp.seek(at)
        return described(file, index)

    with patch.object(discord.File, "to_dict", noted):
        yield found


def unlike(simcord: Sequence[Sent], local: Sequence[Sent]) -> Iterator[str]:
    """How each picture that only the local Discord was sent differs from the one of that name nearest in size."""
    for one in dict.fromkeys(local):
        others = [other for other in simcord if other.name == one.name]
        if one.data[:4] == b"\x89PNG" and others and one not in others:
            nearest = min(others, key=lambda other: abs(len(other.data) - len(one.data)))
            sizes = f"{one.name}: simcord {len(nearest.data)} bytes, local {len(one.data)}"
            yield f"{sizes}, {difference(nearest.data, one.data)}"


def difference(simcord: bytes, local: bytes) -> str:
    """What is not the same in two pictures."""
    one, other = (Image.open(BytesIO(data)).convert("RGB") for data in (simcord, local))
    if one.size != other.size:
        return f"{one.size} pixels, {other.size} pixels"
    box = ImageChops.difference(one, other).getbbox()
    if box is not None:
        parts = [list(picture.crop(box).tobytes()[:60]) for picture in (one, other)]
        return f"other pixels in {box}, which begin {parts[0]}, {parts[1]}"
    unlike = [pair for pair in zip(chunks(simcord), chunks(local), strict=False) if pair[0] != pair[1]]
    kinds = ", ".join(kind.decode() for (kind, _), _ in unlike)
    words = [content for pair in unlike for kind, content in pair if kind == b"tEXt"]
    return f"the same pixels, but other {kinds} {words}"


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """The parts of a file, each its kind and its content."""
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    return found
