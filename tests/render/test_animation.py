"""Animations: whatever plays them shows the very frames that went in, each for its time."""

from io import BytesIO
from random import Random

import pytest
from PIL import Image, ImageDraw

from render.animation import KINDS, LONGEST, OPAQUE, Animation

WIDE, HIGH = 61, 40
COLOURS = bytes(Random(1).randrange(256) for _ in range(3 * OPAQUE))


def frames(count: int) -> list[Image.Image]:
    rng, found = Random(2), [Image.new("L", (WIDE, HIGH), 7)]
    for number in range(1, count):
        frame = found[-1].copy()
        if number % 4 == 1:
            at = rng.randrange(40), rng.randrange(20)
            ImageDraw.Draw(frame).ellipse((*at, at[0] + 15, at[1] + 12), fill=rng.randrange(OPAQUE))
        elif number % 4 == 2:
            frame = Image.frombytes("L", (WIDE, HIGH), bytes(rng.randrange(OPAQUE) for _ in range(WIDE * HIGH)))
        elif number % 4 == 3:
            frame.putpixel((WIDE - 1, HIGH - 1), rng.randrange(OPAQUE))
        found.append(frame)
    return found


def coloured(frame: Image.Image) -> bytes:
    picture = frame.copy()
    picture.putpalette(COLOURS)
    return picture.convert("RGB").tobytes()


def made(kind: type[Animation], shown: list[tuple[Image.Image, int]]) -> Image.Image:
    animation = kind(WIDE, HIGH, COLOURS)
    for frame, ms in shown:
        animation.add(frame, ms)
    return Image.open(BytesIO(animation.file()))


@pytest.mark.parametrize("ending", KINDS)
def test_each_frame_comes_out_as_it_went_in(ending: str) -> None:
    shown = frames(24)
    played = made(KINDS[ending], [(frame, 100) for frame in shown])
    distinct = [frame for before, frame in zip([None, *shown], shown, strict=False) if frame != before]
    assert len(distinct) < len(shown), "some change nothing"
    assert played.n_frames == len(distinct)  # type: ignore[attr-defined]
    for number, frame in enumerate(distinct):
        played.seek(number)
        assert played.convert("RGB").tobytes() == coloured(frame), number


@pytest.mark.parametrize("ending", KINDS)
def test_each_frame_has_its_time_and_film_begins_anew(ending: str) -> None:
    first, second, third, fourth = frames(4)
    played = made(KINDS[ending], [(first, 400), (second, 1000), (second, 250), (third, 90_000), (fourth, 40)])
    assert played.info["loop"] == 0
    times = []
    for number in range(4):
        played.seek(number)
        times.append(round(played.info["duration"]))
    assert times == [400, 1250, LONGEST // 10 * 10 if ending == ".gif" else LONGEST, 40]


def test_what_knows_nothing_of_frames_shows_first() -> None:
    first, second = frames(2)
    animation = KINDS[".png"](WIDE, HIGH, COLOURS)
    animation.add(first, 100)
    animation.add(second, 100)
    still = Image.open(BytesIO(animation.file()))
    assert still.convert("RGB").tobytes() == coloured(first)
