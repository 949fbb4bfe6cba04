"""Colours: distinct for every colour vision by CIEDE2000 and Machado et al., with readable digits on them."""

from dataclasses import fields
from math import dist

import pytest
from PIL import Image

from render.canvas.palette import COMMON_VALUES, SHADES, SIZE, get_palette
from render.canvas.theme import DARK, SCHEMES, Colour, Theme
from render.canvas.tokens import SEAT_SHAPES, render_seat_token
from tests.render.colour_vision import (
    SIGHTS,
    Lab,
    compute_ciede2000,
    compute_contrast,
    find_nearest_pair,
    simulate_colour,
)

MIN_VALUE_DISTANCE = 11.0
MIN_SEAT_DISTANCE = 11.4
MIN_FULL_COLOUR_DISTANCE = 24.0
MIN_CONTRAST = 4.5

PUBLISHED_DISTANCES = [
    # Sharma, Wu and Dalal 2005, "The CIEDE2000 color-difference formula", table 1.
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]

THEMES = list(SCHEMES.values())


def list_colours(theme: Theme) -> list[Colour]:
    found = [getattr(theme, field.name) for field in fields(theme)]
    colours = [colour for colour in found if isinstance(colour, tuple) and isinstance(colour[0], int)]
    return [*colours, *theme.values, *theme.seats]


@pytest.mark.parametrize(("one", "other", "distance"), PUBLISHED_DISTANCES)
def test_colour_distances_equal_published_values(one: Lab, other: Lab, distance: float) -> None:
    assert compute_ciede2000(one, other) == pytest.approx(distance, abs=0.0001)
    assert compute_ciede2000(other, one) == pytest.approx(distance, abs=0.0001)


@pytest.mark.parametrize("colour", [(255, 255, 255), (0, 0, 0)])
def test_white_and_black_are_unchanged_by_colour_blindness(colour: Colour) -> None:
    assert {simulate_colour(colour, sight) for sight in SIGHTS} == {colour}


@pytest.mark.parametrize("theme", THEMES)
def test_all_ten_values_are_distinct_for_every_colour_vision(theme: Theme) -> None:
    assert len(theme.values) == 10
    assert min(find_nearest_pair(theme.values, sight)[0] for sight in SIGHTS) >= MIN_VALUE_DISTANCE
    assert find_nearest_pair(theme.values[:COMMON_VALUES], "all colours")[0] >= MIN_FULL_COLOUR_DISTANCE


@pytest.mark.parametrize("theme", THEMES)
def test_twelve_seats_are_distinct_by_colour_or_sign(theme: Theme) -> None:
    assert min(find_nearest_pair(theme.seats, sight)[0] for sight in SIGHTS) >= MIN_SEAT_DISTANCE
    assert find_nearest_pair(theme.seats, "all colours")[0] >= MIN_FULL_COLOUR_DISTANCE
    assert len(SEAT_SHAPES) == len(theme.seats) == 6
    assert len({render_seat_token(theme, seat, 30).index_image.tobytes() for seat in range(12)}) == 12


@pytest.mark.parametrize("theme", THEMES)
def test_every_digit_can_be_read_on_its_value(theme: Theme) -> None:
    for number, value in enumerate(theme.values):
        assert compute_contrast(value, theme.get_digit_colour(number)) >= MIN_CONTRAST


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


def test_flat_colour_is_unchanged_by_palette_conversion() -> None:
    palette = get_palette(DARK)
    # Two shades of the cloth are closer than the step of Pillow's search.
    colours = [colour for colour in list_colours(DARK) if colour in palette.colours[SHADES:]]
    strip = Image.new("RGB", (len(colours), 1))
    strip.putdata(colours)
    found = [palette.colours[number] for number in palette.to_index_image(strip).tobytes()]
    # Pillow searches in steps of four, so it may confuse two colours that are that close.
    for one, other in zip(colours, found, strict=True):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 6


@pytest.mark.parametrize("theme", THEMES)
def test_palette_starts_with_cloth_and_darkens_by_shade(theme: Theme) -> None:
    shades = [sum(colour) for colour in get_palette(theme).colours[:SHADES]]
    assert shades == sorted(shades, reverse=True)
    assert get_palette(theme).colours[0] == theme.cloth
