"""Every command says what it does, here and in the README."""

from discord import Client, app_commands

from bot.client import Boneyard
from bot.commands import tiles
from bot.views.press import HANDLERS, QUIET
from tests.house.sources import ROOT

COMMANDS = [
    "board",
    "choose",
    "draw",
    "games",
    "hand",
    "help",
    "join",
    "leaderboard",
    "leave",
    "new",
    "pass",
    "play",
    "profile",
    "resign",
    "rules",
    "scores",
    "start",
]


def commands() -> list[app_commands.Command[object, ..., object]]:
    """The commands of the group, by name."""
    assert issubclass(Boneyard, Client), "importing the client fills the group"
    found = [command for command in tiles.commands if isinstance(command, app_commands.Command)]
    return sorted(found, key=lambda command: command.name)


def test_the_group_has_these_commands() -> None:
    assert [command.name for command in commands()] == COMMANDS


def test_every_command_and_option_has_a_description_in_words() -> None:
    for command in commands():
        assert 10 < len(command.description) <= 100, command.name
        assert not command.description.endswith(".")
        for option in command.parameters:
            assert option.description != "…", f"/tiles {command.name} {option.name}"
            assert 5 < len(option.description) <= 100


def test_every_command_is_in_the_readme_and_the_readme_has_no_other() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = {word.split("`")[0].split()[0] for word in readme.split("`/tiles ")[1:]}
    assert told == set(COMMANDS)


def test_every_verb_of_a_button_is_a_short_word_that_has_a_handler() -> None:
    assert set(HANDLERS) >= QUIET
    assert all(verb.isascii() and verb.islower() and verb.isalpha() and len(verb) <= 12 for verb in HANDLERS)


def test_lists_of_choices_fit_discord() -> None:
    for command in commands():
        for option in command.parameters:
            assert len(option.choices) <= 25
