"""A game that differs only in numbers needs a file and no code."""

from pathlib import Path
from random import Random

import pytest

from data import rulebook
from engine.match.events import MatchEnded
from engine.match.rules import Rules
from engine.match.state import replay
from engine.record import read, rerun, write
from tests.engine.tables import Playout, capture_state

TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in rulebook.GAMES.glob("*.toml")}

EIGHT_NUMBERS = (
    TEXTS["triominoes"]
    .partition("[presets")[0]
    .replace('game = "triominoes"', 'game = "triominoes-7"')
    .replace('tile_set = "trio56"', 'tile_set = "trio120"')
    .replace("deal = [9, 7, 7, 6, 6]", "deal = [15, 12, 12, 10, 10]")
)


def test_game_with_other_numbers_needs_only_file(tmp_path: Path):
    file = tmp_path / "triominoes-7.toml"
    file.write_text(EIGHT_NUMBERS, encoding="utf-8")
    rules = rulebook.read_game(file)["default"]
    assert (len(rules.tiles), sum(map(sum, rules.tiles)), max(rules.tiles)) == (120, 1260, (7, 7, 7))
    for seed in range(3):
        played = Playout(Random(seed), 3, greedy_seats=frozenset({1}), rules=rules)
        for _ in played.iterate_steps():
            pass
        assert isinstance(played.log[-1], MatchEnded)
        assert capture_state(replay(played.log)) == capture_state(played.match)

        def find(game: str) -> Rules:
            assert game == "triominoes-7"
            return rules

        checked = rerun(read(write(played.log, rules), find))
        assert checked.faults == []
        assert checked.is_proved


@pytest.mark.parametrize(
    ("game", "changes", "count"),
    [
        ("quad-ominos", {'"quad125"': '"quad70"', "[30, 20, 15, 12, 10]": "[5]", "[15, 10, 8, 7, 6]": "[5]"}, 70),
        ("points", {'"td35"': '"td20"'}, 20),
        ("star", {'"td35"': '"td84"'}, 85),
    ],
)
def test_tile_set_with_any_number_range_can_be_played(game: str, changes: dict[str, str], count: int, tmp_path: Path):
    text = TEXTS[game].partition("[presets")[0]
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / f"{game}.toml"
    file.write_text(text, encoding="utf-8")
    rules = rulebook.read_game(file)["default"]
    assert len(rules.tiles) == count
    played = Playout(Random(1), 2, rules=rules)
    for _ in played.iterate_steps():
        pass
    assert isinstance(played.log[-1], MatchEnded)
