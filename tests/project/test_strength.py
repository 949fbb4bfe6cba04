"""The tables of docs/strength/tables.txt follow from its files, and the files follow from their seeds."""

import shlex
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bot.tools.arena_cli import mount
from bot.tools.contest import PROGRAM_PREFIX, to_milliseconds
from bot.tools.duel import recheck
from bot.tools.duel_results import DuelResults
from tests.depth import DEPTH, scale_count
from tests.project.sources import ROOT

app = typer.Typer()
mount(app)

PAGE = (ROOT / "docs" / "strength" / "tables.txt").read_text(encoding="utf-8")
FOLDER = ROOT / "docs" / "strength"
FILES = sorted(FOLDER.rglob("*.jsonl") if DEPTH >= 5 else FOLDER.glob("*.jsonl"))
MAX_MILLISECONDS = 250.0


def find_blocks() -> list[tuple[str, str]]:
    found = []
    for part in PAGE.split("```sh\n")[1:]:
        command, _, below = part.partition("```\n")
        found.append((command.strip(), below.strip("\n").partition("\n\n")[0]))
    return found


def skip_without_perl(needs_perl: bool) -> None:
    if needs_perl and shutil.which("perl") is None:
        pytest.skip("there is no perl")


@pytest.mark.parametrize(("command", "table"), find_blocks(), ids=lambda text: str(text)[:40])
def test_table_is_what_its_command_prints(command: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without_perl("perl " in command)
    monkeypatch.chdir(ROOT)
    name, *words = shlex.split(command)
    expanded = [file for word in words for file in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]

    assert name == "boneyard"
    assert CliRunner().invoke(app, expanded).stdout.strip() == table


@pytest.mark.deep
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_replayed_deals_have_results_of_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = DuelResults.from_file(file)
    assert len(results.deals) >= 10
    assert sorted(results.deals) == list(range(len(results.deals)))
    skip_without_perl(any(one.startswith(PROGRAM_PREFIX) for one in results.contest.players))
    spent = sum(to_milliseconds(one) * count for times in results.times for one, count in times.items())
    if spent / len(results.deals) > MAX_MILLISECONDS * DEPTH:
        pytest.skip("a deal takes too long for a run that is not deeper")

    checked = recheck(results, scale_count(1), len(results.deals), 1, lambda _: None)

    assert checked.sample
    assert checked.differing == (), f"boneyard duel --recheck {file.relative_to(ROOT)}"


def test_every_file_belongs_to_table() -> None:
    folders = {file.parent.relative_to(ROOT).as_posix() for file in FILES}
    assert folders
    for folder in folders:
        assert any(folder in command for command, _ in find_blocks()), folder
