"""Every game and every preset has a golden record."""

from functools import cache

import pytest

from data.rulebook import DEFAULT, games, presets, rules
from engine.record import Record, read, rerun
from tests.house.sources import ROOT


@cache
def golden() -> list[Record]:
    files = sorted((ROOT / "tests" / "golden").glob("*.txt"))
    return [read(file.read_text(encoding="utf-8"), rules) for file in files]


@pytest.mark.parametrize(("game", "preset"), [(game, preset) for game in games() for preset in presets(game)])
def test_every_reading_of_every_game_has_a_golden_record(game: str, preset: str) -> None:
    kept = [(record.header.rules.game, record.header.preset or DEFAULT, record.header.rules) for record in golden()]

    assert (game, preset, rules(game, preset)) in kept


def test_the_examples_in_the_docs_are_right_records() -> None:
    """The blocks of docs/records.md that begin like a record."""
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    blocks = [block.partition("\n")[2] for block in text.split("```")[1::2]]
    examples = [block for block in blocks if block.startswith("boneyard record 1")]

    assert examples
    for example in examples:
        checked = rerun(read(example, rules))
        assert checked.plays > 0
        assert checked.faults == []
