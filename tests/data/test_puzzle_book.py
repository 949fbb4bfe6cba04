"""The shipped puzzles: each day has one of the right kind, and the current rules can set up every position."""

from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from data.puzzle_book import PUZZLES, PuzzleFileError, format_line, load_puzzles, parse_game, read_puzzles
from data.rulebook import list_games, load_rules
from engine.puzzles.puzzle import build_proposal, build_start, choose_kind, parse_solution
from tests.depth import sample_cases
from tests.tools.puzzle_maker.best_moves import MARGIN, SAMPLED_DEALS

GAMES_WITH_PUZZLES = [game for game in list_games() if load_puzzles(game)]
LINE = '{"date":"2026-11-02","kind":"bridge","deal":"00ff00ff00ff00ff","moves":"","line":"U0,0=345"}'


@pytest.mark.parametrize("game", GAMES_WITH_PUZZLES)
def test_puzzles_cover_all_days_and_answers_solve_them(game: str) -> None:
    puzzles, rules = load_puzzles(game), load_rules(game)
    days = sorted(puzzles)
    assert days == [days[0] + timedelta(offset) for offset in range(len(days))]
    for day in sample_cases(days[::4]):
        puzzle = puzzles[day]
        assert puzzle.kind == choose_kind(rules, day.weekday())
        match = build_start(puzzle, rules)
        tried = build_proposal(puzzle, match, parse_solution(puzzle, rules))
        assert tried.solved or puzzle.kind == "count"
    for puzzle in puzzles.values():
        assert puzzle.kind != "best" or (puzzle.deal_count == SAMPLED_DEALS and puzzle.margin >= MARGIN)


def test_puzzle_positions_are_unique_and_name_no_user() -> None:
    deals = [
        (puzzle.position.secret, puzzle.position.moves)
        for game in list_games()
        for puzzle in load_puzzles(game).values()
    ]
    assert len(deals) == len({*deals})
    for file in PUZZLES.glob("*.jsonl"):
        assert parse_game(file) in list_games()
        assert set(" ".join(file.read_text().split('"')).split()) & {"name", "user", "player"} == set()


def test_guide_states_number_of_puzzles_in_files() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "puzzles.md").read_text(encoding="utf-8")
    for file in PUZZLES.glob("*.jsonl"):
        puzzles = read_puzzles(file)
        kinds = Counter(puzzle.kind for puzzle in puzzles.values())
        counts = [len(puzzles), *(kinds[kind] for kind in ("best", "bridge", "count", "hexagons", "out"))]
        least = min(puzzle.margin for puzzle in puzzles.values() if puzzle.kind == "best")
        assert f"| `{file.name}` | {' | '.join(map(str, counts))} | {least:.1f} |" in page


def test_puzzle_survives_write_and_read(tmp_path: Path) -> None:
    day, puzzle = next(iter(load_puzzles("triominoes").items()))
    file = tmp_path / "triominoes-2026.jsonl"
    file.write_text(format_line(day, puzzle) + "\n", encoding="utf-8")
    assert read_puzzles(file) == {day: puzzle}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", ":1: "),
        (LINE.replace("bridge", "tunnel"), ":1: "),
        (LINE.replace('"moves"', '"names":"Ada","moves"'), "names"),
        (f"{LINE}\n{LINE}", ":2: 2026-11-02 has a puzzle already"),
        (LINE.replace("11-02", "13-02"), ":1: "),
    ],
)
def test_damaged_puzzle_file_is_refused_with_reason(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "triominoes-2026.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PuzzleFileError, match=why):
        read_puzzles(file)


def test_triominoes_has_puzzles_from_first_day_on() -> None:
    assert "triominoes" in GAMES_WITH_PUZZLES
    assert {min(load_puzzles(game)) for game in GAMES_WITH_PUZZLES} == {date(2026, 11, 1)}
