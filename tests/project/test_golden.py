"""Every game and preset has a golden record, and the records in the docs are valid."""

from functools import cache

import pytest

from data.rulebook import DEFAULT_PRESET, list_games, list_presets, load_rules
from engine.record import Record, read, rerun
from tests.project.sources import ROOT


@cache
def read_golden_records() -> list[Record]:
    files = sorted((ROOT / "tests" / "golden").glob("*.txt"))
    return [read(file.read_text(encoding="utf-8"), load_rules) for file in files]


@pytest.mark.parametrize(("game", "preset"), [(game, preset) for game in list_games() for preset in list_presets(game)])
def test_every_preset_of_every_game_has_golden_record(game: str, preset: str) -> None:
    headers = [record.header for record in read_golden_records()]
    recorded = [(header.rules.game, header.preset or DEFAULT_PRESET, header.rules) for header in headers]

    assert (game, preset, load_rules(game, preset)) in recorded


def test_records_in_docs_run_without_faults() -> None:
    text = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    blocks = [block.partition("\n")[2] for block in text.split("```")[1::2]]
    examples = [block for block in blocks if block.startswith("boneyard record 1")]

    assert examples
    for example in examples:
        checked = rerun(read(example, load_rules))
        assert checked.plays > 0
        assert checked.faults == []
