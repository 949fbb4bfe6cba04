"""The games on the shelf: `data/games/*.toml` read into `Rules`, once.

A key that is missing, misspelt or of the wrong kind is refused with its file and name, so that a typo in a number's
name cannot quietly leave a game playing by something else.
"""

import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import msgspec

from engine.rules import Rules

GAMES = Path(__file__).parent / "games"


class RulebookError(ValueError):
    """A game that is not on the shelf, or whose file cannot be played by. The message says what to do."""


@cache
def games() -> tuple[str, ...]:
    """The names of all games, in alphabetical order."""
    return tuple(sorted(file.stem for file in GAMES.glob("*.toml")))


@cache
def rules(game: str) -> Rules:
    """What a table of this game plays by. Raises RulebookError when there is no such game or its file is wrong."""
    if game not in games():
        raise RulebookError(f"there is no game {game!r}; there is {', '.join(games())}")
    return read(GAMES / f"{game}.toml")


def read(file: Path) -> Rules:
    """The rules in one file, which must hold every field of `Rules`, nothing else, and be named after its game."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RulebookError(f"{file.name}: cannot be read: {error}") from error
    allowed = [field.name for field in fields(Rules)]
    for key in table:
        if key not in allowed:
            raise RulebookError(f"{file.name}: unknown key {key!r}; allowed are {', '.join(allowed)}")
    missing = [key for key in allowed if key not in table]
    if missing:
        raise RulebookError(f"{file.name}: missing key {', '.join(missing)}; needed are {', '.join(allowed)}")
    try:
        found = msgspec.convert(table, Rules)
    except msgspec.ValidationError as error:
        raise RulebookError(f"{file.name}: {error}") from error
    if found.game != file.stem:
        raise RulebookError(f"{file.name}: game must be {file.stem!r}, the name of the file, not {found.game!r}")
    return found
