"""The puzzle maker: creating and checking puzzles."""

from pathlib import Path

from typer.testing import CliRunner, Result

from data.puzzle_book import PUZZLES
from tests.tools.puzzle_maker.__main__ import app


def run_puzzles_command(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_puzzles_are_created_per_day_and_run_can_resume(tmp_path: Path) -> None:
    file = tmp_path / "triominoes-2026.jsonl"
    first = run_puzzles_command("make", "--file", file, "--from", "2026-11-02", "--days", 1)
    assert first.exit_code == 0, first.output
    monday = file.read_text()

    second_run = run_puzzles_command("make", "--file", file, "--from", "2026-11-02", "--days", 2)

    assert second_run.exit_code == 0
    assert "1 puzzles were made" in second_run.output
    assert f"{file} has 2" in second_run.output.replace("\n", "")
    assert file.read_text().startswith(monday)
    assert [line.split('"')[7] for line in file.read_text().splitlines()] == ["bridge", "count"]
    other = tmp_path / "other-2026.jsonl"
    run_puzzles_command("make", "--file", other, "--from", "2026-11-02", "--days", 1)
    assert other.read_text() == monday, "the same seed finds the same"
    other_run = run_puzzles_command("make", "--file", other, "--from", "2026-11-03", "--days", 1, "--seed", "ours")
    assert other_run.exit_code == 0
    assert other.read_text().splitlines()[1:] != file.read_text().splitlines()[1:]

    checked = run_puzzles_command("check", file)
    assert (checked.exit_code, checked.output.count("holds")) == (0, 2)


def test_puzzle_with_wrong_answer_is_detected(tmp_path: Path) -> None:
    bridge_lines = [line for line in (PUZZLES / "triominoes-2026.jsonl").read_text().splitlines() if '"bridge"' in line]
    (line, other), file = bridge_lines[:2], tmp_path / "triominoes-2026.jsonl"
    answer = line.split('"line":"')[1].split('"')[0]
    wrong_line = other.split('"line":"')[1].split('"')[0]
    file.write_text(line.replace(f'"line":"{answer}"', f'"line":"{wrong_line}"') + "\n")

    checked = run_puzzles_command("check", file)

    assert checked.exit_code == 1
    assert "bridge: it" in checked.output
    moved = tmp_path / "triominoes-2027.jsonl"
    moved.write_text(line.replace("2026-11-02", "2026-11-04") + "\n")
    assert "has another kind" in run_puzzles_command("check", moved).output


def test_unreadable_puzzle_exits_with_2_and_one_line(tmp_path: Path) -> None:
    file = tmp_path / "triominoes-2026.jsonl"
    for words in (
        ("check", file),
        ("make", "--file", file, "--game", "chess"),
        ("make", "--file", file, "--from", "tomorrow"),
        ("make", "--file", tmp_path / "nowhere" / "file.jsonl"),
    ):
        result = run_puzzles_command(*words)
        assert result.exit_code == 2, result.output
        assert result.output.startswith("boneyard: ")
        assert result.output.count("\n") == 1
    file.write_text("nonsense\n")
    assert run_puzzles_command("check", file).exit_code == 2
    unknown = tmp_path / "chess-2026.jsonl"
    unknown.write_text("")
    assert "no game 'chess'" in run_puzzles_command("check", unknown).output
