"""Run `boneyard` with a local Discord whose interaction timeout equals the test timeout."""

from functools import partial

from bot.__main__ import main
from bot.playground import launch
from bot.playground.server import LocalDiscord
from tests.e2e.playground import STEP_TIMEOUT

launch.LocalDiscord = partial(LocalDiscord, answer_within=STEP_TIMEOUT)  # type: ignore[assignment, misc]
main()
