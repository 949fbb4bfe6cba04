"""Profile cards, leaderboards, records, and two players compared."""

from bot.core.services import App


def register(app: App) -> None:
    """Do nothing: the commands register when they are imported."""
