"""A small real discord.py bot that uses the same Discord features as Boneyard; tests run it over loopback.

Run as a program (`python small_bot.py URL TOKEN`), it is a separate process, so that tests can kill it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from typing import Any

import discord
from discord import app_commands, ui
from PIL import Image

from bot.playground.launch import redirect_clients
from bot.playground.server import LocalDiscord

WORDS = ("anchor", "apple", "bridge", "corner", "domino")


def build_picture(name: str, colour: str) -> discord.File:
    buffer = BytesIO()
    Image.new("RGB", (40, 30), colour).save(buffer, "PNG")
    buffer.seek(0)
    return discord.File(buffer, filename=name, description=f"a {colour} picture")


class CountButton(ui.DynamicItem[ui.Button[Any]], template=r"count:(?P<n>\d+)"):
    """A button that carries its state in its id, so it outlives the process that posted it."""

    def __init__(self, n: int) -> None:
        super().__init__(ui.Button(label=f"Count {n}", custom_id=f"count:{n}"))
        self.n = n

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str]) -> CountButton:
        return cls(int(match["n"]))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        colour = "red" if self.n % 2 else "green"
        await interaction.response.edit_message(
            view=BoardView(self.n + 1), attachments=[build_picture(f"board{self.n + 1}.png", colour)]
        )


class HandButton(ui.DynamicItem[ui.Button[Any]], template=r"hand"):
    """A button with an ephemeral answer."""

    def __init__(self) -> None:
        super().__init__(ui.Button(label="My hand", custom_id="hand"))

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str]) -> HandButton:
        return cls()

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send(view=HandView(), file=build_picture("hand.png", "blue"), ephemeral=True)


class WordMenu(ui.DynamicItem[ui.Select[Any]], template=r"pick"):
    """A menu; a choice edits its ephemeral message."""

    def __init__(self) -> None:
        options = [discord.SelectOption(label=word.title(), value=word) for word in WORDS]
        super().__init__(ui.Select(custom_id="pick", options=options))

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str]) -> WordMenu:
        return cls()

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        chosen = interaction.data["values"][0]  # type: ignore[index,typeddict-item]
        view = ui.LayoutView(timeout=None)
        view.add_item(ui.TextDisplay(f"You chose {chosen}"))
        await interaction.response.edit_message(view=view, attachments=[])


class BoardView(ui.LayoutView):
    """The public message: a container with text, a picture and buttons."""

    def __init__(self, n: int) -> None:
        super().__init__(timeout=None)
        picture = discord.MediaGalleryItem(f"attachment://board{n}.png", description=f"the board after {n} moves")
        row: ui.ActionRow[Any] = ui.ActionRow(CountButton(n), HandButton())
        parts = (ui.TextDisplay(f"## Board {n}"), ui.MediaGallery(picture), row)
        self.add_item(ui.Container(*parts, accent_colour=discord.Colour(0x336699)))


class HandView(ui.LayoutView):
    """An ephemeral message."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.add_item(ui.MediaGallery(discord.MediaGalleryItem("attachment://hand.png", description="your hand")))
        self.add_item(ui.ActionRow(WordMenu()))


class WordsModal(ui.Modal, title="Say something"):
    words: ui.TextInput[Any] = ui.TextInput(label="Words", custom_id="words", max_length=20)

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(f"You said {self.words.value}", ephemeral=True)


class TryCommands(app_commands.Group):
    """The commands, one for each kind of answer."""

    def __init__(self) -> None:
        super().__init__(name="try", description="Tries each way of answering")

    @app_commands.command(description="Posts the public message")
    async def board(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(view=BoardView(0), file=build_picture("board0.png", "green"))

    @app_commands.command(description="Answers with a word")
    @app_commands.describe(word="Which word", who="For whom", times="How often")
    async def word(
        self,
        interaction: discord.Interaction[Any],
        word: str,
        who: discord.Member | None = None,
        times: app_commands.Range[int, 1, 3] = 1,
    ) -> None:
        text = " ".join([word] * times)
        await interaction.response.send_message(f"{text} for {who.mention if who else 'all'}")

    @word.autocomplete("word")
    async def _suggest_words(
        self, interaction: discord.Interaction[Any], current: str
    ) -> list[app_commands.Choice[str]]:
        if current == "many":
            return [app_commands.Choice(name=f"word {n}", value=str(n)) for n in range(30)]
        return [app_commands.Choice(name=one, value=one) for one in WORDS if one.startswith(current)]

    @app_commands.command(description="Thinks, then answers only you")
    async def think(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.edit_original_response(content="thought", attachments=[build_picture("a.png", "red")])
        await interaction.followup.send("and more, for everybody")

    @app_commands.command(description="Opens a form")
    async def ask(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_modal(WordsModal())

    @app_commands.command(description="Starts a thread and writes in it")
    async def thread(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("a table")
        message = await interaction.original_response()
        thread = await message.create_thread(name="Table 1")
        await thread.send(f"come in, {interaction.user.mention}", allowed_mentions=discord.AllowedMentions(users=True))

    @app_commands.command(description="Writes to you alone")
    async def direct(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("look at your messages", ephemeral=True)
        await interaction.user.send("hello", file=build_picture("d.png", "blue"))


class SmallBot(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(TryCommands())
        self.errors: list[Exception] = []
        self.tree.error(self._record_error)

    async def _record_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError) -> None:
        self.errors.append(error)

    async def setup_hook(self) -> None:
        self.add_dynamic_items(CountButton, HandButton, WordMenu)
        await self.tree.sync()


@asynccontextmanager
async def expect_event(bot: SmallBot, name: str) -> AsyncIterator[asyncio.Task[Any]]:
    """Wait at the end until discord.py reports an event that happens inside. The task has its value."""
    task = asyncio.create_task(bot.wait_for(name))
    await asyncio.sleep(0)
    yield task
    await task


@asynccontextmanager
async def run_small_bot(local: LocalDiscord) -> AsyncIterator[SmallBot]:
    """Connect a bot in this process. discord.py points at the real Discord again afterwards."""
    undo, bot = redirect_clients(local.url), SmallBot()
    running = asyncio.create_task(bot.start(local.token))
    try:
        async with asyncio.timeout(300):
            await local.gateway.connected.wait()
        yield bot
    finally:
        await bot.close()
        with suppress(asyncio.CancelledError):
            await running
        undo()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    redirect_clients(sys.argv[1])
    asyncio.run(SmallBot().start(sys.argv[2]))
