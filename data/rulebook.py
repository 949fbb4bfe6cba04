"""The games: `data/games/*.toml` read into `Rules`. A typo in a key is an error."""

import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import msgspec

from engine.families import RULES_OF
from engine.match.options import UNLIMITED
from engine.match.rules import Rules

GAMES = Path(__file__).parent / "games"
BEST_KNOWN = "triominoes"  # the default game
DEFAULT = "default"  # the preset of RULES, which every game has


class RulebookError(ValueError):
    """An unknown game, or a game file that cannot be used. The message says what to do."""


@cache
def games() -> tuple[str, ...]:
    """Return the names of all games: the best known first, then alphabetical."""
    return tuple(sorted((file.stem for file in GAMES.glob("*.toml")), key=lambda name: (name != BEST_KNOWN, name)))


@cache
def presets(game: str) -> tuple[str, ...]:
    """Return the presets of a game, the default first. Raises RulebookError."""
    return tuple(_shelf(game))


@cache
def rules(game: str, preset: str = DEFAULT) -> Rules:
    """Return the rules of a game and preset. Raises RulebookError for an unknown game or a wrong file."""
    readings = _shelf(game)
    if preset not in readings:
        raise RulebookError(f"{game} has no preset {preset!r}; there is {', '.join(readings)}")
    return readings[preset]


@cache
def _shelf(game: str) -> dict[str, Rules]:
    if game not in games():
        raise RulebookError(f"there is no game {game!r}; there is {', '.join(games())}")
    return read_game(GAMES / f"{game}.toml")


def read_game(file: Path) -> dict[str, Rules]:
    """Read the presets in one file, the default first: all fields of the rules, and options for each preset."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RulebookError(f"{file.name}: cannot be read: {error}") from error
    changes = table.pop("presets", {})
    family = table.get("family")
    if not isinstance(family, str) or family not in RULES_OF:
        raise RulebookError(f"{file.name}: family must be one of {', '.join(RULES_OF)}; not {family!r}")
    kind = RULES_OF[family]
    allowed = [field.name for field in fields(kind)]
    for key in table:
        if key not in allowed:
            raise RulebookError(f"{file.name}: unknown key {key!r}; allowed are {', '.join(allowed)}, presets")
    missing = [key for key in allowed if key not in table]
    if missing:
        raise RulebookError(f"{file.name}: missing key {', '.join(missing)}; needed are {', '.join(allowed)}")
    if not isinstance(changes, dict):
        raise RulebookError(f"{file.name}: presets must be tables of options, like [presets.evening]")
    found = {DEFAULT: _rules(kind, table, file.name)}
    if found[DEFAULT].game != file.stem:
        raise RulebookError(
            f"{file.name}: game must be {file.stem!r}, the name of the file, not {found[DEFAULT].game!r}"
        )
    for name, preset in changes.items():
        where = f"{file.name}: presets.{name}"
        if not isinstance(preset, dict) or not preset or name == DEFAULT:
            raise RulebookError(f"{where}: a preset is a table of options, and not called {DEFAULT}")
        for key in preset:
            if key not in kind.options():
                raise RulebookError(f"{where}: unknown option {key!r}; allowed are {', '.join(kind.options())}")
        found[name] = _rules(kind, table | preset, where)
    return found


def _rules(kind: type[Rules], table: dict[str, object], where: str) -> Rules:
    for name, values in kind.readings().items():
        if name != "tile_set" and table[name] not in values:
            raise RulebookError(f"{where}: {name} must be one of {', '.join(values)}; not {table[name]!r}")
    for name in kind.unlimited:
        if isinstance(table[name], str) and table[name] != UNLIMITED:
            raise RulebookError(f"{where}: {name} must be from 0 to 100, or {UNLIMITED}; not {table[name]!r}")
    try:
        found = msgspec.convert(table, kind)
        found.require_playable()
        return found
    except (msgspec.ValidationError, ValueError) as error:
        raise RulebookError(f"{where}: {error}") from error
