"""A discord.py bot that does nothing but answer: the floor under what any bot costs that posts the same pictures.

It acknowledges, and answers with views of the same size and the same two pictures every time. It keeps whose turn it is
in memory and knows no rules.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import discord
from discord import app_commands, ui

from bot.playground.redirect import point_at

AT_ONCE = 12


class Nothing(discord.Client):
    """`folder` holds hand.png, board.png, and tables.json: the two people of each channel, and who wants no look."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none(), max_messages=None
        )
        told = json.loads((folder / "tables.json").read_text())
        self.tables: dict[int, list[int]] = {int(channel): people for channel, people in told["tables"].items()}
        self.quick = set(told["quick"])
        self.pictures = {name: (folder / f"{name}.png").read_bytes() for name in ("hand", "board")}
        self.boards: dict[int, discord.PartialMessage] = {}
        self.calls: dict[int, discord.PartialMessage] = {}
        self.tree: app_commands.CommandTree[Nothing] = app_commands.CommandTree(self)
        self.tree.add_command(TILES)
        self._laying = asyncio.Semaphore(AT_ONCE)

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_ready(self) -> None:
        await asyncio.gather(*(self._lay(channel) for channel in self.tables))

    async def _lay(self, channel_id: int) -> None:
        async with self._laying:
            channel = self.get_partial_messageable(channel_id)
            board = await channel.send(view=_layout("board"), file=self._file("board"))
            self.boards[channel_id] = channel.get_partial_message(board.id)
            await self._call(channel, self.tables[channel_id][0])

    async def on_interaction(self, interaction: discord.Interaction[Nothing]) -> None:
        if interaction.type is not discord.InteractionType.component:
            return
        data: Any = interaction.data
        verb = str(data["custom_id"]).split(":")[1]
        if verb == "hand":
            await interaction.response.defer(ephemeral=True, thinking=True)
            await self._show(interaction, "choosing")
        elif verb == "move" and interaction.user.id not in self.quick:
            await interaction.response.defer()
            await self._show(interaction, "chosen")
        else:
            await interaction.response.defer()
            await self.move(interaction)

    async def move(self, interaction: discord.Interaction[Nothing]) -> None:
        """All that everybody sees of a move."""
        assert interaction.channel_id is not None
        await asyncio.gather(self._show(interaction, "waiting"), self._announce(interaction))

    async def _announce(self, interaction: discord.Interaction[Nothing]) -> None:
        assert interaction.channel_id is not None
        channel_id = interaction.channel_id
        await self.boards[channel_id].edit(view=_layout("board"), attachments=[self._file("board")])
        old = self.calls[channel_id]
        ada, grace = self.tables[channel_id]
        await self._call(self.get_partial_messageable(channel_id), grace if interaction.user.id == ada else ada)
        await old.delete()

    async def _call(self, channel: discord.PartialMessageable, user: int) -> None:
        view = ui.View(timeout=None)
        view.add_item(_button("hand"))
        view.stop()
        rings = discord.AllowedMentions(users=[discord.Object(user)])
        sent = await channel.send(f"<@{user}>, your turn: 7 tiles.", view=view, allowed_mentions=rings)
        self.calls[channel.id] = channel.get_partial_message(sent.id)

    async def _show(self, interaction: discord.Interaction[Nothing], step: str) -> None:
        await interaction.edit_original_response(view=_layout(step), attachments=[self._file("hand")])

    def _file(self, name: str) -> discord.File:
        return discord.File(BytesIO(self.pictures[name]), "picture.png")


def _layout(step: str) -> ui.LayoutView:
    """A view with about the parts that the real one has at this step."""
    gallery: ui.MediaGallery[ui.LayoutView] = ui.MediaGallery(
        discord.MediaGalleryItem("attachment://picture.png", description="A board with tiles. " * 20)
    )
    parts: list[ui.Item[Any]] = [ui.TextDisplay("### Triominoes · round 2"), gallery, ui.TextDisplay("A move. " * 20)]
    if step == "choosing":
        menu: ui.Select[ui.LayoutView] = ui.Select(custom_id="by:move:1:1", placeholder="Choose a move")
        for number in range(12):
            menu.add_option(label=f"3-3-{number} at G, +{number}", value=str(number), description="a bridge")
        parts.append(ui.ActionRow(menu))
    verbs = ["play", "back"] if step == "chosen" else ["text", "scores", "rules"]
    parts.append(ui.ActionRow(*([_button("hand")] if step == "board" else []), *(_button(verb) for verb in verbs)))
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*parts, accent_colour=discord.Colour.gold()))
    view.stop()
    return view


def _button(verb: str) -> ui.Button[Any]:
    # Named apart from what somebody may press by mistake: only these two lead anywhere.
    return ui.Button(label=verb, custom_id=f"by:{verb}:1:1")


TILES: app_commands.Group = app_commands.Group(name="tiles", description="Play")


@TILES.command(name="play", description="Play a tile")
async def play(interaction: discord.Interaction[Any], tile: str, place: str) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    await interaction.client.move(interaction)


@play.autocomplete("tile")
@play.autocomplete("place")
async def choices(_: discord.Interaction[Any], __: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=f"3-3-{number}, +10 at 2 places", value=f"{number}") for number in range(6)]


def main(url: str, folder: str) -> None:
    """Run until the end of standard input, or a signal."""
    point_at(url)

    async def run() -> None:
        async with Nothing(Path(folder)) as client:
            await client.start(os.environ["DISCORD_TOKEN"])

    asyncio.run(run())


if __name__ == "__main__":
    main(*sys.argv[1:3])
