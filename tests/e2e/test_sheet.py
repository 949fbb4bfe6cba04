"""The sheet of scenes: every picture where it belongs, and beside it what was there before."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from tests.e2e.sheet import CAPTION, GAP, GROUND, HEIGHT, LOOKS, read_each, sheet, write_each

Colour = tuple[int, int, int]
OLD, NEW = (200, 0, 0), (0, 0, 200)


def columns(colour: Colour, *scenes: str) -> list[dict[str, bytes]]:
    """What was seen in each column, one colour all over."""
    found = []
    for size, *_ in LOOKS:
        file = io.BytesIO()
        Image.new("RGB", (size["width"] // 10, size["height"] // 10), colour).save(file, "PNG")
        found.append(dict.fromkeys(scenes, file.getvalue()))
    return found


def colours(whole: Image.Image, row: int) -> list[object]:
    """What stands in the middle of each picture of a row, from left to right."""
    x, found = GAP, []
    for size, *_ in LOOKS:
        wide = round(size["width"] * HEIGHT / size["height"])
        for _ in range(2):
            found.append(whole.getpixel((x + wide // 2, CAPTION + row * (HEIGHT + GAP) + HEIGHT // 2)))
            x += wide + GAP
    assert x == whole.width
    return found


def test_what_was_there_before_stands_beside_what_is_there_now(tmp_path: Path) -> None:
    write_each(columns(OLD, "opening", "a-game-that-went"), tmp_path)
    whole = sheet(columns(NEW, "opening", "the-end"), read_each(tmp_path))
    assert whole.height == CAPTION + 3 * (HEIGHT + GAP)
    assert [colours(whole, row)[:2] for row in range(3)] == [[OLD, NEW], [GROUND, NEW], [OLD, GROUND]]
    assert colours(whole, 0) == [OLD, NEW] * len(LOOKS)


def test_without_one_to_compare_with_there_is_a_column_a_look() -> None:
    whole = sheet(columns(NEW, "opening"))
    assert whole.width == GAP + sum(round(size["width"] * HEIGHT / size["height"]) + GAP for size, *_ in LOOKS)
