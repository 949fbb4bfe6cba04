"""The README names only commands that exist, and shows only the most important ones."""

import re

import pytest
import typer
from discord import app_commands

from bot.__main__ import app
from tests.project.commands import GROUPS, list_commands
from tests.project.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_readme_names_only_existing_commands(group: app_commands.Group) -> None:
    named = re.findall(rf"`/{group.name} ([^`]+)`", README)
    assert set(named) <= set(list_commands(group))


def test_readme_names_only_existing_terminal_commands() -> None:
    program = typer.main.get_command(app)
    named = re.findall(r"\buv run boneyard ([a-z]+)", README)
    assert set(named) == {"play", "run"}
    assert set(named) <= set(program.commands)


def test_readme_shows_five_commands() -> None:
    assert len(re.findall(r"^\| `/tiles ", README, re.MULTILINE)) == 5


def test_readme_starts_with_picture_that_exists() -> None:
    picture = re.search(r'<img src="([^"]+)"', README)
    assert picture is not None
    assert picture.start() < README.index("\n## ")
    assert (ROOT / picture[1]).exists()


def test_readme_requires_python_version_of_project() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r'^requires-python = ">=([\d.]+)"', project, re.MULTILINE)
    assert required is not None
    assert README.index(f"Python {required[1]} or newer") < README.index("pip install")
