"""Run `boneyard` with a local Discord that waits for the bot as long as the tests do."""

from functools import partial

from bot.__main__ import main
from bot.playground import launch
from bot.playground.server import LocalDiscord
from tests.e2e.playground import PATIENCE

launch.LocalDiscord = partial(LocalDiscord, answer_within=PATIENCE)  # type: ignore[assignment, misc]
main()
