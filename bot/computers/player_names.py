"""Computer players by the name in the event log."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

import discord

from bot.core.names import Names
from bot.tables.move_labels import listed
from bot.tables.service import Table
from data.weights import weights
from data.words import Words
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.greedy import Rng
from engine.players.levels import Player, player
from engine.table.table_state import Stumble
from engine.table.terms import GENTLE, PROGRAM


class Unthought(Exception):  # noqa: N818 - the fallback level moves
    def __init__(self, why: Stumble) -> None:
        super().__init__(why)
        self.why = why


class Gentle:
    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        return greedy.choose_gently(seen, rng)


@lru_cache(maxsize=64)
def player_of(name: str, rules: Rules) -> Player:
    """Return the player with this name under these rules. Raises ValueError if there is none."""
    return Gentle() if name == GENTLE else player(name, rules, weights(rules))


def thought(name: str, seen: PlayerView, seed: int, budget: float) -> Action:
    """Return a player's choice; a slow player stops after `budget` seconds."""
    end = time.monotonic() + budget
    return player_of(name, seen.rules).choose(seen, Random(seed), lambda: time.monotonic() > end)  # noqa: S311 - a game


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
