"""The standings of a division or Swiss tournament: shapes below the name show the result of each round."""

from itertools import combinations

import pytest
from PIL import ImageChops

from render.canvas.picture import Picture
from render.canvas.theme import SCHEMES
from render.leagues.picture import NAME_X, POINTS_X, ROUND_SIZE, LeagueLine, RoundSign, render_league_table
from tests.render.pixels import to_rgb

SIGNS: tuple[RoundSign, ...] = ("won", "tied", "lost", "unplayed", "bye", "open", "none")
ROUND_COUNT = 13


def render_sample(*rounds: RoundSign, name: str = "Ada", scheme: str = "dark", first: bool = False) -> Picture:
    line = LeagueLine(place="1", name=name, points="6", record="3–0–0", difference="8", rounds=rounds, is_first=first)
    return render_league_table("Tuesday", "Round 3 of 4", ["Points", "W–T–L", "Buchholz"], [line], scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("first", [False, True])
def test_every_round_sign_has_a_distinct_shape(scheme: str, first: bool) -> None:
    images = [to_rgb(render_sample(sign, "won", scheme=scheme, first=first)).convert("L") for sign in SIGNS]
    for one, other in combinations(images, 2):
        difference = sum(ImageChops.difference(one, other).histogram()[40:])
        assert difference > 0.07 * ROUND_SIZE * ROUND_SIZE


def test_signs_of_many_rounds_stay_beneath_name() -> None:
    long = "Wilhelmina Quartermaine-Featherstonehaugh"
    few, many = to_rgb(render_sample("lost", name=long)), to_rgb(render_sample(*["lost"] * ROUND_COUNT, name=long))  # type: ignore[list-item]
    box = ImageChops.difference(few, many).getbbox()
    assert box[0] > NAME_X + ROUND_SIZE
    assert box[2] < POINTS_X - 50
    assert box[3] - box[1] <= ROUND_SIZE


def test_line_before_first_round_has_its_name_in_middle() -> None:
    assert ImageChops.difference(to_rgb(render_sample()), to_rgb(render_sample("none"))).getbbox() is not None
