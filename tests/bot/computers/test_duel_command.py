"""The commands `boneyard duel`, `ladder` and `seat`, and their results files."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from bot.computers import protocol
from bot.tools.arena_cli import mount
from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.tally import format_command, format_row
from data.rulebook import load_rules as shelf
from engine.record import read, rerun
from tests.bot.computers.duels import FIRST_LINES, contest, fought, program
from tests.project.sources import ROOT

app = typer.Typer()
mount(app)

DUEL = ("duel", "--game", "triominoes", "--players", "greedy,random", "--single", "--seed", "7", "--jobs", "1")
PATIENCE = 300.0


def begun(folder: Path, deals: int = 2) -> Path:
    file = folder / "duel.jsonl"
    ask(*DUEL, "--deals", deals, "--file", file)
    return file


def ask(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def answer(*words: object) -> Any:
    result = ask(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def complaint(*words: object) -> str:
    result = ask(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("boneyard: ").removesuffix("\n")


def test_duel_prints_table_row_and_command_to_reproduce_it() -> None:
    result = ask(*DUEL, "--deals", 12)
    assert result.exit_code == 0
    assert "12 | **" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "boneyard duel --game triominoes --seats 2 --players greedy,random --single --deals 12 --seed 7"
    )
    told = answer(*DUEL, "--deals", 12)
    assert (told["deals"], told["matches"], told["fair"], told["seed"]) == (12, 24, 50.0, 7)
    assert f"**{told['won']['mean']:.1f} ± {told['won']['within']:.1f}**" in result.stdout


def test_two_workers_give_same_result_as_one() -> None:
    asked = contest("greedy", "random")
    assert fought(asked, 6, jobs=2).deals == fought(asked, 6).deals


def test_run_resumes_where_previous_run_ended(tmp_path: Path) -> None:
    file = begun(tmp_path, 4)
    before = file.read_bytes()
    told = answer("duel", "--file", file, "--deals", 7, "--jobs", 1)
    assert told["deals"] == 7
    assert file.read_bytes().startswith(before)
    assert DuelResults.from_file(file).deals == fought(contest("greedy", "random"), 7).deals
    choices = sum(one["choices"] for one in told["times"])
    assert choices == sum(one.total() for one in fought(contest("greedy", "random"), 7).times)


@pytest.mark.deep
def test_killed_run_keeps_all_completed_deals(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    words = [*DUEL[:-2], "--jobs", "2", "--deals", "100000", "--file", str(file)]
    with subprocess.Popen([sys.executable, "-m", "bot", *words], cwd=ROOT, stderr=subprocess.DEVNULL) as run:
        until = time.monotonic() + PATIENCE
        while not file.exists() or file.read_bytes().count(b"\n") < 12:
            assert time.monotonic() < until, "nothing is played"
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    with file.open("ab") as torn:
        torn.write(b'{"deal":5,"totals":[[')

    kept = DuelResults.from_file(file).deals
    assert len(kept) >= 10
    deals = max(kept) + 2
    assert answer("duel", "--file", file, "--deals", deals, "--jobs", 1)["deals"] == deals
    assert DuelResults.from_file(file).deals == fought(contest("greedy", "random"), deals).deals


def test_results_file_is_verified_by_replaying_some_deals(tmp_path: Path) -> None:
    file = begun(tmp_path, 6)
    assert answer("duel", "--recheck", file, "--sample", 3, "--jobs", 1)["differ"] == []
    lines = file.read_text().splitlines(keepends=True)
    told = json.loads(lines[3])
    told["totals"][1][0] += 1
    file.write_text("".join([*lines[:3], json.dumps(told) + "\n", *lines[4:]]))
    forged = ask("duel", "--recheck", file, "--sample", 6, "--jobs", 1)
    assert forged.exit_code == 1
    assert [int(one) for one in re.findall(r"\d+", forged.stdout)] == [6, 6, 1, 2]


def test_results_file_of_different_duel_is_not_continued(tmp_path: Path) -> None:
    file = begun(tmp_path)
    before = file.read_bytes()
    assert "players is ('greedy', 'random')" in complaint(
        "duel", "--players", "random,greedy", "--single", "--file", file
    )
    assert "seed is 7" in complaint(*DUEL[:-4], "--seed", 8, "--file", file)
    assert file.read_bytes() == before


def test_file_of_other_version_is_continued_if_play_is_unchanged(tmp_path: Path) -> None:
    file = begun(tmp_path)
    older = file.read_bytes().replace(b'"edition":"', b'"edition":"0')
    file.write_bytes(older)
    assert answer("duel", "--file", file, "--deals", 3, "--jobs", 1)["deals"] == 3
    other = older.replace(b'"totals":[[', b'"totals":[[1')
    file.write_bytes(other)
    assert "players or rules" in complaint("duel", "--file", file, "--deals", 3, "--jobs", 1)
    assert file.read_bytes() == other


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is no file of results"),
        (b"moo\n", "cannot be read"),
        (b"[]\n", "is no file of results"),
        (b'{"boneyard":"duel 9"}\n', "is of the format 'duel 9'"),
        (b'{"boneyard":"duel 1","contest":{"game":"chess"}}\n', "who plays what"),
        (b'{"boneyard":"duel 1","contest":{"game":"chess","players":["a","b"],"seed":1}}\n', "no game 'chess'"),
        (b"[" * 100_000 + b"\n", "cannot be read"),
    ],
)
def test_invalid_results_file_is_reported_in_one_line(text: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    file.write_bytes(text)
    assert said in complaint("duel", "--recheck", file)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b',"edition":', b',"other":', "is no file of results: 'edition'"),
        (b'"ranks":[[2,1]', b'"ranks":[[0,0]', "the places [0, 0] are none"),
        (b'"ranks":[[2,1]', b'"ranks":[[2,3]', "the places [2, 3] are none"),
        (b'"totals":[[72', b'"totals":[[Infinity', "is no file of results"),
        (b'"deal":0', b'"deal":1e999', "is no file of results"),
        (b'"deal":0', b'"deal":-1', "there is no deal -1"),
        (b'"times":[{', b'"times":[{"99999":1,', "is no file of results"),
    ],
)
def test_damaged_results_file_is_reported_in_one_line(before: bytes, after: bytes, said: str, tmp_path: Path) -> None:
    file = begun(tmp_path)
    damaged = file.read_bytes().replace(before, after)
    assert damaged != file.read_bytes()
    file.write_bytes(damaged)
    assert said in complaint("duel", file)


def test_results_file_without_deals_is_continued(tmp_path: Path) -> None:
    file = begun(tmp_path, 1)
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    for words in ((file,), ("--recheck", file)):
        assert complaint("duel", *words).startswith(f"{file}: ")
    assert answer("duel", "--file", file, "--deals", 2, "--jobs", 1)["deals"] == 2


def test_empty_results_file_is_treated_as_new(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    file.touch()
    assert answer("duel", "--players", "greedy,random", "--single", "--deals", 1, "--jobs", 1, "--file", file)
    assert len(DuelResults.from_file(file).deals) == 1


def test_reading_results_file_does_not_change_it(tmp_path: Path) -> None:
    file = begun(tmp_path)
    with file.open("ab") as running:
        running.write(b'{"deal":2,"tot')
    before = file.read_bytes()
    assert [told["deals"] for told in answer("duel", file)] == [2]
    assert answer("duel", "--recheck", file, "--jobs", 1)["deals"] == 2
    assert file.read_bytes() == before


def test_concurrent_runs_do_not_mix_duels_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    one = DuelResults(contest("greedy", "random"), file)
    with pytest.raises(UnreadableError, match="seed is 7"):
        DuelResults(replace(contest("greedy", "random"), seed=8), file)
    for played in fought(contest("greedy", "random"), 2).deals.values():
        one.add(replace(played, times=(Counter(), Counter()), faults=({}, {})))
    assert DuelResults.from_file(file).deals == one.deals


@pytest.mark.parametrize(
    "words",
    [
        ("duel", "--file", "nowhere/duel.jsonl"),
        pytest.param(
            ("duel", "--file", "/dev/full"),
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk"),
        ),
        ("ladder", "--folder", "file/folder"),
        ("ladder", "--folder", "file"),
    ],
)
def test_unwritable_results_file_is_reported_in_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    said = complaint(*words, "--players", "greedy,random", "--single", "--deals", 1, "--jobs", 1)
    assert said.startswith(f"{words[-1]}: ")


def test_results_are_printed_although_record_cannot_be_written(tmp_path: Path) -> None:
    words, record = program(tmp_path, FIRST_LINES).removeprefix("seat:").split(), tmp_path / "nowhere" / "match.txt"
    result = ask("seat", "--single", "--record", record, *words)
    assert result.exit_code == 2
    assert "no faults." in result.stdout
    assert result.stderr.startswith(f"boneyard: {record}: ")


@pytest.mark.parametrize("player", ["moo", "seat:no-such-program-here"])
def test_results_file_with_unavailable_players_is_not_verified(player: str, tmp_path: Path) -> None:
    file = begun(tmp_path, 1)
    file.write_bytes(file.read_bytes().replace(b'["greedy"', f'["{player}"'.encode()))
    assert complaint("duel", "--recheck", file, "--jobs", 1).startswith("players: ")


def test_printed_command_is_quoted_for_shell() -> None:
    asked = contest("seat:perl 'my player.pl' $HOME;", "greedy", limit=0.5)
    told = shlex.split(format_command(asked, 3))
    assert told[:4] == ["boneyard", "duel", "--game", "triominoes"]
    assert told[told.index("--players") + 1] == ",".join(asked.players)
    assert told[told.index("--limit") + 1] == "0.5"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--players", "moo,greedy"), "players: there is no player 'moo'; there is easy, medium"),
        (("--players", "greedy"), "players: two or more"),
        (("--players", "greedy,random,easy"), "players: two or more, and no more than the 2 seats; not 3"),
        (("--players", "seat:no-such-program-here,greedy"), "there is no program 'no-such-program-here'"),
        (("--players", "seat:'x,greedy"), "cannot be read"),
        (("--seats", "9"), "seats: triominoes is for 2 to 6; not 9"),
        (("--game", "chess"), "there is no game 'chess'"),
        (("--preset", "moo"), "preset: triominoes has default"),
        (("--option", "bridge=some"), "option: there is no option 'bridge'"),
        (("--target", "900000"), "option: target"),
    ],
)
def test_unplayable_duel_is_refused_in_one_line(words: tuple[str, ...], said: str) -> None:
    assert said in complaint("duel", *words, "--deals", 1)


def test_options_are_parsed_like_those_of_tiles_new() -> None:
    words = ("--option", "bridge_extension=none hexagon_scale=stepped", "--target", 60, "--preset", "evening")
    told = answer("duel", "--players", "greedy,random", *words, "--deals", 2, "--jobs", 1, "--seed", 1)
    assert told["options"] == ["bridge_extension=none", "hexagon_scale=stepped", "target=60"]
    assert "--preset evening --option bridge_extension=none --option hexagon_scale=stepped" in told["command"]
    assert "matches to 60" in told["row"]


def test_larger_duel_rotates_seats_and_last_player_fills_remaining_seats() -> None:
    told = answer("duel", "--players", "greedy,random", "--seats", 4, "--single", "--deals", 3, "--jobs", 1)
    assert (told["matches"], told["fair"]) == (12, 25.0)
    asked = contest("greedy", "random", seats=4)
    assert asked.places == (0, 1, 1, 1)
    assert [[asked.compute_place(seat, rotation) for seat in range(4)].index(0) for rotation in range(4)] == [
        0,
        1,
        2,
        3,
    ]


def test_ladder_plays_every_pair(tmp_path: Path) -> None:
    words = ("ladder", "--players", "random,greedy,easy", "--single", "--deals", 6, "--jobs", 1, "--folder", tmp_path)
    told = answer(*words)
    printed = ask(*words).stdout.splitlines()
    assert [pair["players"] for pair in told["pairs"]] == [["random", "greedy"], ["random", "easy"], ["greedy", "easy"]]
    assert len({pair["seed"] for pair in told["pairs"]}) == 3, "what is learned of a deal is of no use in the next duel"
    assert len(list(tmp_path.glob("*.jsonl"))) == 3
    assert len(printed) == 2 + 3
    assert next(one for one in told["ratings"] if one["player"] == "greedy")["rating"] == 0


def test_seat_command_plays_match_and_record_can_be_replayed(tmp_path: Path) -> None:
    player, record = program(tmp_path, FIRST_LINES), tmp_path / "match.txt"
    words = player.removeprefix("seat:").split()
    result = ask("seat", "--seed", 3, "--matches", 2, "--target", 60, "--record", record, *words)
    assert result.exit_code == 0, result.output
    assert [line.split(":")[0] for line in result.stdout.splitlines()[:2]] == ["match 1", "match 2"]
    assert "no faults." in result.stdout
    found = rerun(read(record.read_text(), shelf))
    assert found.faults == []
    assert found.match.ended is not None


def test_seat_lost_by_faults_exits_with_1_and_reason(tmp_path: Path) -> None:
    words = program(tmp_path, "import sys\nsys.exit('oh dear')\n").removeprefix("seat:").split()
    result = ask("seat", "--single", *words)
    assert result.exit_code == 1
    assert "1 lost" in result.stdout
    assert "oh dear" in result.stderr


def test_schema_command_prints_schema() -> None:
    assert ask("seat", "--schema").stdout == protocol.SCHEMA.read_text(encoding="utf-8")
    assert "which program?" in complaint("seat")


@pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")
def test_external_program_plays_in_duel() -> None:
    told = answer(
        "duel", "--players", "seat:perl docs/players/heaviest.pl,greedy", "--single", "--deals", 3, "--jobs", 1
    )
    assert told["faults"] == [{}, {}]
    assert "| heaviest v greedy |" in told["row"]
    assert "| greedy v random" in format_row(fought(contest("greedy", "random"), 2))
