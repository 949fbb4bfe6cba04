"""The cards of a profile and of a puzzle. The puzzle card shows the result by colours and signs only."""

from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest
from PIL import Image

from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.graph import FORM_HEIGHT, GRAPH_HEIGHT, Graph, ResultMark
from render.canvas.picture import MARGIN as HEADER_MARGIN
from render.canvas.picture import WIDTH
from render.canvas.theme import DARK, SCHEMES, Theme
from render.profiles.picture import FACTS_TOP, GAP, MARGIN, render_profile_card
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
from tests.render.colour_vision import compute_contrast, compute_distance
from tests.render.pixels import count_ivory, count_pixels, to_rgb

FACTS = [("Rating", "1532 ± 61"), *((f"Label {number}", str(number)) for number in range(20))]


@pytest.mark.parametrize("facts", [0, 1, 2, 4, 5, 7, 9, 13])
def test_card_is_as_high_as_its_facts_need(facts: int) -> None:
    picture = render_profile_card("Ada", "Three servers", FACTS[:facts])
    image = to_rgb(picture)
    small = max(0, facts - 1)
    assert picture.height == 342 + 132 * -(-small // 4)
    assert (count_pixels(image, DARK.slot) > 50_000) == (small > 0)
    assert (count_pixels(image, DARK.accent) > 1000) == (facts > 0)


@pytest.mark.parametrize("text", ["", "🦊", "W" * 300, "田中", "\u202eAda"])
def test_any_text_can_be_drawn(text: str) -> None:
    image = to_rgb(render_profile_card(text, text, [(text, text)] * 7))
    # No text covers the emblem at the right.
    assert count_ivory(image, (850, 30, 1160, 310)) > 10_000


FORM = ("Last matches", [ResultMark("1", True), ResultMark("2", False), ResultMark("3", False), ResultMark("1", True)])
RATING_GRAPH = Graph("Rating over 5 matches", (1500, 1530, 1490, 1540, 1600, 1580), "1490", "1600", "1580")


def test_last_matches_and_graph_are_drawn_below_facts() -> None:
    bare = render_profile_card("Ada", "Triominoes", FACTS[:5])
    both = render_profile_card("Ada", "Triominoes", FACTS[:5], form=FORM, graph=RATING_GRAPH)
    assert both.height == bare.height + FORM_HEIGHT + GRAPH_HEIGHT + 2 * GAP
    top = bare.height - 6 - MARGIN // 2 + GAP
    row = (MARGIN, top, WIDTH - MARGIN, top + FORM_HEIGHT)
    assert count_pixels(to_rgb(both).crop(row), DARK.plate) > 2 * 40 * 40, "two matches were won"
    lost = render_profile_card("Ada", "Triominoes", FACTS[:5], form=("Last matches", FORM[1][1:3]), graph=RATING_GRAPH)
    assert count_pixels(to_rgb(lost).crop(row), DARK.plate) < 100


def test_profile_with_many_matches_keeps_its_size() -> None:
    many = [ResultMark("1", True)] * 40 + FORM[1]
    assert to_rgb(render_profile_card("Ada", "", FACTS[:1], form=("Form", many))).size[0] == WIDTH
    long = render_profile_card("Ada", "", FACTS[:1], form=("W" * 200, [ResultMark("W" * 9, False)] * 3))
    assert long.height == render_profile_card("Ada", "", FACTS[:1], form=FORM).height


@pytest.mark.parametrize("values", [(1500, 1500), (0, 1), (-3, 2, 5, -1), tuple(range(1400, 1500))])
def test_any_course_stays_on_its_plate(values: tuple[int, ...]) -> None:
    graph = Graph("Lead", values, str(min(values)), str(max(values)), str(values[-1]), has_zero_line=True)
    image = to_rgb(render_profile_card("Ada", "", [], graph=graph))
    plate = image.crop((MARGIN // 2, FACTS_TOP, WIDTH - MARGIN // 2, FACTS_TOP + GRAPH_HEIGHT))
    for edge in ((0, 0, WIDTH, FACTS_TOP), (0, FACTS_TOP + GRAPH_HEIGHT, WIDTH, image.size[1])):
        assert count_pixels(image.crop(edge), DARK.accent) == 0
    assert count_pixels(plate, DARK.accent) > 1000


def test_higher_value_is_drawn_higher() -> None:
    def compute_middle(values: tuple[int, ...]) -> float:
        image = to_rgb(render_profile_card("", "", [], graph=Graph("", values, "", "", "")))
        rows = range(FACTS_TOP + 80, FACTS_TOP + GRAPH_HEIGHT)
        return fmean(y for y in rows if image.getpixel((WIDTH - 120, y)) == DARK.accent)

    assert compute_middle((0, 9, 9)) < compute_middle((0, 9, 5)) < compute_middle((0, 9, 0))


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
        # A pixel below the sign in the middle, and one beside it.
        pixel = image.getpixel((x + across, y + down + (58 if outline is Outline.UP else -58)))
        tries += {theme.loss: "x", theme.gain: "o"}.get(pixel, ".")  # type: ignore[arg-type]
    return tries


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_try_is_triangle_in_colour_of_its_result(scheme: str) -> None:
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
    # The heading has brass words, too.
    below = (HEADER_MARGIN, 180, WIDTH, render_puzzle_card(CARD).height)
    assert count_pixels(to_rgb(render_puzzle_card(CARD)), theme.brass, below) == 0
    assert count_pixels(to_rgb(render_puzzle_card(replace(CARD, has_hint=True))), theme.brass, below) > 2000


def test_streak_row_grows_with_days_up_to_two_weeks() -> None:
    bare, theme = render_puzzle_card(CARD), SCHEMES["dark"]
    left, top = WIDTH - HEADER_MARGIN - 30 - (MAX_DAYS + 1) * DAY_EDGE // 2, bare.height - 8
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
    assert count_pixels(image, theme.text, (WIDTH - HEADER_MARGIN, 0, *image.size)) == 0, (
        "nothing is written over the edge"
    )
