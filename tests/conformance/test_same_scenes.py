"""The same scenes on the local Discord and on simcord: what was posted is the same."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import build
from data.store.store import Store
from tests.bot.simulated_guild import BLOCKED, LIVELY, Clock, Deals
from tests.conformance import scenes
from tests.conformance.known import LOOKS, RINGS, Known
from tests.conformance.loopback import loopback
from tests.conformance.simulated import simulated
from tests.conformance.staging import Moment, Scene, Staging
from tests.data.store.empty import laid
from tests.render.zlib_pictures import zlib_pictures

__all__ = ["zlib_pictures"]  # the fixture

pytestmark = pytest.mark.usefixtures("zlib_pictures")

# Deals that go a certain way.
SHORT = 341  # Two people to 50, who play the first move of the list: nine turns
UNTIED = 195  # Against a computer: each of its moves is better than all others, so it needs no chance to choose
QUAD = 7  # Ada opens Quad-Ominos with four equal numbers, which earns a choice
CORNER = 47  # Grace's best tile in Star goes corner to corner

LONGEST = 600  # Seconds a scene may take on one stage


def play_on_both(tmp_path: Path, scene: Scene, *deals: int) -> set[Known]:
    async def on_simcord() -> list[Moment]:
        store = await Store.open(await laid(f"sqlite:///{tmp_path}/simcord.db"))
        try:
            async with (
                asyncio.timeout(LONGEST),
                simulated(build(store, clock=Clock(), secret=Deals([*deals]))) as stage,
            ):
                staging = Staging(stage)
                await scene(staging)
                await staging.end()
                return staging.moments
        finally:
            await store.close()

    async def on_loopback(wanted: list[Moment]) -> set[Known]:
        store = await Store.open(await laid(f"sqlite:///{tmp_path}/local.db"))
        try:
            async with asyncio.timeout(LONGEST), loopback(build(store, secret=Deals([*deals]))) as stage:
                staging = Staging(stage, wanted)
                await scene(staging)
                await staging.end()
                return staging.excused
        finally:
            await store.close()

    return asyncio.run(on_loopback(asyncio.run(on_simcord())))


@pytest.fixture(autouse=True)
def nothing_broke(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR] == []


def test_whole_match_looks_same_but_for_what_simcord_leaves_out(tmp_path: Path) -> None:
    assert play_on_both(tmp_path, scenes.whole_match, SHORT) == set(LOOKS)


def test_message_rings_only_whom_it_may_ring(tmp_path: Path) -> None:
    assert RINGS in play_on_both(tmp_path, scenes.names_that_ring)


@pytest.mark.parametrize(
    ("scene", "deal"),
    [
        (scenes.lobby, LIVELY),
        (scenes.kept_seats, LIVELY),
        (scenes.refusals, LIVELY),
        pytest.param(scenes.forged_ids, LIVELY, marks=pytest.mark.deep),
        (scenes.against_a_computer, UNTIED),
        (scenes.by_hand, BLOCKED),
        (scenes.a_bonus, QUAD),
        (scenes.a_further_turn, CORNER),
        (scenes.in_a_thread, LIVELY),
        pytest.param(scenes.pushed_up, LIVELY, marks=pytest.mark.deep),
        (scenes.deleted_board, LIVELY),
        pytest.param(scenes.suggestions, LIVELY, marks=pytest.mark.deep),
    ],
    ids=lambda value: value.__name__ if callable(value) else f"deal {value}",
)
def test_scene_looks_same_on_both(tmp_path: Path, scene: Scene, deal: int) -> None:
    play_on_both(tmp_path, scene, deal)
