"""The puzzle of the day: solved in a private message, with a rating, a table of the day and a card to share."""

from bot.core.services import App
from bot.puzzles.service import PuzzleService


def register(app: App) -> None:
    app.add(PuzzleService(app.services.store, app.services.now))
