"""External players: the programs of the operator's configuration, and how they choose moves."""

import re
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random, SystemRandom
from typing import Final

from bot.computers.player_names import ComputationError
from bot.computers.runner import EXIT_TIMEOUT
from bot.computers.worker_pool import WorkerPool
from bot.core.logs import get_logger
from bot.core.metrics import COMPUTER_MOVES, THINKING_SECONDS
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.players.levels import LEVELS
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import PROGRAM_PREFIX, find_program_name

log = get_logger(__name__)
PROGRAM_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,23}")  # harmless in a message
MAX_PROGRAMS: Final = 20  # a Discord menu has room for these and the levels
HELLO_TIMEOUT: Final = 3.0  # seconds to say hello; a program starts for each move
ANSWER_TIMEOUT: Final = 3.0  # seconds to answer
MAX_RUNNING: Final = 2  # programs running at the same time
KILL_MARGIN: Final = 2.0  # further seconds before the worker is killed too


def read_programs(file: str | None) -> dict[str, str]:
    """Return the commands by program name, from the file that BONEYARD_PLAYERS names. Raises ValueError."""
    if file is None:
        return {}
    try:
        commands = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"BONEYARD_PLAYERS: {file} cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"BONEYARD_PLAYERS: {file} is no TOML ({error})") from None
    if len(commands) > MAX_PROGRAMS:
        raise ValueError(f"BONEYARD_PLAYERS: {file} names {len(commands)} programs; there is room for {MAX_PROGRAMS}")
    for name, command in commands.items():
        if PROGRAM_NAME.fullmatch(name) is None or name.lower() in LEVELS:
            raise ValueError(
                f"BONEYARD_PLAYERS: {name!r} is no name for a program: up to 24 letters, digits and hyphens, with a "
                "letter first, and not that of a level"
            )
        if not isinstance(command, str) or not command.strip():
            raise ValueError(f'BONEYARD_PLAYERS: the command of {name} is a line such as "perl /srv/players/mine.pl"')
    if len({name.lower() for name in commands}) < len(commands):
        raise ValueError("BONEYARD_PLAYERS: two programs have the same name but for capital letters")
    return commands


def _create_pool() -> WorkerPool:
    return WorkerPool(
        most_workers=MAX_RUNNING,
        silence_timeout=HELLO_TIMEOUT + ANSWER_TIMEOUT + EXIT_TIMEOUT + KILL_MARGIN,
        command=(sys.executable, "-m", "bot.computers.runner"),
    )


@dataclass(frozen=True, slots=True)
class ExternalPlayers:
    commands: Mapping[str, str] = field(default_factory=dict)  # by program name
    workers: WorkerPool = field(default_factory=_create_pool)
    hello_timeout: float = field(default_factory=lambda: HELLO_TIMEOUT)
    answer_timeout: float = field(default_factory=lambda: ANSWER_TIMEOUT)
    rng: Random = field(default_factory=SystemRandom)

    def check(self, *players: str) -> None:
        """Raise RefusalError(NO_SUCH_LEVEL) if a player is a program that does not exist."""
        for player in players:
            program_name = find_program_name(player)
            if program_name is not None and program_name not in self.commands:
                raise RefusalError(Refusal.NO_SUCH_LEVEL, text=program_name[:24], levels=LEVELS)

    def replace_missing(self, players: Iterable[str]) -> tuple[str, ...]:
        """Return the players, with the default level in place of missing programs."""
        named_players = ((player, find_program_name(player)) for player in players)
        return tuple(player if name is None or name in self.commands else "" for player, name in named_players)

    async def choose(self, name: str, view: PlayerView, *, owner_id: int) -> Action:
        """Return the program's action for the seat of the view. Raises ComputationError with the reason, or
        ShutdownError.
        """
        started_at, command = time.monotonic(), self.commands.get(name)
        try:
            if command is None:
                raise ComputationError("removed")
            request = command, view, self.rng.getrandbits(32), self.hello_timeout, self.answer_timeout
            action = await self.workers.ask(owner_id, request)
        except ComputationError as failed:
            COMPUTER_MOVES.labels(f"{PROGRAM_PREFIX}{name}", failed.why).inc()
            log.info("the computer moves for a program", program=name, why=failed.why)
            raise
        COMPUTER_MOVES.labels(f"{PROGRAM_PREFIX}{name}", "thought").inc()
        THINKING_SECONDS.labels(f"{PROGRAM_PREFIX}{name}").observe(time.monotonic() - started_at)
        return action
