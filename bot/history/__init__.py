"""Finished matches: the list of one's own, replays move by move, and films."""

from bot.core.services import App
from bot.history.films import Films


def register(app: App) -> None:
    app.add(Films(app.services.now))
