"""`/tiles data`: everything that is held about somebody as a file, and its deletion."""

import json
from io import BytesIO
from typing import Final

import discord
from discord import app_commands, ui

from bot.ask import Ask, Interaction
from bot.commands import asked, tiles
from bot.interpreter import told
from bot.sheets import Sheet
from bot.views.ids import Press
from bot.views.parts import CALM, button, layout

FILE: Final = "boneyard-data.json"

data = app_commands.Group(name="data", description=told("command.data"), parent=tiles)


@data.command(name="export", description=told("command.data_export"))
async def export_command(interaction: Interaction) -> None:
    """`/tiles data export`."""
    await asked(interaction, "export", export)


async def export(ask: Ask) -> None:
    """The file, for the asker only."""
    held = await ask.desk.privacy.export(ask.user_id)
    text = json.dumps(held, indent=2, ensure_ascii=False)
    attached = discord.File(BytesIO(text.encode()), filename=FILE)
    view = layout(ui.TextDisplay(ask.words("data.export")), ui.File(f"attachment://{FILE}"), colour=CALM)
    await ask.show(Sheet(view, [attached]))


@data.command(name="delete", description=told("command.data_delete"))
async def delete_command(interaction: Interaction) -> None:
    """`/tiles data delete`."""
    await asked(interaction, "forget", delete)


async def delete(ask: Ask) -> None:
    """Ask whether somebody really wants to be forgotten, and do it when they say so. The argument is the answer."""
    said, desk = ask.words, ask.desk
    match ask.press.argument:
        case "yes":
            changed = await desk.privacy.delete(ask.user_id)
            desk.names.forget(ask.user_id)
            for match_id in changed:
                desk.announcer.refresh(match_id)
                desk.clockwork.soon(match_id)
            await ask.say(said("data.deleted"))
        case "no":
            await ask.say(said("data.kept"))
        case _:
            running = await desk.tables.of(ask.user_id)
            yes = button(said("data.yes"), Press("forget", argument="yes"), style=discord.ButtonStyle.danger)
            no = button(said("data.no"), Press("forget", argument="no"))
            await ask.say(said("data.ask", tables=said("count.tables", n=len(running))), yes, no)
