"""`/tiles data`: everything that is held about somebody as a file, and its deletion."""

import json
from io import BytesIO
from typing import Final

import discord
from discord import app_commands, ui

from bot.commands.context import Context, Interaction
from bot.commands.registry import localized, serve, tiles
from bot.views.messages import Content
from bot.views.parts import CALM_COLOUR, Press, button, layout

FILE: Final = "boneyard-data.json"

data = app_commands.Group(name="data", description=localized("command.data"), parent=tiles)


@data.command(name="export", description=localized("command.data_export"))
async def export_command(interaction: Interaction) -> None:
    """`/tiles data export`."""
    await serve(interaction, "export", export)


async def export(ctx: Context) -> None:
    """The file, for the asker only."""
    held = await ctx.services.privacy.export(ctx.user_id)
    text = json.dumps(held, indent=2, ensure_ascii=False)
    attached = discord.File(BytesIO(text.encode()), filename=FILE)
    view = layout(ui.TextDisplay(ctx.words("data.export")), ui.File(f"attachment://{FILE}"), colour=CALM_COLOUR)
    await ctx.show(Content(view, [attached]))


@data.command(name="delete", description=localized("command.data_delete"))
async def delete_command(interaction: Interaction) -> None:
    """`/tiles data delete`."""
    await serve(interaction, "forget", delete)


async def delete(ctx: Context) -> None:
    """Ask whether somebody really wants to be forgotten, and do it when they say so. The argument is the answer."""
    said, services = ctx.words, ctx.services
    match ctx.press.argument:
        case "yes":
            changed = await services.privacy.delete(ctx.user_id)
            services.names.forget(ctx.user_id)
            services.personal.forget(ctx.user_id)
            services.live_hands.forget(ctx.user_id)
            for match_id in changed:
                services.announcer.refresh(match_id)
                services.scheduler.soon(match_id)
            await ctx.say(said("data.deleted"))
        case "no":
            await ctx.say(said("data.kept"))
        case _:
            running = await services.tables.of(ctx.user_id)
            yes = button(said("data.yes"), Press("forget", argument="yes"), style=discord.ButtonStyle.danger)
            no = button(said("data.no"), Press("forget", argument="no"))
            await ctx.say(said("data.ask", tables=said("count.tables", n=len(running))), yes, no)
