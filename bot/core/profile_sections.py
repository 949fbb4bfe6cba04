"""What features add to the cards of `/tiles profile` and to `/tiles help`."""

from typing import Any, Final

from discord import ui

from bot.core.context import Context

Buttons = list[ui.Button[Any]]


class ProfileSection:
    """What one feature adds. Each adds nothing by itself: a feature overrides what it has something for."""

    async def titles(self, ctx: Context, user_id: int, game: str) -> list[str]:
        """Return what a player has won, for the line of titles."""
        return []

    async def own_text(self, ctx: Context, game: str, length: int) -> str:
        """Return lines for the asker's own card; above them stand `length` characters."""
        return ""

    def own_buttons(self, ctx: Context, game: str) -> Buttons:
        """Return buttons for the asker's own card."""
        return []

    async def rivals_text(
        self, ctx: Context, players: tuple[int, int], names: tuple[str, str], game: str | None
    ) -> str:
        """Return lines for the card of two players, one of whom asks. `names` are escaped; without a `game` all."""
        return ""

    def rivals_buttons(self, ctx: Context, other: int, game: str | None) -> Buttons:
        """Return buttons for the card of the asker and another player."""
        return []

    async def help_buttons(self, ctx: Context) -> Buttons:
        """Return buttons for the help: what there is for one person."""
        return []


SECTIONS: Final[list[ProfileSection]] = []
"""Those of all features, in the order in which they are shown."""
