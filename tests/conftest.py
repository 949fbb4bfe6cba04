"""Select the tier: `uv run pytest` leaves out tests that are marked deep, `uv run pytest --deep` runs all."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.depth import DEPTH

# On a busy machine, an example may take any time.
settings.register_profile("boneyard", deadline=None)
settings.load_profile("boneyard")

# SQLite waits for the disk at each commit, which takes seconds if other programs write much. A folder in memory avoids
# that.
RAM_DISK = Path("/dev/shm")
if RAM_DISK.is_dir() and shutil.disk_usage(RAM_DISK).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(RAM_DISK))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("boneyard").addoption("--deep", action="store_true", help="run the deep tier too")


def pytest_xdist_auto_num_workers() -> int:
    # Tests of the bot spend about half of their time waiting for the simulated Discord, processes and servers.
    return 2 * (os.cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.deep:
        config.option.markexpr = ""
    if DEPTH > 1 and config.option.timeout is None:
        config.option.timeout = 0  # a deeper run may take any time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # By default simcord waits 5 seconds for the bot, which is too short on a busy machine. From 20 seconds on, it would
    # wait for the end of the undo window after each move.
    marker = pytest.mark.simcord(settle_timeout=15)
    for item in items:
        if item.get_closest_marker("simcord") is None:
            item.add_marker(marker)
