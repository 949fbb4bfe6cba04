"""The tiers of the checks that CONTRIBUTING.md names, and how deep they go."""

import os
import subprocess
import sys
from functools import cache
from types import SimpleNamespace

import pytest

from tests import depth
from tests.compiled import turned
from tests.conftest import FIRST
from tests.house.sources import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TESTS = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
ROOMS = sorted({name.split("/")[1] for name in TESTS})


@cache
def quick() -> frozenset[str]:
    """The files of the quick tier, as pytest finds them."""
    around = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "BONEYARD"))}
    told = [sys.executable, "-m", "pytest", "--quick", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(told, cwd=ROOT, env=around, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return frozenset(line.partition(":")[0] for line in done.stdout.splitlines() if line.startswith("tests/"))


@pytest.mark.parametrize("room", ["engine", "golden", "data", "render"])
def test_the_quick_tier_has_all_of(room: str) -> None:
    assert {name for name in TESTS if name.startswith(f"tests/{room}/")} <= quick()


def test_the_quick_tier_has_the_services_and_nothing_that_takes_a_discord() -> None:
    services = {name for name in quick() if name.startswith("tests/bot/")}
    assert len(services) >= 10
    assert {name.split("/")[1] for name in quick()} == {"engine", "golden", "data", "render", "bot"}
    for name in services:
        assert "simcord" not in (ROOT / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("begin", FIRST)
def test_what_is_run_first_is_there(begin: str) -> None:
    assert any(name.startswith(f"tests/{begin}") for name in TESTS)


def test_all_workers_read_all_files_and_begin_with_different_ones() -> None:
    files = list(range(20))
    read = [
        turned(files, SimpleNamespace(workerinput={"workerid": f"gw{worker}", "workercount": 6}))  # type: ignore[arg-type]
        for worker in range(6)
    ]
    assert [sorted(one) for one in read] == [files] * 6
    assert len({one[0] for one in read}) == 6
    assert turned(files, SimpleNamespace()) == files  # type: ignore[arg-type]


@pytest.mark.parametrize("room", ROOMS)
def test_the_guide_names_a_command_for_every_room(room: str) -> None:
    assert f"`uv run pytest tests/{room}`" in GUIDE


@pytest.mark.parametrize(
    ("deeper", "usual", "least", "so_many"),
    [(1, 40, 1, 40), (10, 40, 1, 400), (0.1, 40, 1, 4), (0.1, 4, 1, 1), (0.1, 40, 20, 20)],
)
def test_all_depths_are_multiplied(
    monkeypatch: pytest.MonkeyPatch, deeper: float, usual: int, least: int, so_many: int
) -> None:
    monkeypatch.setattr(depth, "DEPTH", deeper)
    assert depth.deep(usual, least) == so_many


@pytest.mark.parametrize(("deeper", "cases"), [(10, 20), (1, 20), (0.5, 10), (0.1, 2)])
def test_a_shallow_run_takes_a_part_of_the_cases(monkeypatch: pytest.MonkeyPatch, deeper: float, cases: int) -> None:
    monkeypatch.setattr(depth, "DEPTH", deeper)
    assert len(depth.part(range(20))) == cases
