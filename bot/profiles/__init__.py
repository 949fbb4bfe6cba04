"""Profile cards, leaderboards, records, and two players compared."""

from bot.core.services import App


def register(app: App) -> None:
    """Nothing to add: `/tiles profile` and `/tiles leaderboard` register by themselves."""
