"""Finished matches: the list of one's own, replays move by move, and films."""

from bot.core.services import App
from bot.history.films import FilmMaker


def register(app: App) -> None:
    app.add(FilmMaker(app.services.now))
