"""Forged interactions that no Discord client would send."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord
from discord import app_commands, ui

from bot.client import Boneyard
from bot.core.dispatch import handle_click
from bot.core.layout import CustomId
from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild

INTERACTION_IDS = itertools.count(5_000_000)


@dataclass
class ForgedInteraction:
    """A forged interaction, which records the texts of the answers in `answers`."""

    client: Boneyard
    user: Any
    guild_id: int
    channel_id: int
    data: dict[str, Any] = field(default_factory=dict)
    command: app_commands.Command[Any, ..., Any] | None = None
    answers: list[str] = field(default_factory=list)
    id: int = field(default_factory=lambda: next(INTERACTION_IDS))
    type: discord.InteractionType = discord.InteractionType.component
    locale: discord.Locale = discord.Locale.american_english
    guild_locale: discord.Locale = discord.Locale.american_english
    extras: dict[str, Any] = field(default_factory=dict)
    message: None = None
    guild: None = None
    channel: None = None
    app_permissions: discord.Permissions = field(default_factory=discord.Permissions.all)

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


def forge_interaction(sim: SimGuild, person: Member, **sent: Any) -> ForgedInteraction:
    user = SimpleNamespace(id=person.id, name=person.user.name, display_name=person.user.global_name)
    return ForgedInteraction(sim.client, user, sim.guild.id, sim.channel.id, **sent)


async def click_forged(sim: SimGuild, person: Member, press: CustomId, *values: str) -> str:
    """Use a component that no message shows; return the text of the answer, if there is one."""
    interaction = forge_interaction(sim, person, data={"custom_id": str(press), "values": list(values)})
    await handle_click(interaction)
    return interaction.answers[-1] if interaction.answers else ""
