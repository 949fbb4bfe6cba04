"""The shuffle of both versions, as `shuffles.json` has it: the page that checks deals is held to the same numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from data.rulebook import rules
from engine.shuffle import commitment, contribution_of, lot, seed_of, shuffled, version_of
from engine.tiles import Tile, tile_text

VECTORS = json.loads(Path(__file__).with_name("shuffles.json").read_text(encoding="utf-8"))
PLAYERS = (2, 3, 6)


def tiles_of(head: dict[str, str]) -> tuple[Tile, ...]:
    reading = rules(head["game"])
    for name, value in head.items():
        if name != "game":
            reading = reading.with_option(name, value)
    return reading.tiles


@pytest.mark.parametrize("one", VECTORS["deals"], ids=lambda one: one["case"])
def test_deals_come_out_the_same_for_ever(one: dict[str, Any]):
    secret, added = bytes.fromhex(one["secret"]), one["contributions"]
    assert commitment(secret) == one["commitment"]
    assert version_of(added) == one["version"]
    seed = seed_of(secret, added)
    assert seed.hex() == one["seed"]
    for deal in one["rounds"]:
        order = shuffled(tiles_of(one["head"]), seed, deal["round"])
        assert " ".join(map(tile_text, order)) == deal["order"]
        assert [lot(seats, seed, deal["round"]) for seats in PLAYERS] == deal["lots"]


def test_a_press_comes_to_the_same_digits_for_ever():
    for press in VECTORS["presses"]:
        assert contribution_of(int(press["interaction"])) == press["contribution"]


def test_the_vectors_hold_both_versions_and_cut_words_apart():
    assert {one["version"] for one in VECTORS["deals"]} == {1, 2}
    assert len({one["seed"] for one in VECTORS["deals"]}) == len(VECTORS["deals"])
