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

from bot.computers.player_names import Unthought
from bot.computers.runner import FAREWELL
from bot.computers.worker_pool import Workers
from bot.core.logs import logger
from bot.core.metrics import THOUGHT, THOUGHTS
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.players.levels import LEVELS
from engine.table.refusals import No, Refused
from engine.table.terms import PROGRAM, program_named

log = logger(__name__)
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,23}")  # harmless in a message
MOST: Final = 20  # a Discord menu has room for these and the levels
START: Final = 3.0  # seconds to say hello; a program starts for each move
ANSWER: Final = 3.0  # seconds to answer
ASKED_AT_ONCE: Final = 2  # programs running at the same time
SPARE: Final = 2.0  # further seconds before the worker is killed too


def read_programs(file: str | None) -> dict[str, str]:
    """Return the commands by program name, from the file that BONEYARD_PLAYERS names. Raises ValueError."""
    if file is None:
        return {}
    try:
        found = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"BONEYARD_PLAYERS: {file} cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"BONEYARD_PLAYERS: {file} is no TOML ({error})") from None
    if len(found) > MOST:
        raise ValueError(f"BONEYARD_PLAYERS: {file} names {len(found)} programs; there is room for {MOST}")
    for name, command in found.items():
        if NAME.fullmatch(name) is None or name.lower() in LEVELS:
            raise ValueError(
                f"BONEYARD_PLAYERS: {name!r} is no name for a program: up to 24 letters, digits and hyphens, with a "
                "letter first, and not that of a level"
            )
        if not isinstance(command, str) or not command.strip():
            raise ValueError(f'BONEYARD_PLAYERS: the command of {name} is a line such as "perl /srv/players/mine.pl"')
    if len({name.lower() for name in found}) < len(found):
        raise ValueError("BONEYARD_PLAYERS: two programs have the same name but for capital letters")
    return found


def _workers() -> Workers:
    return Workers(
        most=ASKED_AT_ONCE,
        limit=START + ANSWER + FAREWELL + SPARE,
        program=(sys.executable, "-m", "bot.computers.runner"),
    )


@dataclass(frozen=True, slots=True)
class Programs:
    commands: Mapping[str, str] = field(default_factory=dict)  # by program name
    workers: Workers = field(default_factory=_workers)
    start: float = field(default_factory=lambda: START)
    answer: float = field(default_factory=lambda: ANSWER)
    chance: Random = field(default_factory=SystemRandom)

    def check(self, *players: str) -> None:
        """Raise Refused(NO_SUCH_LEVEL) if a player is a program that does not exist."""
        for player in players:
            name = program_named(player)
            if name is not None and name not in self.commands:
                raise Refused(No.NO_SUCH_LEVEL, text=name[:24], levels=LEVELS)

    def there(self, players: Iterable[str]) -> tuple[str, ...]:
        """Return the players, with the default level in place of missing programs."""
        named = ((player, program_named(player)) for player in players)
        return tuple(player if name is None or name in self.commands else "" for player, name in named)

    async def choose(self, name: str, seen: PlayerView, *, whose: int) -> Action:
        """Return the program's action for the seat of the view. Raises Unthought with the reason, or Ended."""
        began, command = time.monotonic(), self.commands.get(name)
        try:
            if command is None:
                raise Unthought("removed")
            asked = command, seen, self.chance.getrandbits(32), self.start, self.answer
            action = await self.workers.ask(whose, asked)
        except Unthought as failed:
            THOUGHTS.labels(f"{PROGRAM}{name}", failed.why).inc()
            log.info("the computer moves for a program", program=name, why=failed.why)
            raise
        THOUGHTS.labels(f"{PROGRAM}{name}", "thought").inc()
        THOUGHT.labels(f"{PROGRAM}{name}").observe(time.monotonic() - began)
        return action
