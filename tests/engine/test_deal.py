"""How a match starts: how many may play, and what is dealt to them (RULES §§3-6)."""

import pytest

from engine.decide import start
from engine.errors import RuleBroken, Why
from engine.events import Dealt, Started
from tests.engine.readings import read
from tests.engine.tables import RULES, SECRET

QUAD = read("quad-ominos")


@pytest.mark.parametrize("seats", [-1, 0, 1, 13, 100])
@pytest.mark.parametrize(
    ("game", "most"),
    [("triominoes", 6), ("quad-ominos", 12), ("points", 6), ("muggins", 6), ("star", 6), ("trioker", 4)],
)
def test_a_match_of_too_few_or_too_many_is_refused(game: str, most: int, seats: int):
    with pytest.raises(RuleBroken) as refused:
        start(read(game), seats=seats, computers=(), by_hand=False, secret=SECRET)

    assert refused.value.why is Why.SEAT_COUNT
    assert refused.value.facts == {"seats": seats, "least": 2, "most": most}


@pytest.mark.parametrize(
    ("options", "sizes", "left"),
    [
        ("star boss=out", [17, 11, 8, 7, 5], [1, 2, 3, 0, 5]),
        ("star", [18, 12, 9, 7, 6], [0, 0, 0, 1, 0]),
        ("muggins tile_set=td56", [28, 18, 14, 11, 9], [0, 2, 0, 1, 2]),
        ("points tile_set=td56 boss=in", [28, 19, 14, 11, 9], [1, 0, 1, 2, 3]),
        ("trioker", [12, 8, 6], [0, 0, 0]),
        ("trioker trioker_joker=on", [12, 8, 6], [1, 1, 1]),
    ],
)
def test_a_game_without_a_boneyard_is_dealt_out_evenly_and_sets_the_rest_aside(
    options: str, sizes: list[int], left: list[int]
):
    game, _, others = options.partition(" ")
    for seats, (size, rest) in enumerate(zip(sizes, left, strict=True), 2):
        _, dealt = start(read(game, others), seats=seats, computers=(), by_hand=False, secret=SECRET)

        assert isinstance(dealt, Dealt)
        assert [len(held) for held in dealt.hands] == [size] * seats
        assert (len(dealt.aside), dealt.boneyard) == (rest, ())


def test_the_well_of_quad_ominos_is_what_the_rules_count():
    wells = []
    for seats in range(2, 13):
        _, dealt = start(QUAD, seats=seats, computers=(), by_hand=False, secret=SECRET)
        assert isinstance(dealt, Dealt)
        wells.append(len(dealt.boneyard))

    assert wells == [65, 65, 65, 65, 65, 55, 45, 35, 25, 15, 5]


def test_a_match_starts_with_a_deal_of_the_sizes_of_the_rules():
    for seats, hand in [(2, 9), (3, 7), (4, 7), (5, 6), (6, 6)]:
        begun, dealt = start(RULES, seats=seats, computers=[1], by_hand=False, secret=SECRET)

        assert isinstance(begun, Started)
        assert isinstance(dealt, Dealt)
        assert [len(held) for held in dealt.hands] == [hand] * seats
        assert len(dealt.boneyard) == 56 - seats * hand
        assert begun.computers == (1,)
