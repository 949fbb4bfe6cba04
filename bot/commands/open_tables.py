"""The open lobbies of a server, as the person sees them who asks: in the channels that they see, and no others."""

from typing import Final

import discord
from discord import ui

from bot.commands.context import Context, link
from bot.commands.sight import visible
from bot.service.tables import Table
from bot.views.alerts import lobby_facts
from bot.views.parts import Press, button

OFFERED: Final = 5
"""So many open tables have a line and a button."""


async def open_tables(ctx: Context, *, deal: str | None = None) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    """The tables that the asker may sit down at, or those alone of a sealed deal, and a button for each; empty where
    there are none.
    """
    words, announcer = ctx.words, ctx.services.announcer
    found = await ctx.services.lobbies.of(ctx.guild_id, ctx.user_id, lambda channel_id: visible(ctx, channel_id))
    found = [table for table in found if not announcer.is_closed(table.head.match_id)]
    if deal is not None:
        found = [table for table in found if table.terms.deal == deal]
    found.sort(key=lambda table: ctx.user_id not in table.guests.kept)
    if not found:
        return "", []
    lines = [f"### {words('tables.open_title')}"]
    lines += [await _line(ctx, table) for table in found[:OFFERED]]
    if len(found) > OFFERED:
        lines.append(words("tables.open_more", n=len(found) - OFFERED))
    joins = [
        button(
            words("tables.join", match=table.head.match_id),
            Press("sit", table.head.match_id, table.state.revised),
            style=discord.ButtonStyle.success,
        )
        for table in found[:OFFERED]
    ]
    return "\n".join(lines), joins


async def _line(ctx: Context, table: Table) -> str:
    words = ctx.words
    facts = lobby_facts(table, words)
    if ctx.user_id in table.guests.kept:
        facts = f"{facts} · {words('tables.open_kept')}"
    return words(
        "tables.open",
        match=table.head.match_id,
        game=words(f"game.{table.terms.game}"),
        name=await ctx.name(table.head.host_id),
        terms=facts,
        link=link(table),
    )
