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
from data.rulebook import load_rules
from engine.record import read, rerun
from tests.bot.computers.duels import FIRST_ACTION_PROGRAM, build_contest, play_duel, write_player
from tests.project.sources import ROOT

app = typer.Typer()
mount(app)

DUEL = ("duel", "--game", "triominoes", "--players", "greedy,random", "--single", "--seed", "7", "--jobs", "1")
PATIENCE = 300.0


def create_results_file(folder: Path, deals: int = 2) -> Path:
    file = folder / "duel.jsonl"
    run_command(*DUEL, "--deals", deals, "--file", file)
    return file


def run_command(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def run_for_json(*words: object) -> Any:
    result = run_command(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def run_for_error(*words: object) -> str:
    result = run_command(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("boneyard: ").removesuffix("\n")


def test_duel_prints_table_row_and_command_to_reproduce_it() -> None:
    result = run_command(*DUEL, "--deals", 12)
    assert result.exit_code == 0
    assert "12 | **" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "boneyard duel --game triominoes --seats 2 --players greedy,random --single --deals 12 --seed 7"
    )
    report = run_for_json(*DUEL, "--deals", 12)
    assert (report["deals"], report["matches"], report["fair"], report["seed"]) == (12, 24, 50.0, 7)
    assert f"**{report['won']['mean']:.1f} ± {report['won']['within']:.1f}**" in result.stdout


def test_two_workers_give_same_result_as_one() -> None:
    duel = build_contest("greedy", "random")
    assert play_duel(duel, 6, jobs=2).deals == play_duel(duel, 6).deals


def test_run_resumes_where_previous_run_ended(tmp_path: Path) -> None:
    file = create_results_file(tmp_path, 4)
    before = file.read_bytes()
    report = run_for_json("duel", "--file", file, "--deals", 7, "--jobs", 1)
    assert report["deals"] == 7
    assert file.read_bytes().startswith(before)
    assert DuelResults.from_file(file).deals == play_duel(build_contest("greedy", "random"), 7).deals
    choices = sum(one["choices"] for one in report["times"])
    assert choices == sum(one.total() for one in play_duel(build_contest("greedy", "random"), 7).times)


@pytest.mark.deep
def test_killed_run_keeps_all_completed_deals(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    words = [*DUEL[:-2], "--jobs", "2", "--deals", "100000", "--file", str(file)]
    with subprocess.Popen([sys.executable, "-m", "bot", *words], cwd=ROOT, stderr=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or file.read_bytes().count(b"\n") < 12:
            assert time.monotonic() < deadline, "nothing is played"
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    with file.open("ab") as torn:
        torn.write(b'{"deal":5,"totals":[[')

    kept_deals = DuelResults.from_file(file).deals
    assert len(kept_deals) >= 10
    deals = max(kept_deals) + 2
    assert run_for_json("duel", "--file", file, "--deals", deals, "--jobs", 1)["deals"] == deals
    assert DuelResults.from_file(file).deals == play_duel(build_contest("greedy", "random"), deals).deals


def test_results_file_is_verified_by_replaying_some_deals(tmp_path: Path) -> None:
    file = create_results_file(tmp_path, 6)
    assert run_for_json("duel", "--recheck", file, "--sample", 3, "--jobs", 1)["differ"] == []
    lines = file.read_text().splitlines(keepends=True)
    entry = json.loads(lines[3])
    entry["totals"][1][0] += 1
    file.write_text("".join([*lines[:3], json.dumps(entry) + "\n", *lines[4:]]))
    forged = run_command("duel", "--recheck", file, "--sample", 6, "--jobs", 1)
    assert forged.exit_code == 1
    assert [int(one) for one in re.findall(r"\d+", forged.stdout)] == [6, 6, 1, 2]


def test_results_file_of_different_duel_is_not_continued(tmp_path: Path) -> None:
    file = create_results_file(tmp_path)
    before = file.read_bytes()
    assert "players is ('greedy', 'random')" in run_for_error(
        "duel", "--players", "random,greedy", "--single", "--file", file
    )
    assert "seed is 7" in run_for_error(*DUEL[:-4], "--seed", 8, "--file", file)
    assert file.read_bytes() == before


def test_file_of_other_version_is_continued_if_play_is_unchanged(tmp_path: Path) -> None:
    file = create_results_file(tmp_path)
    older = file.read_bytes().replace(b'"edition":"', b'"edition":"0')
    file.write_bytes(older)
    assert run_for_json("duel", "--file", file, "--deals", 3, "--jobs", 1)["deals"] == 3
    other = older.replace(b'"totals":[[', b'"totals":[[1')
    file.write_bytes(other)
    assert "players or rules" in run_for_error("duel", "--file", file, "--deals", 3, "--jobs", 1)
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
    assert said in run_for_error("duel", "--recheck", file)


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
    file = create_results_file(tmp_path)
    damaged = file.read_bytes().replace(before, after)
    assert damaged != file.read_bytes()
    file.write_bytes(damaged)
    assert said in run_for_error("duel", file)


def test_results_file_without_deals_is_continued(tmp_path: Path) -> None:
    file = create_results_file(tmp_path, 1)
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    for words in ((file,), ("--recheck", file)):
        assert run_for_error("duel", *words).startswith(f"{file}: ")
    assert run_for_json("duel", "--file", file, "--deals", 2, "--jobs", 1)["deals"] == 2


def test_empty_results_file_is_treated_as_new(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    file.touch()
    assert run_for_json("duel", "--players", "greedy,random", "--single", "--deals", 1, "--jobs", 1, "--file", file)
    assert len(DuelResults.from_file(file).deals) == 1


def test_reading_results_file_does_not_change_it(tmp_path: Path) -> None:
    file = create_results_file(tmp_path)
    with file.open("ab") as running:
        running.write(b'{"deal":2,"tot')
    before = file.read_bytes()
    assert [report["deals"] for report in run_for_json("duel", file)] == [2]
    assert run_for_json("duel", "--recheck", file, "--jobs", 1)["deals"] == 2
    assert file.read_bytes() == before


def test_concurrent_runs_do_not_mix_duels_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "duel.jsonl"
    one = DuelResults(build_contest("greedy", "random"), file)
    with pytest.raises(UnreadableError, match="seed is 7"):
        DuelResults(replace(build_contest("greedy", "random"), seed=8), file)
    for played in play_duel(build_contest("greedy", "random"), 2).deals.values():
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
    error = run_for_error(*words, "--players", "greedy,random", "--single", "--deals", 1, "--jobs", 1)
    assert error.startswith(f"{words[-1]}: ")


def test_results_are_printed_although_record_cannot_be_written(tmp_path: Path) -> None:
    words, record = (
        write_player(tmp_path, FIRST_ACTION_PROGRAM).removeprefix("seat:").split(),
        tmp_path / "nowhere" / "match.txt",
    )
    result = run_command("seat", "--single", "--record", record, *words)
    assert result.exit_code == 2
    assert "no faults." in result.stdout
    assert result.stderr.startswith(f"boneyard: {record}: ")


@pytest.mark.parametrize("player", ["moo", "seat:no-such-program-here"])
def test_results_file_with_unavailable_players_is_not_verified(player: str, tmp_path: Path) -> None:
    file = create_results_file(tmp_path, 1)
    file.write_bytes(file.read_bytes().replace(b'["greedy"', f'["{player}"'.encode()))
    assert run_for_error("duel", "--recheck", file, "--jobs", 1).startswith("players: ")


def test_printed_command_is_quoted_for_shell() -> None:
    duel = build_contest("seat:perl 'my player.pl' $HOME;", "greedy", limit=0.5)
    printed_words = shlex.split(format_command(duel, 3))
    assert printed_words[:4] == ["boneyard", "duel", "--game", "triominoes"]
    assert printed_words[printed_words.index("--players") + 1] == ",".join(duel.players)
    assert printed_words[printed_words.index("--limit") + 1] == "0.5"


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
    assert said in run_for_error("duel", *words, "--deals", 1)


def test_options_are_parsed_like_those_of_tiles_new() -> None:
    words = ("--option", "bridge_extension=none hexagon_scale=stepped", "--target", 60, "--preset", "evening")
    report = run_for_json("duel", "--players", "greedy,random", *words, "--deals", 2, "--jobs", 1, "--seed", 1)
    assert report["options"] == ["bridge_extension=none", "hexagon_scale=stepped", "target=60"]
    assert "--preset evening --option bridge_extension=none --option hexagon_scale=stepped" in report["command"]
    assert "matches to 60" in report["row"]


def test_larger_duel_rotates_seats_and_last_player_fills_remaining_seats() -> None:
    report = run_for_json("duel", "--players", "greedy,random", "--seats", 4, "--single", "--deals", 3, "--jobs", 1)
    assert (report["matches"], report["fair"]) == (12, 25.0)
    duel = build_contest("greedy", "random", seats=4)
    assert duel.places == (0, 1, 1, 1)
    assert [[duel.compute_place(seat, rotation) for seat in range(4)].index(0) for rotation in range(4)] == [
        0,
        1,
        2,
        3,
    ]


def test_ladder_plays_every_pair(tmp_path: Path) -> None:
    words = ("ladder", "--players", "random,greedy,easy", "--single", "--deals", 6, "--jobs", 1, "--folder", tmp_path)
    report = run_for_json(*words)
    printed = run_command(*words).stdout.splitlines()
    assert [pair["players"] for pair in report["pairs"]] == [
        ["random", "greedy"],
        ["random", "easy"],
        ["greedy", "easy"],
    ]
    assert len({pair["seed"] for pair in report["pairs"]}) == 3, (
        "what is learned of a deal is of no use in the next duel"
    )
    assert len(list(tmp_path.glob("*.jsonl"))) == 3
    assert len(printed) == 2 + 3
    assert next(one for one in report["ratings"] if one["player"] == "greedy")["rating"] == 0


def test_seat_command_plays_match_and_record_can_be_replayed(tmp_path: Path) -> None:
    player, record = write_player(tmp_path, FIRST_ACTION_PROGRAM), tmp_path / "match.txt"
    words = player.removeprefix("seat:").split()
    result = run_command("seat", "--seed", 3, "--matches", 2, "--target", 60, "--record", record, *words)
    assert result.exit_code == 0, result.output
    assert [line.split(":")[0] for line in result.stdout.splitlines()[:2]] == ["match 1", "match 2"]
    assert "no faults." in result.stdout
    found = rerun(read(record.read_text(), load_rules))
    assert found.faults == []
    assert found.match.ended is not None


def test_seat_lost_by_faults_exits_with_1_and_reason(tmp_path: Path) -> None:
    words = write_player(tmp_path, "import sys\nsys.exit('oh dear')\n").removeprefix("seat:").split()
    result = run_command("seat", "--single", *words)
    assert result.exit_code == 1
    assert "1 lost" in result.stdout
    assert "oh dear" in result.stderr


def test_schema_command_prints_schema() -> None:
    assert run_command("seat", "--schema").stdout == protocol.SCHEMA.read_text(encoding="utf-8")
    assert "which program?" in run_for_error("seat")


@pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")
def test_external_program_plays_in_duel() -> None:
    report = run_for_json(
        "duel", "--players", "seat:perl docs/players/heaviest.pl,greedy", "--single", "--deals", 3, "--jobs", 1
    )
    assert report["faults"] == [{}, {}]
    assert "| heaviest v greedy |" in report["row"]
    assert "| greedy v random" in format_row(play_duel(build_contest("greedy", "random"), 2))
