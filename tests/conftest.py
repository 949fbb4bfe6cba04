"""The tiers of the checks, what is run first, and what it costs: `--quick`, `--costs` (CONTRIBUTING.md)."""

from __future__ import annotations

import gc
import os
from collections import Counter, defaultdict
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from render.canvas import Canvas
from render.png import ZLIB
from tests.compiled import compile_ahead, turned
from tests.copies import copy_quickly
from tests.costs import spent
from tests.patience import look_seldom, wait_patiently
from tests.statements import compile_once

wait_patiently()
look_seldom()
copy_quickly()
compile_once()
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

HERE = Path(__file__).parent
QUICK = ("engine", "golden", "data", "render", "bot")
"""The rooms of the quick tier. Of the bot it takes the services, where they need no Discord and no other process."""
SHALLOW = "0.02"
"""How deep the quick tier goes."""
SERVICES = ("bot.service", "tests.bot.desk", "tests.bot.waiting_room")
DISCORDS = ("simcord", "LocalDiscord", "tests.bot.house", "tests.bot.parlour", "create_subprocess", "subprocess.")
"""What a test of the bot speaks of when it is about the services, and when it is about more."""
FIRST = (
    "crash/test_mutants.py",
    "house/test_guides.py",
    "e2e/test_whole_match.py",
    "crash/test_kills.py",
    "deploy/test_compose.py",
    "engine/test_matches.py",
    "e2e/test_every_game.py",
    "postgres/test_move.py",
    "bot/test_running.py",
    "data/store/test_old_database.py",
    "deploy/test_operating_guide.py",
    "data/store/test_scores.py",
    "bot/test_watchdog.py",
    "abuse/test_farmer.py",
    "bot/test_stopping.py",
    "engine/test_cross_check.py",
    "e2e/test_restarts.py",
    "bot/test_every_game.py",
    "deploy/test_image.py",
    "crash/test_postgres.py",
    "postgres/test_pooler.py",
    "e2e",
    "postgres",
    "house/test_checks.py",
    "bot/test_registering.py",
    "conformance/test_same_scenes.py",
    "bot/test_limited.py",
    "bot/test_absence_season.py",
    "bot/test_strict_discord.py",
    "bot/test_starting_anew.py",
    "abuse/test_deal_shopper.py",
    "bot/test_owner.py",
    "bot/test_smoke.py",
    "bot/test_health_command.py",
    "house",
    "engine",
    "bot",
    "abuse",
)
"""What takes longest, so that nobody waits for it in the end. What mostly waits, for servers and processes, stands
between what computes: because of it two processors have work for six.
"""


@pytest.fixture
def pressed_by_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """For whoever compares files of pictures, or says how long they are. ISA-L now and then presses the same pixels
    into a few bytes less or more, on a machine that does much else at once; zlib always presses them into the same.
    """
    monkeypatch.setattr(Canvas.png, "__defaults__", (ZLIB,))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is read stays to the end: looking through it for rubbish again and again took a tenth of the time, and a
    fifth of the reading.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_unconfigure() -> Generator[None]:
    """In the end pytest looks for rubbish twice, through all that a worker has come to hold: once is enough."""
    yield
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("boneyard")
    group.addoption("--quick", action="store_true", help="engine, data, render and the services, and not very deep")
    group.addoption("--costs", action="store_true", help="tell what every room and the dearest files cost")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    # Every worker reads all files, which is a good part of so little work.
    if config.option.quick and (config.option.numprocesses or 0) > 2:
        config.option.numprocesses = 2


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # Before any test module is read: tests/depth.py looks here.
    if config.option.quick:
        os.environ.setdefault("BONEYARD_DEPTH", SHALLOW)
    depth = float(os.environ.get("BONEYARD_DEPTH") or 1)
    if depth > 1 and config.option.timeout is None:
        config.option.timeout = depth * float(config.getini("timeout"))
    if hasattr(config, "workerinput"):
        return
    if config.option.costs:
        config.pluginmanager.register(Costs(), "costs")
    if config.option.numprocesses:
        compile_ahead(HERE.parent)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.option.quick or not collection_path.is_relative_to(HERE):
        return None
    way = collection_path.relative_to(HERE).parts
    if way and way[0] not in QUICK:
        return True
    if way[:1] == ("bot",) and collection_path.is_file():
        text = collection_path.read_text(encoding="utf-8")
        return None if _names(text, SERVICES) and not _names(text, DISCORDS) else True
    return None


def _names(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if isinstance(collector, pytest.Directory) and report.passed:
        report.result = turned(report.result, collector.config)
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # By their names, too: each worker has read them in an order of its own, and all must mean the same.
    items.sort(key=lambda item: (_rank(item.path), item.path.parts))


@cache
def _rank(path: Path) -> int:
    """Where a file stands in the order; all others come after those of FIRST, as they are."""
    name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    return next((rank for rank, begin in enumerate(FIRST) if name.startswith(begin)), len(FIRST))


# -- what it costs ---------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.config.option.costs:
        item.stash[BEFORE] = spent()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown" and BEFORE in item.stash:
        report.user_properties.append(("cpu", spent() - item.stash[BEFORE]))
    return report


BEFORE = pytest.StashKey[float]()


class Costs:
    """Sums up what each test has cost, wherever it ran: CPU seconds, and seconds from its beginning to its end."""

    def __init__(self) -> None:
        self.rooms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.files: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        room = "/".join(file.split("/")[:2])
        spent = dict(report.user_properties).get("cpu", 0.0) if report.when == "teardown" else 0.0
        for costs in (self.files[file], self.rooms[room]):
            costs.update({"cpu": spent, "took": report.duration})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("CPU seconds, and seconds that it took")
        terminalreporter.write_line(f"{spent():8.1f}           the whole command, reading all files included")
        for what, by in ((self.rooms, "cpu"), (self.files, "cpu"), (self.files, "took")):
            terminalreporter.write_line("")
            for name, costs in sorted(what.items(), key=lambda one: -one[1][by])[:40]:
                terminalreporter.write_line(f"{costs['cpu']:8.1f} {costs['took']:8.1f}  {name}")
