"""Forged interactions that no Discord client would send."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord
from discord import ui

from bot.client import Boneyard

INTERACTION_IDS = itertools.count(5_000_000)


@dataclass
class ForgedInteraction:
    """A forged interaction, which records the texts of the answers in `answers`."""

    client: Boneyard
    user: Any
    guild_id: int
    channel_id: int
    data: dict[str, Any] = field(default_factory=dict)
    typed: dict[str, Any] = field(default_factory=dict)
    """The typed options of a command, for autocomplete."""
    answers: list[str] = field(default_factory=list)
    id: int = field(default_factory=lambda: next(INTERACTION_IDS))
    type: discord.InteractionType = discord.InteractionType.component
    locale: discord.Locale = discord.Locale.american_english
    guild_locale: discord.Locale = discord.Locale.american_english
    message: None = None
    guild: None = None
    channel: None = None
    app_permissions: discord.Permissions = field(default_factory=discord.Permissions.all)

    @property
    def namespace(self) -> SimpleNamespace:
        return SimpleNamespace(**{"tile": None, "place": None, "game": None, "preset": None} | self.typed)

    @property
    def response(self) -> ForgedInteraction:
        return self

    @property
    def followup(self) -> ForgedInteraction:
        return self

    async def defer(self, **_: object) -> None:
        """Accept the acknowledgement."""

    async def send(self, *, view: ui.LayoutView, **_: object) -> discord.Object:
        self.answers.append("\n".join(one.content for one in view.walk_children() if isinstance(one, ui.TextDisplay)))
        return discord.Object(next(INTERACTION_IDS))

    async def delete_message(self, message_id: int, /) -> None:
        """Accept the deletion of an older answer."""

    edit_original_response = send_message = send
