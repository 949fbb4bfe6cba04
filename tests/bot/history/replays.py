"""Finished matches, their records, and pictures of their replays."""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import discord
import typer
from simcord import ChannelHandle, ResponseMessage
from typer.testing import CliRunner, Result

from bot.tools.cli import mount
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import TakeAction, ViewHand
from tests.bot.member import Member
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild

app = typer.Typer()
mount(app)


async def play_to_result(
    sim: SimGuild, *people: Member, deal: int = GOING_OUT_DEAL, **options: object
) -> discord.Message:
    """Play a match to its end; return the message that shows the result."""
    await sim.start_table(*people, **{"target": 60, **options}, deal=deal)
    await play_out(sim)
    return sim.list_results()[-1]


async def play_out(sim: SimGuild, channel: ChannelHandle | None = None) -> None:
    """Let all players make their best moves until the match is over, without Discord."""
    services, match_id = sim.client.services, (await sim.load_head(channel)).match_id
    while (user := (table := await services.tables.load(match_id)).find_turn_user()) is not None:
        chosen = greedy.choose(view_for(table.match, table.find_seat(user)), Random(1))
        await services.acts.act(match_id, TakeAction(user, lambda _, chosen=chosen: chosen))
        following = (await services.tables.load(match_id)).find_turn_user()
        if following is not None:
            await services.acts.act(match_id, ViewHand(following))
    services.announcer.refresh(match_id)
    services.scheduler.wake(match_id)
    await services.announcer.wait_until_idle()


def run_replay(record: Path | str | bytes, *words: str | Path) -> Result:
    """Run `boneyard replay` for a file, or for a text on standard input."""
    name, lines = (str(record), None) if isinstance(record, Path) else ("-", record)
    return CliRunner().invoke(app, ["replay", name, *map(str, words)], input=lines)


def run_for_output(record: Path | str, *words: str | Path, status: int = 0) -> str:
    result = run_replay(record, *words)
    assert (result.exit_code, result.stderr) == (status, "")
    return result.stdout.removesuffix("\n")


def run_for_json(record: Path | str, *words: str | Path, status: int = 0) -> Any:
    return json.loads(run_for_output(record, *words, "--json", status=status))


async def read_png(shown: ResponseMessage) -> bytes:
    (attached,) = shown.attachments
    return await attached.read()


async def save_record(person: Member, end: discord.Message, file: Path) -> Path:
    """Save the record of a finished match to a file."""
    (attached,) = (await person.open_click(end, "Record")).attachments
    await asyncio.to_thread(file.write_bytes, await attached.read())
    return file


GOLDEN_FOLDER = Path(__file__).parents[2] / "golden"


RECORDS_DOC = (GOLDEN_FOLDER.parents[1] / "docs" / "reference" / "records.md").read_text(encoding="utf-8")


DOC_BLOCKS = [block.partition("\n")[2] for block in RECORDS_DOC.split("```")[1::2]]
