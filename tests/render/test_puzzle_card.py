"""The puzzle card shows the result by colours and signs only."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PIL import Image

from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.picture import MARGIN, WIDTH
from render.canvas.theme import SCHEMES, Theme
from render.puzzles.picture import (
    DAY_EDGE,
    MAX_DAYS,
    STREAK_HEIGHT,
    TRY_EDGE,
    PuzzleCard,
    choose_ink,
    locate_try,
    render_puzzle_card,
)
from tests.render.pixels import count_pixels, to_rgb
from tests.render.sights import compute_contrast, compute_distance

CARD = PuzzleCard(
    title="Puzzle of Nov 4, 2026 · Triominoes",
    kind="The best move",
    name="Ada",
    miss_count=1,
    is_solved=True,
    has_hint=False,
    max_tries=3,
)


def read_tries(image: Image.Image, theme: Theme) -> str:
    tries = ""
    for number in range(3):
        x, y = locate_try(number)
        outline = Outline.DOWN if number % 2 else Outline.UP
        across, down = outline.compute_centre_pixel(TRY_EDGE)
        # Below the sign in the middle, and wide of it.
        pixel = image.getpixel((x + across, y + down + (58 if outline is Outline.UP else -58)))
        tries += {theme.loss: "x", theme.gain: "o"}.get(pixel, ".")  # type: ignore[arg-type]
    return tries


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_try_is_triangle_in_colour_of_how_it_went(scheme: str) -> None:
    theme = SCHEMES[scheme]
    for missed, solved, wanted in ((0, True, "o.."), (1, True, "xo."), (2, True, "xxo"), (3, False, "xxx")):
        image = to_rgb(render_puzzle_card(replace(CARD, miss_count=missed, is_solved=solved), scheme=scheme))
        assert read_tries(image, theme) == wanted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_signs_can_be_distinguished_without_colours(scheme: str) -> None:
    theme = SCHEMES[scheme]
    for colour in (theme.gain, theme.loss, theme.brass):
        assert compute_contrast(choose_ink(theme, colour), colour) >= 4.5
    assert compute_distance(theme.gain, theme.loss, "all colours") > 20
    x, y = locate_try(0)
    box, ink = (x, y, x + TRY_EDGE, y + compute_triangle_height(TRY_EDGE)), []
    for card, colour in ((CARD, theme.loss), (replace(CARD, miss_count=0), theme.gain)):
        ink.append(count_pixels(to_rgb(render_puzzle_card(card, scheme=scheme)), choose_ink(theme, colour), box))
    assert min(ink) > 500
    assert abs(ink[0] - ink[1]) > 100, "they are two signs"


def test_brass_hint_sign_is_shown_only_after_hint() -> None:
    theme = SCHEMES["dark"]
    # Words are brass in the heading, too.
    below = (MARGIN, 180, WIDTH, render_puzzle_card(CARD).height)
    assert count_pixels(to_rgb(render_puzzle_card(CARD)), theme.brass, below) == 0
    assert count_pixels(to_rgb(render_puzzle_card(replace(CARD, has_hint=True))), theme.brass, below) > 2000


def test_streak_row_grows_with_days_up_to_two_weeks() -> None:
    bare, theme = render_puzzle_card(CARD), SCHEMES["dark"]
    left, top = WIDTH - MARGIN - 30 - (MAX_DAYS + 1) * DAY_EDGE // 2, bare.height - 8
    found = []
    for days in (2, 5, MAX_DAYS, 128):
        card = replace(CARD, streak=f"{days} days in a row", streak_days=days)
        row = (left, top, WIDTH, top + STREAK_HEIGHT)
        found.append(count_pixels(to_rgb(render_puzzle_card(card)), theme.gain, row))
    assert all(less < more for less, more in pairwise(found[:3]))
    assert found[2] == found[3], "the number beside them says how many more"
    assert found[2] == pytest.approx(found[0] * MAX_DAYS / 2, rel=0.02)


@pytest.mark.parametrize("text", ["", "🦊", "W" * 300, "田中", "\u202eAda", "**Ada** [x](y)"])
def test_any_text_stays_inside_its_place_on_card(text: str) -> None:
    card = replace(CARD, title=text, kind=text, name=text, streak=text or "1", streak_days=400, has_hint=True)
    image = to_rgb(render_puzzle_card(card))
    theme = SCHEMES["dark"]
    assert read_tries(image, theme) == "xo."
    assert count_pixels(image, theme.text, (WIDTH - MARGIN, 0, *image.size)) == 0, "nothing is written over the edge"
