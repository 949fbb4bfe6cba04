"""Text about external players at a table."""

from collections.abc import Sequence

import discord

from bot.core.names import Names
from bot.tables.move_labels import listed
from bot.tables.service import Table
from data.words import Words
from engine.table.terms import PROGRAM


def programs_told(table: Table, names: Names, words: Words) -> list[str]:
    """Name the external players in the lobby; later those that the computer replaced, with the number of moves."""
    seats = list(table.state.programs)
    if not seats:
        return []
    if table.event_log is None:
        return [words("program.here", names=listed(words, [f"**{names.safe[seat]}**" for seat in seats]))]
    lines = []
    for seat in seats:
        stumbled = table.state.stumbled(seat)
        if stumbled.out:
            lines.append(words("program.out", name=names.safe[seat]))
        elif stumbled.moves:
            lines.append(words("program.stood_in", name=names.safe[seat], moves=words("count.moves", n=stumbled.moves)))
    return lines


def program_options(programs: Sequence[str], words: Words) -> list[discord.SelectOption]:
    says = words("program.says")
    return [
        discord.SelectOption(label=words("name.program", name=name), value=f"{PROGRAM}{name}", description=says)
        for name in programs
    ]
