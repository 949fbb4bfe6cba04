"""The colours of the values: distinct for every colour vision, with readable digits."""

from dataclasses import fields
from itertools import combinations
from math import dist

import pytest
from PIL import Image

from render.canvas.palette import SHADES, SIZE, get_palette
from render.canvas.theme import DARK, SCHEMES, Colour, Theme
from render.canvas.tokens import SEAT_SHAPES, render_seat_token
from tests.render.sights import SIGHTS, compute_contrast, compute_distance

MIN_VALUE_DISTANCE = 11.0
MIN_SEAT_DISTANCE = 11.4
MIN_CONTRAST = 4.5

THEMES = list(SCHEMES.values())


def list_colours(theme: Theme) -> list[Colour]:
    found = [getattr(theme, field.name) for field in fields(theme)]
    colours = [colour for colour in found if isinstance(colour, tuple) and isinstance(colour[0], int)]
    return [*colours, *theme.values, *theme.seats]


def compute_min_distance(one: Colour, other: Colour) -> float:
    return min(compute_distance(one, other, sight) for sight in SIGHTS)


@pytest.mark.parametrize("theme", THEMES)
def test_any_two_of_all_ten_values_are_still_apart(theme: Theme) -> None:
    assert len(theme.values) == 10
    assert min(compute_min_distance(one, other) for one, other in combinations(theme.values, 2)) >= MIN_VALUE_DISTANCE


@pytest.mark.parametrize("theme", THEMES)
def test_twelve_seats_are_distinct_by_colour_or_sign(theme: Theme) -> None:
    assert min(compute_min_distance(one, other) for one, other in combinations(theme.seats, 2)) >= MIN_SEAT_DISTANCE
    assert len(SEAT_SHAPES) == len(theme.seats) == 6
    assert len({render_seat_token(theme, seat, 30).index_image.tobytes() for seat in range(12)}) == 12


@pytest.mark.parametrize("theme", THEMES)
def test_every_digit_can_be_read_on_its_value(theme: Theme) -> None:
    assert (
        min(compute_contrast(value, theme.get_digit_colour(number)) for number, value in enumerate(theme.values))
        >= MIN_CONTRAST
    )


@pytest.mark.parametrize("theme", THEMES)
def test_text_colours_have_contrast_on_every_background(theme: Theme) -> None:
    for text in (theme.text, theme.quiet, theme.accent):
        assert min(compute_contrast(text, ground) for ground in (theme.cloth, theme.slot)) >= MIN_CONTRAST
    assert min(compute_contrast(text, theme.slot) for text in (theme.gain, theme.loss)) >= MIN_CONTRAST
    assert min(compute_contrast(text, theme.plate) for text in (theme.ink, theme.ink_quiet)) >= MIN_CONTRAST
    assert compute_contrast(theme.ink_quiet, theme.ivory_low) >= MIN_CONTRAST


@pytest.mark.parametrize("theme", THEMES)
def test_palette_holds_every_colour_of_theme(theme: Theme) -> None:
    found = get_palette(theme).colours
    assert len(found) <= SIZE
    for colour in list_colours(theme):
        assert colour in found or min(dist(colour, other) for other in found) < 5


def test_flat_colour_survives_being_turned_into_palette_numbers() -> None:
    palette = get_palette(DARK)
    # Of the shades of the cloth, two are within the step in which Pillow looks.
    colours = [colour for colour in list_colours(DARK) if colour in palette.colours[SHADES:]]
    strip = Image.new("RGB", (len(colours), 1))
    strip.putdata(colours)
    found = [palette.colours[number] for number in palette.to_index_image(strip).tobytes()]
    # Pillow looks in steps of four: of two colours that are so near to each other it may take the other.
    assert (
        max(abs(a - b) for one, other in zip(colours, found, strict=True) for a, b in zip(one, other, strict=True)) < 6
    )


@pytest.mark.parametrize("theme", THEMES)
def test_palette_starts_with_cloth_and_darkens_by_shade(theme: Theme) -> None:
    shades = [sum(colour) for colour in get_palette(theme).colours[:SHADES]]
    assert shades == sorted(shades, reverse=True)
    assert get_palette(theme).colours[0] == theme.cloth
