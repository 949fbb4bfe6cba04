"""The colours of the values: apart for everybody, and their digits readable."""

from collections.abc import Sequence
from itertools import combinations
from math import dist

from PIL import Image

from render.palette import SHADES, SIZE, USUAL, colours, nearest, numbered
from render.theme import THEME, Colour

DISTANCE = 34.0
"""The least CIE76 distance between two values, and between a value and the face, for every kind of sight below."""
DISTANCE_OF_TEN = 26.0
"""The same where a set has more than seven values: then the digit's own colour helps."""
SEAT_DISTANCE = 30.0
"""Between the colours of two seats as most people see them; a seat's name always stands beside its colour."""
CONTRAST = 4.5
"""What WCAG asks of text."""

FLAT = [
    *(THEME.panel, THEME.panel_on, THEME.groove, THEME.badge, THEME.faint, THEME.grey, THEME.white),
    *(THEME.gold, THEME.mint, THEME.coral, THEME.pink, THEME.face, THEME.lip, THEME.gap, THEME.ground),
    *(*THEME.values, *THEME.seats, THEME.light_digit, THEME.dark_digit),
]
"""Every colour that covers whole areas."""

Matrix = tuple[tuple[float, float, float], ...]

SIGHTS: dict[str, Matrix] = {
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear light.
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: Colour) -> list[float]:
    return [c / 12.92 if (c := part / 255) <= 0.04045 else pow((c + 0.055) / 1.055, 2.4) for part in colour]


def times(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [sum(factor * part for factor, part in zip(row, vector, strict=True)) for row in matrix]


def lab(light: Sequence[float]) -> tuple[float, float, float]:
    to_xyz = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (part / white for part, white in zip(times(to_xyz, light), (0.95047, 1.0, 1.08883), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen_as(colour: Colour, sight: str) -> tuple[float, float, float]:
    return lab([min(1.0, max(0.0, part)) for part in times(SIGHTS[sight], linear(colour))])


def distance(one: Colour, other: Colour) -> float:
    """The least distance over all kinds of sight."""
    return min(dist(seen_as(one, sight), seen_as(other, sight)) for sight in SIGHTS)


def contrast(one: Colour, other: Colour) -> float:
    dark, light = sorted(
        sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


def test_any_two_usual_values_are_apart_for_people_who_see_few_colours() -> None:
    assert min(distance(one, other) for one, other in combinations(THEME.values[:USUAL], 2)) >= DISTANCE


def test_any_two_of_all_ten_values_are_still_apart() -> None:
    assert len(THEME.values) == 10
    assert min(distance(one, other) for one, other in combinations(THEME.values, 2)) >= DISTANCE_OF_TEN


def test_any_two_of_twelve_seats_are_apart() -> None:
    assert len(THEME.seats) == 12
    seats = [lab(linear(colour)) for colour in THEME.seats]
    assert min(dist(one, other) for one, other in combinations(seats, 2)) >= SEAT_DISTANCE


def test_every_value_stands_off_the_face_of_the_tile() -> None:
    assert min(distance(value, THEME.face) for value in THEME.values[:USUAL]) >= DISTANCE
    assert min(distance(value, THEME.face) for value in THEME.values) >= DISTANCE_OF_TEN


def test_every_digit_can_be_read_on_its_value() -> None:
    assert min(contrast(value, THEME.digit(number)) for number, value in enumerate(THEME.values)) >= CONTRAST


def test_texts_can_be_read_on_every_ground_they_stand_on() -> None:
    texts = (THEME.white, THEME.grey, THEME.gold, THEME.mint, THEME.coral)
    assert min(contrast(text, ground) for text in texts for ground in (THEME.ground, THEME.panel)) >= CONTRAST


def test_the_palette_holds_every_colour_of_the_theme() -> None:
    assert set(FLAT) <= set(colours())
    assert len(colours()) <= SIZE


def test_a_flat_colour_survives_being_turned_into_palette_numbers() -> None:
    strip = Image.new("RGB", (len(FLAT), 1))
    strip.putdata(FLAT)
    assert [colours()[number] for number in numbered(strip).tobytes()] == FLAT


def test_a_deeper_shadow_has_a_smaller_number() -> None:
    shades = [sum(colour) for colour in colours()[:SHADES]]
    assert shades == sorted(shades)
    assert nearest(THEME.ground) == SHADES - 1
