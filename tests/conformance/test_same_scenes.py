"""The same scenes on the local Discord and on simcord lead to the same messages."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.app import build
from bot.client import Boneyard
from data.store.store import Store
from tests.bot.simulated_guild import BLOCKED_DEAL, MIXED_HAND_DEAL, DealSecrets, SimClock
from tests.conformance import scenes
from tests.conformance.known import COMMON_DIFFERENCES, MENTION_DIFFERENCE, KnownDifference
from tests.conformance.loopback import LoopbackStage, open_loopback_stage
from tests.conformance.simulated import SimulatedStage, open_simulated_stage
from tests.conformance.staging import Scene, SceneRun, Snapshot
from tests.data.store.empty import prepare_database
from tests.render.zlib_pictures import zlib_pictures

__all__ = ["zlib_pictures"]  # the fixture

pytestmark = pytest.mark.usefixtures("zlib_pictures")

# Deals with a known course.
SHORT = 341  # two players to 50 points who play the first listed move: nine turns
UNTIED = 195  # against a computer: each of its moves is the only best one, so it never draws lots
QUAD = 7  # Ada opens Quad-Ominos with four equal numbers, which earns a choice
CORNER = 47  # Grace's best move in Star is a corner play

TIMEOUT = 600  # seconds for a scene on one stage

OpenStage = Callable[[Boneyard], AbstractAsyncContextManager[LoopbackStage | SimulatedStage]]


def play_on_both(tmp_path: Path, scene: Scene, *deals: int) -> set[KnownDifference]:
    async def play(name: str, open_stage: OpenStage, expected: list[Snapshot] | None, **options: Any) -> SceneRun:
        store = await Store.open(await prepare_database(f"sqlite:///{tmp_path}/{name}.db"))
        try:
            client = build(store, secret=DealSecrets([*deals]), **options)
            async with asyncio.timeout(TIMEOUT), open_stage(client) as stage:
                run = SceneRun(stage, expected)
                await scene(run)
                await run.end()
                return run
        finally:
            await store.close()

    simulated = asyncio.run(play("simcord", open_simulated_stage, None, clock=SimClock()))
    return asyncio.run(play("local", open_loopback_stage, simulated.snapshots)).known_differences


@pytest.fixture(autouse=True)
def logged_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR] == []


def test_whole_match_differs_only_in_known_gaps_of_simcord(tmp_path: Path) -> None:
    assert play_on_both(tmp_path, scenes.play_whole_match, SHORT) == set(COMMON_DIFFERENCES)


def test_message_notifies_only_allowed_mentions(tmp_path: Path) -> None:
    assert MENTION_DIFFERENCE in play_on_both(tmp_path, scenes.mention_players)


@pytest.mark.parametrize(
    ("scene", "deal"),
    [
        (scenes.use_lobby, MIXED_HAND_DEAL),
        (scenes.use_reserved_seats, MIXED_HAND_DEAL),
        (scenes.trigger_refusals, MIXED_HAND_DEAL),
        pytest.param(scenes.click_forged_buttons, MIXED_HAND_DEAL, marks=pytest.mark.deep),
        (scenes.play_against_computer, UNTIED),
        (scenes.play_with_manual_draws, BLOCKED_DEAL),
        (scenes.choose_opening_bonus, QUAD),
        (scenes.play_extra_turn, CORNER),
        (scenes.play_in_thread, MIXED_HAND_DEAL),
        pytest.param(scenes.push_board_up, MIXED_HAND_DEAL, marks=pytest.mark.deep),
        (scenes.delete_board, MIXED_HAND_DEAL),
        pytest.param(scenes.request_suggestions, MIXED_HAND_DEAL, marks=pytest.mark.deep),
    ],
    ids=lambda value: value.__name__ if callable(value) else f"deal {value}",
)
def test_scene_shows_same_messages_on_both_stages(tmp_path: Path, scene: Scene, deal: int) -> None:
    play_on_both(tmp_path, scene, deal)
