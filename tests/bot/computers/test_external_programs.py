"""External programs as players, including programs that misbehave."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.tools.contest import PROGRAM_PREFIX
from bot.tools.seating import Arena, ProgramPlayer
from data.rulebook import load_rules
from engine.record import read, rerun, write
from tests.bot.computers.duels import (
    FIRST_ACTION,
    FIRST_ACTION_PROGRAM,
    HELLO_LINES,
    REQUEST_LOOP,
    build_contest,
    write_player,
)
from tests.depth import scale_count
from tests.project.sources import ROOT

NEEDS_PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")
EXAMPLE = f"{PROGRAM_PREFIX}perl {ROOT / 'docs' / 'players' / 'heaviest.pl'}"
PATIENCE = 300.0
DEALS = (0, 1, 3, 4)
SHORT_TIMEOUT = 0.2


def play_against_greedy(
    folder: Path, text: str, *, deals: Sequence[int] = (0,), limit: float = PATIENCE
) -> tuple[list[tuple[int, ...]], ProgramPlayer]:
    with Arena(build_contest(write_player(folder, text), "greedy", limit=limit)) as arena:
        places = [arena.play_rotation(deal, 0, (Counter(), Counter())).places for deal in deals]
        programs = list(arena.programs)
    return places, next((one for one in programs if one.faults), programs[0])


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < deadline, "the program goes on"
        time.sleep(0.02)


@NEEDS_PERL
def test_perl_example_plays_whole_matches_without_fault() -> None:
    with Arena(build_contest(EXAMPLE, "greedy", single=False)) as arena:
        for deal in range(scale_count(5)):
            played = arena.play(deal)
            assert played.faults == ({}, {})
            assert all(max(totals) >= 400 for totals in played.totals)
    assert sum(len(totals_by_seat) for totals_by_seat in played.totals) == 4


@NEEDS_PERL
@pytest.mark.parametrize("game", ["quad-ominos", "points", "muggins", "star", "trioker"])
def test_perl_example_plays_every_game(game: str) -> None:
    with Arena(build_contest(EXAMPLE, "greedy", game=game)) as arena:
        assert arena.play(0).faults == ({}, {})


@NEEDS_PERL
def test_perl_example_is_thirty_lines_and_uses_no_module() -> None:
    lines = (ROOT / "docs" / "players" / "heaviest.pl").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 32
    assert [line for line in lines if line.startswith("use ")] == ["use strict;", "use warnings;"]


MISBEHAVIORS = {
    "nonsense": ("print('moo', flush=True)", {"nonsense": 3}),
    "no action of the list": ("print(json.dumps({'ask': told['ask'], 'action': 999}), flush=True)", {"nonsense": 3}),
    "the answer to what nobody asked": ("print('{\"ask\":77,\"action\":0}', flush=True)", {"nonsense": 3}),
    "a long line": ("print('{\"ask\":1' + ' ' * 5000 + ',\"action\":0}', flush=True)", {"nonsense": 3}),
    "hello again and again": ("print('{\"protocol\":1}', flush=True)", {"nonsense": 3}),
    "silence": ("time.sleep(1000)", {"late": 3}),
    "half a line": ("sys.stdout.write('{\"ask\":'); sys.stdout.flush()", {"late": 3}),
    "old answers for ever": ("print(ONE, flush=True)\n        while told['ask'] > 1: print(ONE)", {"flood": 1}),
    "a line without end": ("\n        while True: sys.stdout.write('x' * 65536)", {"flood": 1}),
    "empty lines for ever": ("\n        while True: sys.stdout.write('\\n' * 65536)", {"flood": 1}),
    "complaints for ever": ("\n        while True: sys.stderr.write('x' * 65536)", {"flood": 1}),
    "a crash": ("raise ValueError('oh dear')", {"gone": 1}),
    "a closed pipe": ("os.close(1); time.sleep(1000)", {"gone": 1}),
}  # fmt: skip
PROGRAMS_WITHOUT_HELLO = {
    "nobody": ("import sys\nsys.exit(0)\n", {"gone": 1}),
    "another protocol": ("print('{\"protocol\":2}', flush=True)\n", {"nonsense": 1}),
    "a word": ("print('hello', flush=True)\n", {"nonsense": 1}),
}


@pytest.mark.parametrize("misbehavior", MISBEHAVIORS)
def test_misbehaving_program_is_judged_and_match_continues(misbehavior: str, tmp_path: Path) -> None:
    does, faults = MISBEHAVIORS[misbehavior]
    text = f'ONE = \'{{"ask":1,"action":0}}\'\n{REQUEST_LOOP}        {does}\n'
    duel = build_contest(write_player(tmp_path, text), "greedy", limit=SHORT_TIMEOUT if "late" in faults else PATIENCE)
    with Arena(duel) as arena:
        ended = arena.play_rotation(0, 0, (Counter(), Counter()))
        (misbehaving,) = [one for one in arena.programs if one.faults]
        assert dict(misbehaving.faults) == faults
        assert misbehaving.forfeits == 1
    assert ended.places == (2, 1), "three faults, or one that nothing can follow, cost the match"
    assert rerun(read(write(ended.log, load_rules("triominoes")), load_rules)).faults == []
    for complaint in misbehaving.complaints:
        assert len(complaint) < 1000
        assert complaint.replace("\n", "").isprintable()


@pytest.mark.parametrize("who", PROGRAMS_WITHOUT_HELLO)
def test_program_without_hello_does_not_play(who: str, tmp_path: Path) -> None:
    text, faults = PROGRAMS_WITHOUT_HELLO[who]
    places, player = play_against_greedy(tmp_path, text)
    assert (places, dict(player.faults)) == ([(2, 1)], faults)


def test_late_program_loses_move_and_late_answer_is_ignored(tmp_path: Path) -> None:
    late = REQUEST_LOOP + "        if told['ask'] == 2: time.sleep(1.5)\n" + FIRST_ACTION
    _, player = play_against_greedy(tmp_path, late, limit=0.5)
    assert set(player.faults) == {"late"}
    assert player.forfeits == (player.faults["late"] >= 3)


def test_late_answer_in_next_match_is_ignored_without_fault(tmp_path: Path) -> None:
    counting = Counter[int](), Counter[int]()
    with Arena(build_contest(write_player(tmp_path, FIRST_ACTION_PROGRAM), "greedy")) as arena:
        arena.play_rotation(0, 0, counting)
    last, note = counting[0].total(), tmp_path / "second"
    program_text = HELLO_LINES + (
        "match, owed = 0, []\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'match':\n"
        "        match += 1\n"
        "        for one in owed: print(one, flush=True)\n"
        "    elif told['type'] == 'choose':\n"
        f"        if match == 2: open({str(note)!r}, 'a').write('x')\n"
        "        answer = json.dumps({'ask': told['ask'], 'action': 0})\n"
        f"        if match == 1 and told['ask'] >= {last}: owed.append(answer)\n"
        "        else: print(answer, flush=True)\n"
    )
    with Arena(build_contest(write_player(tmp_path, program_text), "greedy", limit=2)) as arena:
        arena.play_rotation(0, 0, (Counter(), Counter()))
        (player,) = [one for one in arena.programs if one.faults]
        before = dict(player.faults)
        arena.play_rotation(3, 0, (Counter(), Counter()))
    assert set(before) == {"late"}
    assert note.read_text(), "it was asked in the second match"
    assert (player.faults, player.forfeits) == (before, 0)


def test_crashed_program_is_restarted_for_next_match(tmp_path: Path) -> None:
    note = tmp_path / "started"
    crashing = f"import os\nopen({str(note)!r}, 'a').write(f'{{os.getpid()}}\\n')\n{REQUEST_LOOP}        sys.exit(7)\n"
    places, player = play_against_greedy(tmp_path, crashing, deals=DEALS)
    assert places == [(2, 1)] * len(DEALS)
    assert dict(player.faults) == {"gone": len(DEALS)}
    assert len({*note.read_text().split()}) == len(DEALS)
    assert "status 7" in player.complaints[0]


def test_endless_output_at_exit_is_ignored(tmp_path: Path) -> None:
    program_text = "while True:\n    for one in (sys.stdout, sys.stderr): one.write('x' * 16384); one.flush()\n"
    assert play_against_greedy(tmp_path, REQUEST_LOOP + FIRST_ACTION + program_text)[1].faults.total() == 0


def test_program_without_hello_is_not_awaited_again(tmp_path: Path) -> None:
    note = tmp_path / "started"
    places, player = play_against_greedy(tmp_path, f"open({str(note)!r}, 'a').write('x')\n", deals=range(4))
    assert places == [(2, 1)] * 4
    assert (player.forfeits, note.read_text()) == (4, "x")


def test_program_does_not_inherit_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hush")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://hush")
    program_text = "import os, sys\nsys.exit(3 if 'hush' in str(os.environ) else 4)\n"
    assert "status 4" in play_against_greedy(tmp_path, program_text)[1].complaints[0]


def test_program_never_gets_same_deal_twice(tmp_path: Path) -> None:
    note = tmp_path / "questions"
    note_lines = f"        if told['ask'] == 1: open({str(note)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    with Arena(build_contest(write_player(tmp_path, REQUEST_LOOP + note_lines + FIRST_ACTION), "greedy")) as arena:
        for deal in DEALS:
            arena.play(deal)
        programs = list(arena.programs)
    assert [one.faults.total() for one in programs] == [0, 0]
    pids = [line.split()[0] for line in note.read_text().splitlines()]
    # Each deal is played twice, by two programs, so that no program sees a deal again.
    assert len({*pids}) == 2
    assert [pids.count(pid) for pid in {*pids}] == [len(DEALS)] * 2


NEEDS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds child processes in other sessions")


@pytest.mark.parametrize("moved", [False, pytest.param(True, marks=NEEDS_LINUX)])
@pytest.mark.skipif(os.name != "posix", reason="process groups need POSIX")
def test_child_processes_of_program_are_killed_with_it(moved: bool, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    stubborn = (
        "import os, signal, sys, time\n"
        "for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE): signal.signal(one, signal.SIG_IGN)\n"
        "child = os.fork()\n"
        f"if not child and {moved}:\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
        f"open({str(note)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "if not child:\n    time.sleep(1000)\n"
    )
    play_against_greedy(tmp_path, stubborn + REQUEST_LOOP + FIRST_ACTION + "time.sleep(1000)\n")
    pids = list(map(int, note.read_text().split()))
    assert len(pids) == 2
    for pid in pids:
        wait_until_gone(pid)


@NEEDS_LINUX
@pytest.mark.deep
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_duel_ends_program_and_its_child_processes(jobs: int, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    stubborn = "import os\nos.fork()\n" + f"open({str(note)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    stubborn += HELLO_LINES + "time.sleep(1000)\n"
    players = f"{write_player(tmp_path, stubborn)},greedy"
    words = ["duel", "--players", players, "--deals", "4", "--jobs", str(jobs), "--limit", "900"]
    with subprocess.Popen([sys.executable, "-m", "bot", *words], cwd=ROOT, stderr=subprocess.DEVNULL) as duel:
        deadline = time.monotonic() + PATIENCE
        while not note.exists() or len(pids := note.read_text().split()) < 2:
            assert time.monotonic() < deadline, "no program was started"
            assert duel.poll() is None
            time.sleep(0.05)
        duel.send_signal(signal.SIGKILL)
    for pid in map(int, pids):
        wait_until_gone(pid)
