"""The shuffle is reproducible, fair and verifiable."""

import json
from collections import Counter
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.rulebook import load_rules
from engine.board.tiles import Tile, format_tile_notation, get_tile_set
from engine.match.shuffle import (
    SECRET_BYTES,
    choose_version,
    compute_commitment,
    derive_seed,
    draw_lot,
    hash_interaction,
    shuffle_tiles,
)

TRIO56 = get_tile_set("trio56")
COUNTING_SECRET = bytes(range(32))
secrets = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES)


@pytest.mark.parametrize(
    ("secret", "number", "first_eight", "digest"),
    [
        (COUNTING_SECRET, 1, "1-2-5 1-3-5 2-4-5 4-5-5 2-2-5 0-1-2 1-5-5 3-4-4", "278a81f143ba8add"),
        (COUNTING_SECRET, 2, "4-4-4 1-1-1 2-2-5 0-0-2 1-2-5 1-1-2 3-4-5 0-1-2", "ecee0c281f600ede"),
        (bytes(32), 1, "3-3-4 0-3-5 0-5-5 3-3-5 2-2-4 1-1-5 1-3-5 5-5-5", "8ceeadf80411447b"),
        (COUNTING_SECRET, 7_690_172, "2-2-3 1-4-4 2-3-5 1-3-4 1-2-5 3-4-4 2-3-4 1-5-5", "972e56bdff11b6ee"),
        (b"\xff" * 32, 65_537, "2-3-5 0-2-2 0-2-5 0-2-3 3-3-3 1-3-5 1-1-3 2-4-5", "3fb053db6d00e52c"),
    ],
    ids=["first round", "second round", "secret of zeros", "a number is left out", "late round"],
)
def test_orders_of_these_secrets_never_change(secret: bytes, number: int, first_eight: str, digest: str):
    order = shuffle_tiles(TRIO56, secret, number)

    assert " ".join(map(format_tile_notation, order[:8])) == first_eight
    assert sha256(" ".join(map(format_tile_notation, order)).encode()).hexdigest()[:16] == digest


@given(secrets, st.integers(1, 99))
def test_order_equals_reference_implementation(secret: bytes, number: int):
    numbers = [
        int.from_bytes(digest[at : at + 4], "big")
        for counter in range(20)
        for digest in [sha256(secret + number.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()]
        for at in range(0, 32, 4)
    ]
    order = list(TRIO56)
    for left in range(56, 1, -1):
        while numbers[0] >= 2**32 // left * left:
            numbers.pop(0)
        swap = numbers.pop(0) % left
        order[left - 1], order[swap] = order[swap], order[left - 1]

    assert shuffle_tiles(TRIO56, secret, number) == order


@given(st.lists(st.tuples(st.integers(0, 5)), max_size=60), secrets, st.integers(1, 1000))
def test_shuffle_keeps_all_tiles(tiles: list[Tile], secret: bytes, number: int):
    before = list(tiles)

    order = shuffle_tiles(tiles, secret, number)

    assert Counter(order) == Counter(before)
    assert tiles == before


@given(secrets)
def test_commitment_is_sha256_of_secret(secret: bytes):
    assert compute_commitment(secret) == sha256(secret).hexdigest()


def compute_chi_square(counts: Counter[object], cells: int, total: int) -> float:
    expected = total / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


# A fair shuffle stays below these in 999 of 1000 samples (chi-square, 23 and 55 x 55 degrees of freedom).
FAIR_24 = 49.7
FAIR_56 = 3271.0


def test_every_order_of_four_tiles_is_equally_likely():
    tiles, rounds = [(number,) for number in range(4)], 12_000
    counts = Counter(tuple(shuffle_tiles(tiles, COUNTING_SECRET, number)) for number in range(1, rounds + 1))

    assert set(counts) == set(permutations(tiles))
    assert compute_chi_square(counts, 24, rounds) < FAIR_24


def test_chi_square_detects_naive_shuffle():
    counts: Counter[object] = Counter()
    for number in range(12_000):
        digest = sha256(number.to_bytes(4, "big")).digest()
        order = [0, 1, 2, 3]
        for at in range(4):
            swap = digest[at] % 4
            order[at], order[swap] = order[swap], order[at]
        counts[tuple(order)] += 1

    assert compute_chi_square(counts, 24, 12_000) > FAIR_24


def test_every_tile_is_equally_likely_at_every_position():
    rounds = 2_800
    counts: Counter[object] = Counter()
    for number in range(1, rounds + 1):
        counts.update(enumerate(shuffle_tiles(TRIO56, COUNTING_SECRET, number)))

    assert compute_chi_square(counts, 56 * 56, 56 * rounds) < FAIR_56


VECTORS = json.loads(Path(__file__).with_name("shuffles.json").read_text(encoding="utf-8"))
PLAYERS = (2, 3, 6)


def load_tiles(head: dict[str, str]) -> tuple[Tile, ...]:
    reading = load_rules(head["game"])
    for name, value in head.items():
        if name != "game":
            reading = reading.with_option(name, value)
    return reading.tiles


@pytest.mark.parametrize("one", VECTORS["deals"], ids=lambda one: one["case"])
def test_deals_equal_stored_test_vectors(one: dict[str, Any]):
    secret, contributions = bytes.fromhex(one["secret"]), one["contributions"]
    assert compute_commitment(secret) == one["commitment"]
    assert choose_version(contributions) == one["version"]
    seed = derive_seed(secret, contributions)
    assert seed.hex() == one["seed"]
    for deal in one["rounds"]:
        order = shuffle_tiles(load_tiles(one["head"]), seed, deal["round"])
        assert " ".join(map(format_tile_notation, order)) == deal["order"]
        assert [draw_lot(seats, seed, deal["round"]) for seats in PLAYERS] == deal["lots"]


def test_entropy_contributions_equal_stored_test_vectors():
    for vector in VECTORS["presses"]:
        assert hash_interaction(int(vector["interaction"])) == vector["contribution"]


def test_vectors_have_both_versions_and_distinct_seeds():
    assert {one["version"] for one in VECTORS["deals"]} == {1, 2}
    assert len({one["seed"] for one in VECTORS["deals"]}) == len(VECTORS["deals"])
