"""How far the bot's start is: what the page says while nobody answers."""

from __future__ import annotations

from typing import Final

from bot.playground.news import Happening, News
from bot.playground.shapes import Json

STEPS: Final = ("begin", "loading", "login", "connecting")
"""What the local Discord can see of a start: its process is asked for, it runs, says its token, opens its line."""

LOADING: Final = STEPS[1]
"""The first step that says of a start that it is under way."""


class BotStart:
    """The step a start has reached, and how often it was begun again. Pages hear of every change."""

    def __init__(self, news: News) -> None:
        self._news = news
        self._step = 0
        self._ended = 0
        news.listen(self._hear)

    @property
    def shown(self) -> Json:
        """What the page draws: `step` of `steps`, its name, and how often the bot has `ended` before it was here."""
        return {"step": self._step + 1, "steps": len(STEPS), "doing": STEPS[self._step], "ended": self._ended}

    def reached(self, step: str) -> None:
        """The start has come to this one of `STEPS`. Nothing changes where it is past that, or where no start was
        seen: a bot that is here asks many things.
        """
        if STEPS.index(step) > self._step and (self._step or step == LOADING):
            self._step = STEPS.index(step)
            self._tell()

    def ended(self) -> None:
        """The bot has ended, and will be started again."""
        self._ended += 1
        self._step = 0
        self._tell()

    def _hear(self, happening: Happening) -> None:
        if happening.kind == "bot_status" and happening.data["online"]:
            self._step = self._ended = 0

    def _tell(self) -> None:
        self._news.tell("bot_start", self.shown, secret=True)
