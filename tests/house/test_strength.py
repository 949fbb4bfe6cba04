"""docs/strength.md says what its files say, and its files say what comes of their seeds."""

import shlex
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bot.arena.cli import mount
from bot.arena.contest import FOREIGN
from bot.arena.duel import recheck
from bot.arena.results import Results
from bot.arena.times import milliseconds
from tests.depth import DEPTH, deep
from tests.house.sources import ROOT

app = typer.Typer()
mount(app)

PAGE = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
FILES = sorted(
    (ROOT / "docs" / "strength").rglob("*.jsonl") if DEPTH >= 5 else (ROOT / "docs" / "strength").glob("*.jsonl")
)
"""Those of the ladder too, in a deeper run."""
CHEAP = 250.0
"""Milliseconds of a deal that is played again in every run; deeper ones have more patience."""


def blocks() -> list[tuple[str, str]]:
    """The commands of the page that print a table, each with the table below it."""
    found = []
    for part in PAGE.split("```sh\n")[1:]:
        command, _, below = part.partition("```\n")
        table = below.strip("\n").partition("\n\n")[0]
        found.append((command.strip(), table))
    return found


def dearness(results: Results) -> float:
    """The milliseconds that a deal has taken its players."""
    spent = sum(milliseconds(one) * count for times in results.times for one, count in times.items())
    return spent / len(results.deals)


@pytest.mark.parametrize(("command", "table"), blocks(), ids=lambda text: str(text)[:40])
def test_a_table_is_what_its_command_prints(command: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "perl " in command and shutil.which("perl") is None:
        pytest.skip("there is no perl")
    monkeypatch.chdir(ROOT)
    name, *words = shlex.split(command)
    spread = [str(file) for word in words for file in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]

    assert name == "boneyard"
    assert CliRunner().invoke(app, spread).stdout.strip() == table


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_deals_of_a_file_end_as_they_did_when_they_are_played_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    results = Results.of(file)
    assert len(results.deals) >= 10
    assert sorted(results.deals) == list(range(len(results.deals)))
    if any(one.startswith(FOREIGN) for one in results.contest.players) and shutil.which("perl") is None:
        pytest.skip("there is no perl")
    if dearness(results) > CHEAP * DEPTH:
        pytest.skip("a deal takes too long for a run that is not deeper")

    checked = recheck(results, deep(1), len(results.deals), 1, lambda _: None)

    assert checked.sample
    assert checked.differ == (), f"boneyard duel --recheck {file.relative_to(ROOT)}"


def test_every_file_is_in_a_table() -> None:
    folders = {file.parent.relative_to(ROOT).as_posix() for file in FILES}
    assert folders
    for folder in folders:
        assert any(folder in command for command, _ in blocks()), folder
