"""Run `boneyard judge` and `boneyard perft`."""

import json
from typing import Any

import typer
from typer.testing import CliRunner, Result

from bot.tools.cli import mount

app = typer.Typer()
mount(app)

REFUSED = {
    "legal": False,
    "points": None,
    "base": None,
    "hexagons": 0,
    "bridge": False,
    "why": None,
    "matched": 0,
    "bonus_choice": False,
    "extra_turn": False,
}
"""The answer to an illegal placement, without its reason."""


def run_command(*arguments: str, lines: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=lines)


def read_sentence(*arguments: str) -> str:
    result = run_command(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.removesuffix("\n")


def read_json(*arguments: str) -> Any:
    return json.loads(read_sentence(*arguments, "--json"))


def read_error(*arguments: str) -> str:
    result = run_command(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("boneyard: ").removesuffix("\n")


def judge_placement(game: str, position: str, move: str, *arguments: str) -> Any:
    found = read_json("judge", "placement", game, "--position", position, "--move", move, *arguments)
    assert list(found) == list(REFUSED)
    return found


def build_option_arguments(*options: str) -> list[str]:
    return [word for option in options if option for word in ("--option", option)]
