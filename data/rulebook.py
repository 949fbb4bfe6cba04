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
DEFAULT_GAME = "triominoes"  # the default game
DEFAULT_PRESET = "default"  # the preset of RULES, which every game has


class RulebookError(ValueError):
    """An unknown game, or a game file that cannot be used. The message says what to do."""


@cache
def list_games() -> tuple[str, ...]:
    """Return the names of all games: the best known first, then alphabetical."""
    return tuple(sorted((file.stem for file in GAMES.glob("*.toml")), key=lambda name: (name != DEFAULT_GAME, name)))


@cache
def list_presets(game: str) -> tuple[str, ...]:
    """Return the presets of a game, the default first. Raises RulebookError."""
    return tuple(_load_presets(game))


@cache
def load_rules(game: str, preset: str = DEFAULT_PRESET) -> Rules:
    """Return the rules of a game and preset. Raises RulebookError for an unknown game or a wrong file."""
    rules_by_preset = _load_presets(game)
    if preset not in rules_by_preset:
        raise RulebookError(f"{game} has no preset {preset!r}; there is {', '.join(rules_by_preset)}")
    return rules_by_preset[preset]


@cache
def _load_presets(game: str) -> dict[str, Rules]:
    if game not in list_games():
        raise RulebookError(f"there is no game {game!r}; there is {', '.join(list_games())}")
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
    found = {DEFAULT_PRESET: _build_rules(kind, table, file.name)}
    if found[DEFAULT_PRESET].game != file.stem:
        raise RulebookError(
            f"{file.name}: game must be {file.stem!r}, the name of the file, not {found[DEFAULT_PRESET].game!r}"
        )
    for name, preset in changes.items():
        where = f"{file.name}: presets.{name}"
        if not isinstance(preset, dict) or not preset or name == DEFAULT_PRESET:
            raise RulebookError(f"{where}: a preset is a table of options, and not called {DEFAULT_PRESET}")
        for key in preset:
            if key not in kind.list_options():
                raise RulebookError(f"{where}: unknown option {key!r}; allowed are {', '.join(kind.list_options())}")
        found[name] = _build_rules(kind, table | preset, where)
    return found


def _build_rules(kind: type[Rules], table: dict[str, object], where: str) -> Rules:
    for name, values in kind.get_readings().items():
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
