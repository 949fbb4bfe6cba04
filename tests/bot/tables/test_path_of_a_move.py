"""Count the product files that run between a click and its reply (docs/explanation/architecture.md).

A file counts when one of its functions runs for the click before the bot sends the reply. Later posts and the code in
the database thread do not count.
"""

import sys
from pathlib import Path
from traceback import walk_stack
from types import FrameType

from simcord import Env

from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_menus
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import seat_after_opening

ROOT = Path(__file__).parents[3]
PRODUCT_FOLDERS = tuple(f"{ROOT / layer}/" for layer in ("bot", "data", "engine", "render"))

MAX_CLICK_FILES = 35
MAX_ACT_FILES = 15
"""Limits. A change that adds a layer must remove another one."""


class ClickTrace:
    """The product files that run for a click, and within `TableActions.act`, before the reply is sent."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._request_count = len(env.http_requests)
        self._is_answered = False
        self.click_files: set[str] = set()
        self.act_files: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = event == "call" and not code.co_name.startswith("<")
        if not is_function or not code.co_filename.startswith(PRODUCT_FOLDERS) or self._has_answer():
            return
        file = str(Path(code.co_filename).relative_to(ROOT))
        callers = {caller.f_code.co_qualname for caller, _ in walk_stack(frame)}
        if callers & {"ComponentItem.from_custom_id", "ComponentItem.callback"}:
            self.click_files.add(file)
        if "TableActions.act" in callers:
            self.act_files.add(file)

    def _has_answer(self) -> bool:
        requests = self._env.http_requests
        while not self._is_answered and self._request_count < len(requests):
            self._is_answered = requests[self._request_count].path.startswith(("/interactions/", "/webhooks/"))
            self._request_count += 1
        return self._is_answered


async def trace_press(sim: SimGuild, ada: Member, grace: Member) -> ClickTrace:
    """Trace Grace's click on **Play**."""
    await seat_after_opening(sim, ada, grace)
    hand = await sim.open_hand(grace)
    preview = await grace.open_select(hand, list_menus(hand)[0].options[0].value)
    play = find_play_label(preview)
    trace = ClickTrace(sim.env)
    sys.setprofile(trace)
    try:
        await grace.click(preview, label=play)
    finally:
        sys.setprofile(None)
    return trace


async def test_click_runs_few_product_files(sim: SimGuild, ada: Member, grace: Member) -> None:
    trace = await trace_press(sim, ada, grace)
    assert "bot/core/dispatch.py" in trace.click_files
    assert len(trace.click_files) <= MAX_CLICK_FILES, "\n".join(sorted(trace.click_files))


async def test_act_runs_few_product_files(sim: SimGuild, ada: Member, grace: Member) -> None:
    trace = await trace_press(sim, ada, grace)
    assert "bot/tables/acts.py" in trace.act_files
    assert len(trace.act_files) <= MAX_ACT_FILES, "\n".join(sorted(trace.act_files))
