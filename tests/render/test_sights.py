"""Labels and seats are distinct for every colour vision: CIEDE2000 distances, colour blindness by Machado et al."""

import pytest

from render.canvas.palette import COMMON_VALUES
from render.canvas.theme import SCHEMES
from tests.render import sights

MIN_DISTANCE = 11.0
MIN_FULL_COLOUR_DISTANCE = 24.0

PUBLISHED_DISTANCES = [
    # Sharma, Wu and Dalal 2005, "The CIEDE2000 color-difference formula", table 1.
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("one", "other", "distance"), PUBLISHED_DISTANCES)
def test_distances_are_published_ones(one: sights.Lab, other: sights.Lab, distance: float) -> None:
    assert sights.compute_ciede2000(one, other) == pytest.approx(distance, abs=0.0001)
    assert sights.compute_ciede2000(other, one) == pytest.approx(distance, abs=0.0001)


def test_white_and_black_are_unchanged_by_colour_blindness() -> None:
    for sight in sights.SIGHTS:
        assert sights.simulate_colour((255, 255, 255), sight) == (255, 255, 255)
        assert sights.simulate_colour((0, 0, 0), sight) == (0, 0, 0)


@pytest.mark.parametrize("sight", sights.SIGHTS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_labels_and_seats_are_distinct_for_every_colour_vision(scheme: str, sight: str) -> None:
    theme, least = SCHEMES[scheme], MIN_FULL_COLOUR_DISTANCE if sight == "all colours" else MIN_DISTANCE
    assert sights.find_nearest_pair(theme.values[:COMMON_VALUES], sight)[0] >= least
    assert sights.find_nearest_pair(theme.seats, sight)[0] >= least
