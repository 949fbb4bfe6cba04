"""Computer players who think and wait in simulated time."""

from random import Random

from bot.computers.external_players import ExternalPlayers
from bot.computers.service import MOVE_DELAY, ComputerPlayers
from bot.computers.thinking import MoveChooser
from bot.tables.service import Table
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import TakeAction
from tests.bot.use_cases import UseCases


class SimulatedTimeComputers(ComputerPlayers):
    def __init__(self, use_cases: UseCases, chooser: MoveChooser, seed: int) -> None:
        self.use_cases = use_cases
        super().__init__(
            use_cases.tables,
            use_cases.acts,
            chooser,
            ExternalPlayers(),
            lambda: use_cases.time,
            Random(seed),
            delay=MOVE_DELAY,
        )

    async def _wait(self, ms: int, most: int) -> None:
        self.use_cases.time += max(0, min(ms, most))


async def play_users(use_cases: UseCases, table: Table) -> Table:
    """Let users move until it is the turn of a computer."""
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.interact(table, TakeAction(user, lambda _, action=action: action))
        table = await use_cases.settle_turn(table)
    return table
