"""Every command says what it does, here and in the README."""

import re

import typer
from discord import Client, app_commands
from typer.core import TyperGroup

from bot.__main__ import app
from bot.commands.admin import admin
from bot.commands.deals import deal_group
from bot.commands.hosts import hosts
from bot.commands.league import leagues
from bot.commands.presses import HANDLERS, QUIET
from bot.commands.registry import tiles
from bot.operating.client import Boneyard
from tests.house.sources import ROOT

GROUPS = (tiles, hosts, leagues, deal_group, admin)


def named(group: app_commands.Group) -> dict[str, app_commands.Command[object, ..., object]]:
    """The commands of a group by what is typed after its name, sorted."""
    assert issubclass(Boneyard, Client), "importing the client fills the groups"
    found = [command for command in group.walk_commands() if isinstance(command, app_commands.Command)]
    return dict(sorted((command.qualified_name.removeprefix(f"{group.name} "), command) for command in found))


def commands() -> list[app_commands.Command[object, ..., object]]:
    """The commands of all groups."""
    return [command for group in GROUPS for command in named(group).values()]


def test_a_group_has_no_more_commands_than_discord_takes() -> None:
    for group in GROUPS:
        assert 0 < len(group.commands) <= 25
    for inner in tiles.commands:
        assert not isinstance(inner, app_commands.Group) or 0 < len(inner.commands) <= 20


def test_every_command_and_option_has_a_description_in_words() -> None:
    for command in commands():
        assert 10 < len(command.description) <= 100, command.name
        assert not command.description.endswith(".")
        for option in command.parameters:
            assert option.description != "…", f"/{command.qualified_name} {option.name}"
            assert 5 < len(option.description) <= 100


def readme_text() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_is_in_the_readme_and_the_readme_has_no_other() -> None:
    readme = readme_text()
    for group in GROUPS:
        has = set(named(group))
        told = [word.split("`")[0] for word in readme.split(f"`/{group.name} ")[1:]]
        assert {next((one for one in has if f"{typed} ".startswith(f"{one} ")), typed) for typed in told} == has


def test_every_command_of_the_terminal_is_in_the_readme() -> None:
    readme = readme_text()
    program = typer.main.get_command(app)
    assert isinstance(program, TyperGroup)
    # The bench is for whoever works on this, and stands in docs/performance.md.
    assert {name for name in program.commands if not re.search(rf"\bboneyard {name}\b", readme)} == {"bench"}


def test_every_verb_of_a_button_is_a_short_word_that_has_a_handler() -> None:
    assert set(HANDLERS) >= QUIET
    assert all(verb.isascii() and verb.islower() and verb.isalpha() and len(verb) <= 12 for verb in HANDLERS)


def test_lists_of_choices_fit_discord() -> None:
    for command in commands():
        for option in command.parameters:
            assert len(option.choices) <= 25
