"""The parts that features add to `/tiles profile` and `/tiles help`."""

from typing import Any, Final

from discord import ui

from bot.core.context import Context

Buttons = list[ui.Button[Any]]


class ProfileSection:
    async def list_titles(self, ctx: Context, user_id: int, game: str) -> list[str]:
        return []

    async def format_own_lines(self, ctx: Context, game: str, length: int) -> str:
        """Return lines for the user's own card, which already has `length` characters."""
        return ""

    def build_own_buttons(self, ctx: Context, game: str) -> Buttons:
        return []

    async def format_rivals_lines(
        self, ctx: Context, players: tuple[int, int], names: tuple[str, str], game: str | None
    ) -> str:
        """Return lines for the card of two players. `names` are escaped; without a `game` they cover all games."""
        return ""

    def build_rivals_buttons(self, ctx: Context, other: int, game: str | None) -> Buttons:
        return []

    async def build_help_buttons(self, ctx: Context) -> Buttons:
        return []


SECTIONS: Final[list[ProfileSection]] = []  # in the order of display
