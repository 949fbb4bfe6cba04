"""A person's card."""

from statistics import fmean

import pytest

from render.canvas.graph import FORM_HEIGHT, GRAPH_HEIGHT, Graph, ResultMark
from render.canvas.picture import WIDTH
from render.canvas.theme import DARK
from render.profiles.picture import FACTS_TOP, GAP, MARGIN, render_profile_card
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
    # The emblem at the right is never written over.
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
