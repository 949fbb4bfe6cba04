"""Every command has a description, is in the reference and fits Discord's limits."""

import ast
import re

import pytest
import typer
from discord import app_commands

from bot import features
from bot.__main__ import app
from bot.core.command_groups import tiles
from bot.core.dispatch import HANDLERS, QUIET_VERBS
from tests.project.commands import GROUPS, Command, list_commands
from tests.project.sources import ROOT, parse_packages

features.load()  # their buttons register then

COMMANDS = [command for group in GROUPS for command in list_commands(group).values()]
COMMAND_LINE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_group_has_at_most_25_commands(group: app_commands.Group) -> None:
    assert 0 < len(group.commands) <= 25


def test_inner_groups_leave_room_for_more_commands() -> None:
    for inner in tiles.commands:
        assert not isinstance(inner, app_commands.Group) or 0 < len(inner.commands) <= 20


def test_core_has_no_button_of_a_feature() -> None:
    core = ("bot/core", "bot/tables", "bot/sending", "bot/computers")
    verbs = {
        node.args[0].value
        for path, tree in parse_packages().items()
        if path.as_posix().startswith(core)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CustomId"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    modules = {verb: HANDLERS[verb].__module__ for verb in verbs & HANDLERS.keys()}
    assert len(modules) > 30
    assert {verb for verb, module in modules.items() if module.startswith(features.FEATURES)} == set()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.qualified_name)
def test_command_and_its_options_fit_discord(command: Command) -> None:
    assert 10 < len(command.description) <= 100
    assert not command.description.endswith(".")
    for option in command.parameters:
        assert option.description != "…", option.name
        assert 5 < len(option.description) <= 100, option.name
        assert len(option.choices) <= 25, option.name


def test_command_line_page_has_every_terminal_command() -> None:
    program = typer.main.get_command(app)
    assert {name for name in program.commands if not re.search(rf"\bboneyard {name}\b", COMMAND_LINE)} == set()


def test_every_button_verb_is_short_word_with_handler() -> None:
    assert set(HANDLERS) >= QUIET_VERBS
    assert all(verb.isascii() and verb.islower() and verb.isalpha() and len(verb) <= 12 for verb in HANDLERS)
